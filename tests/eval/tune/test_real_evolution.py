"""One tiny evolution over HTTP with a very small model: its form, never its gain."""

import json
import shutil

import pytest

from sayso.cli.main import run
from sayso.paths import prompts_dir
from sayso.reasoning.prompts import load_prompts

pytestmark = pytest.mark.real_llm

STEP = "oneshot/q4"
PEOPLE = {"one": ("Ada", "Bram"), "two": ("Cleo", "Dov")}
SPLITS = {"one": "train", "two": "valid"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two chats of four messages with a case each, and short prompts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    for name, value in {"POOL": "4", "COMPLETION": "64", "WINDOW": "2048"}.items():
        monkeypatch.setenv(f"SAYSO_{name}", value)
    (tmp_path / "chats").mkdir()
    for name, people in PEOPLE.items():
        header = {"sayso": "chat", "version": 1, "chatId": name, "title": name,
                  "platform": "invented", "timezone": "UTC", "participants": list(people)}  # fmt: skip
        texts = ("I bought the red kayak", "nice!", "the ferry leaves at nine", "then I will run")
        lines = [
            {"localId": n, "sender": people[n % 2], "sentAt": f"2024-03-0{n}T10:00:00+00:00",
             "text": text, "kind": "text"}
            for n, text in enumerate(texts, 1)
        ]  # fmt: skip
        (tmp_path / "chats" / f"{name}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in (header, *lines)), "utf-8"
        )
    cases = [
        {"caseId": name, "chat": name, "question": "Who bought a kayak?", "evidence": [1],
         "split": SPLITS[name]}
        for name in PEOPLE
    ]  # fmt: skip
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in cases), "utf-8")
    _shortened(tmp_path / "short")
    return tmp_path


def _shortened(folder):
    """The shipped prompts without most of what they teach, which takes a slow machine minutes."""
    shutil.copytree(prompts_dir(), folder)
    for step in (STEP, "tune/reflect"):
        path = folder / f"{step}.md"
        front, rest = path.read_text("utf-8").split("# System\n", 1)
        system, user = rest.split("# User\n", 1)
        first = system.strip().split("\n\n")[0]
        path.write_text(f"{front}# System\n\n{first}\n\n# User\n{user}", "utf-8")
    planner = folder / "oneshot" / "q1.md"  # that step goes without the model
    planner.write_text(planner.read_text("utf-8").replace("model: true", "model: false"), "utf-8")


def test_a_tiny_evolution_goes_from_end_to_end(real_llm, folder, capsys):
    arguments = ["tune", "evolve", "--step", STEP, "--cases", "cases.jsonl", "--prompts", "short",
                 "--model", "smollm2", "--base-url", real_llm, "--offline", "--budget", "4",
                 "--batch", "1", "--reflection-calls", "1", "--model-calls", "1", "--json"]  # fmt: skip

    code = run(arguments)
    heard = capsys.readouterr()
    told = json.loads(heard.out)

    assert code == 0, heard.err
    assert told["complete"]
    assert 1 <= told["runs"] <= 4
    assert told["reflections"] <= 1
    assert told["reflection"]["calls"] >= told["reflections"]
    assert all(0 <= one["mean"] <= 1 for one in told["candidates"])
    (run_folder,) = (folder / "runs").iterdir()
    assert len(list((run_folder / "candidates").iterdir())) == len(told["candidates"])
    assert not told["outcome"]["test_uses"]
    if told["outcome"]["accepted"]:
        assert load_prompts(run_folder / "prompts")[STEP].version == 2
