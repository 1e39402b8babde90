import json
import os
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sayso.chats.threads import FILE as THREADS
from sayso.cli import examining
from sayso.paths import prompts_dir
from sayso.retrieval import categories, int8_model, pair_reader
from sayso.weights import SHIPPED
from tests.cli.conftest import HEADER, Sayso

KEY = "sk-nobody-may-see-this"


@pytest.fixture(autouse=True)
def without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SAYSO_MODEL", "SAYSO_BASE_URL",
                 "LANGSMITH_TRACING", "LANGSMITH_ENDPOINT"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


def examined(sayso: Sayso, *flags: str):
    ran = sayso("doctor", "--json", *flags)
    return ran.code, json.loads(ran.out)


def test_a_fresh_installation_is_well(sayso: Sayso, home: Path) -> None:
    code, found = examined(sayso)

    assert code == 0
    assert found["broken"] == []
    assert found["data"] == {"folder": str(home), "exists": False, "mode": None}
    assert not home.exists()
    assert found["chats"] == []
    assert found["model"] is None
    assert found["tracing"] == {"host": None, "used": False}
    assert found["versions"]["sayso"]
    assert "no chat is imported yet" in found["advice"][0]


def test_each_setting_says_where_it_comes_from(sayso: Sayso, monkeypatch) -> None:
    Path("sayso.toml").write_text("rounds = 2\npool = 9\n", encoding="utf-8")
    monkeypatch.setenv("SAYSO_POOL", "8")

    settings = examined(sayso, "--votes", "3")[1]["settings"]

    assert settings["rounds"] == {"value": 2, "from": str(Path("sayso.toml").absolute())}
    assert settings["pool"] == {"value": 8, "from": "the environment"}
    assert settings["votes"] == {"value": 3, "from": "the command line"}
    assert settings["seconds"] == {"value": 120.0, "from": "default"}


def test_settings_that_cannot_be_read_hide_nothing_else(imported: Sayso, monkeypatch) -> None:
    monkeypatch.setenv("SAYSO_ROUNDS", "many")

    code, found = examined(imported)

    assert code == 2
    assert "rounds = 'many'" in found["broken"][0]
    assert [c["chatId"] for c in found["chats"]] == ["trip"]


def test_chats_are_listed_with_the_state_of_their_index(imported: Sayso, home: Path) -> None:
    def state() -> tuple[str, list[str]]:
        _, found = examined(imported)
        (chat,) = found["chats"]
        return chat["index"], found["advice"]

    whole = state()
    (vectors,) = (home / "indexes").glob("*/meaning/vectors.npy")
    vectors.write_bytes(b"no vectors")
    damaged = state()
    shutil.rmtree(vectors.parent)
    unfinished = state()
    shutil.rmtree(home / "indexes")
    absent = state()

    assert whole == ("whole", [])
    for (index, advice), word in (
        (damaged, "damaged"),
        (unfinished, "by words only"),
        (absent, "not built"),
    ):
        assert index.startswith(word)
        assert advice == [f"the index of trip is {index}"]


def test_a_chat_that_cannot_be_read_is_broken_and_the_others_are_shown(
    imported: Sayso, home: Path
) -> None:
    (home / "chats" / "other.jsonl").write_text("nothing of ours\n", encoding="utf-8")

    code, found = examined(imported)

    assert code == 2
    assert "other.jsonl" in found["broken"][0]
    assert [c["chatId"] for c in found["chats"]] == ["trip"]


def test_a_chat_in_another_language_is_proposed_the_multilingual_extra(
    sayso: Sayso, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("sayso.retrieval.multilingual.is_installed", lambda: False)
    texts = ("早上好", "睡得好吗", "锅炉又漏水了", "我看了一套运河边的房子", "房东答应了")
    lines = [HEADER] + [
        {"localId": n, "sender": "Bo", "sentAt": f"2024-05-0{n}T09:00:00Z", "text": t, "kind": "text"}
        for n, t in enumerate(texts, 1)
    ]  # fmt: skip
    path = tmp_path / "zh.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert sayso("import", str(path)).code == 0

    found = examined(sayso)[1]

    assert found["chats"][0]["language"] == "Chinese"
    assert any("sayso[multilingual]" in text for text in found["advice"])


def test_kept_threads_that_cannot_be_read_are_broken(imported: Sayso, home: Path) -> None:
    none_kept = examined(imported)[1]
    imported("ask", "When does the ferry leave?", "--thread", "trip")
    one_kept = examined(imported)[1]
    (home / THREADS).write_bytes(b"no database" * 1000)

    code, found = examined(imported)

    assert (none_kept["threads"], one_kept["threads"], found["threads"]) == (0, 1, None)
    assert (none_kept["broken"], one_kept["broken"]) == ([], [])
    assert code == 2
    assert THREADS in found["broken"][0]


def test_a_folder_that_others_may_read_is_worth_advice(imported: Sayso, home: Path) -> None:
    home.chmod(0o755)

    code, found = examined(imported)

    assert code == 0
    assert found["data"]["mode"] == "0755"
    assert f"chmod 700 {home}" in found["advice"][0]


def test_prompts_have_their_versions_and_digests(sayso: Sayso, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(prompts_dir(), mine)
    (mine / "oneshot/q1.md").write_text("nothing", encoding="utf-8")

    steps = examined(sayso)[1]["prompts"]["steps"]
    code, other = examined(sayso, "--prompts", str(mine))

    assert len(steps["agent/planner"]["digest"]) == 64
    assert steps["oneshot/q2"]["model"] is False
    assert code == 2
    assert "q1.md" in other["broken"][0]


def test_a_model_is_asked_what_it_can_do(sayso: Sayso, model_server) -> None:
    model_server.answers = lambda heard: {"answer": "Hello Ana"}

    code, found = examined(sayso, "--model", "scripted", "--base-url", model_server.url)

    assert code == 0
    assert found["model"]["host"] == "127.0.0.1"
    assert found["model"]["can"] == {
        "reachable": True, "problem": None, "models": ["scripted"], "jsonSchema": True,
        "tools": False, "jsonMode": True, "stream": True, "usage": True, "way": "json_schema",
    }  # fmt: skip
    assert "set window (SAYSO_WINDOW)" in found["advice"][-1]


def test_without_probing_a_model_is_not_called(sayso: Sayso, model_server) -> None:
    flags = ("--model", "other", "--base-url", model_server.url)

    code, found = examined(sayso, *flags, "--no-probe")

    assert (code, found["model"]["can"], model_server.requests) == (0, None, [])
    model_server.answers = lambda heard: {"answer": "Hello Ana"}
    assert "the server does not list other among its models" in examined(sayso, *flags)[1]["advice"]


def test_a_model_that_cannot_be_reached_is_broken(sayso: Sayso, model_server) -> None:
    model_server.close()

    code, found = examined(sayso, "--model", "scripted", "--base-url", model_server.url)

    assert code == 2
    assert found["model"]["can"]["reachable"] is False
    assert "the connection failed" in found["broken"][0]


def test_a_model_without_its_key_is_broken(sayso: Sayso) -> None:
    code, found = examined(sayso, "--model", "gpt-4o")

    assert code == 2
    assert "OPENAI_API_KEY is not set" in found["broken"][0]


def test_no_secret_is_shown(sayso: Sayso, model_server, monkeypatch, says) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    address = model_server.url.replace("//", "//ana:pass-word@") + "?token=hush-hush"
    model_server.answers = lambda heard: says(status=401, error=f"wrong key {KEY} at {heard.path}")

    for flags in ((), ("--json",)):
        ran = sayso("doctor", "--model", "scripted", "--base-url", address, *flags)
        assert ran.code == 2
        for secret in (KEY, "pass-word", "hush"):
            assert secret not in ran.out + ran.err
    assert "[key]@127.0.0.1" in ran.out


def test_the_host_of_traces_is_named(sayso: Sayso, monkeypatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "https://traces.example/api")

    assert examined(sayso)[1]["tracing"] == {"host": "traces.example", "used": False}


def test_an_address_of_traces_that_holds_a_secret_does_not_show_it(
    sayso: Sayso, monkeypatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "ana:pass-word@traces.example/api")

    assert examined(sayso)[1]["tracing"]["host"] == "traces.example"


def test_people_get_it_in_parts(imported: Sayso) -> None:
    out = imported("doctor").out

    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "Settings",
        "Versions",
        "Data",
        "Chats",
        "Prompts",
        "Model",
        "Tracing",
        "all is well",
    ]
    assert "  trip  8 messages  English  all-MiniLM-L6-v2-chats-7-int8  index whole" in out


@pytest.mark.parametrize(
    ("embeddings", "told"),
    [
        ("no_such_module:made", "no_such_module"),
        ("openai:text-embedding-3-small", "offline: embeddings = 'openai:text-embedding-3-small'"),
    ],
)
def test_embeddings_that_cannot_be_had_are_broken(
    sayso: Sayso, monkeypatch, embeddings, told
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("SAYSO_EMBEDDINGS", embeddings)

    code, found = examined(sayso, "--offline")

    assert code == 2
    assert told in found["broken"][0]


def test_files_of_the_built_in_models_that_are_damaged_are_broken(
    sayso: Sayso, tmp_path: Path, monkeypatch
) -> None:
    damaged = tmp_path / "minilm-fitted.npy"
    damaged.write_bytes(int8_model.FITTED.read_bytes()[:-1])
    monkeypatch.setattr(int8_model, "FITTED", damaged)
    monkeypatch.setattr(pair_reader, "READER", tmp_path / "minilm-reader.npy")

    code, found = examined(sayso)

    assert code == 2
    assert [told.split(":")[0] for told in found["broken"]] == [
        str(damaged),
        str(tmp_path / "minilm-reader.npy"),
    ]
    assert "damaged" in found["broken"][0]
    assert "missing" in found["broken"][1]
    assert all("reinstall" in told for told in found["broken"])


def test_a_package_and_a_lexicon_that_are_not_there_are_broken_and_hide_nothing(
    imported: Sayso, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(categories, "_LEXICON", tmp_path / "categories.json")
    monkeypatch.setattr(examining, "version", lambda name: _without(name, "onnxruntime"))

    code, found = examined(imported)

    assert code == 2
    packages, lexicon = found["broken"]
    assert packages.startswith("onnxruntime: not installed; reinstall")
    assert lexicon.startswith(f"{tmp_path / 'categories.json'}: missing; reinstall")
    assert [c["chatId"] for c in found["chats"]] == ["trip"]


def _without(name: str, missing: str) -> str:
    if name == missing:
        raise PackageNotFoundError(name)
    return "1"


def test_weights_that_cannot_be_used_are_broken(sayso: Sayso, tmp_path: Path, monkeypatch) -> None:
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    path = tmp_path / "mine.json"
    monkeypatch.setenv("SAYSO_WEIGHTS", str(path))
    told = []
    for group, name in (("cuts", "abstain"), ("ranking", "own"), ("relevance", "share")):
        less = json.loads(json.dumps(held))
        del (less["cuts"] if group == "cuts" else less["groups"][group])[name]
        path.write_text(json.dumps(less), encoding="utf-8")
        code, found = examined(sayso)
        told.append((code, *found["broken"]))
    path.write_text(json.dumps(held), encoding="utf-8")

    assert [code for code, _ in told] == [2, 2, 2]
    assert all(text.startswith(f"{path}: ") for _, text in told)
    assert "cuts.abstain lacks" in told[0][1]
    assert "no ranking weight for own" in told[1][1]
    assert "no relevance weight for share" in told[2][1]
    assert examined(sayso)[0] == 0


def test_an_index_that_may_not_be_read_is_broken(imported: Sayso, home: Path) -> None:
    (place,) = (home / "indexes").glob("*-*/meaning")

    def refused(folder, *more):
        if Path(folder) == place:
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder, *more)

    with pytest.MonkeyPatch.context() as locked:
        listed = os.listdir
        locked.setattr(os, "listdir", refused)
        code, found = examined(imported)

    assert code == 2
    assert found["broken"] == [
        f"the index of trip is unreadable: {place}: Permission denied; change its rights"
    ]
    assert found["advice"] == []
