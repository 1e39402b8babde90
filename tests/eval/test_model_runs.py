"""Runs of the benchmark with a model behind it: usage, repeats, whole chats, going on; over loopback."""

import json

import pytest
from click.testing import CliRunner

from eval.command import eval_command
from eval.usage import usage_line
from sayso.errors import ConfigurationError

PLAN = {"intent": "fact", "queries": ["the knee"]}
ABSTAINS = {"claims": [], "phases": [], "nothing_found": True, "answer": "Nothing says so."}


def said(heard):
    if '"nothing_found"' in heard.prompt:
        return ABSTAINS
    return {"grades": [], "missing": None} if '"grades"' in heard.prompt else PLAN


@pytest.fixture
def run(model_server, write, tmp_path, monkeypatch):
    """``sayso eval`` on three cases of an invented chat, with the scripted model unless told."""
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SAYSO_MODEL", "LANGSMITH_TRACING"):
        monkeypatch.delenv(name, raising=False)
    model_server.answers = said
    header = {"sayso": "chat", "version": 1, "chatId": "trip", "title": "Trip", "platform": "x",
              "timezone": "UTC", "participants": ["Ana", "Bo"]}  # fmt: skip
    texts = ("I booked the night train to Vienna", "Great!", "My suitcase broke", "Take mine")
    write("cases/chats/trip.jsonl", [header] + [
        {"localId": n, "sender": ("Ana", "Bo")[n % 2], "sentAt": f"2024-05-01T09:0{n}:00Z",
         "text": text, "kind": "text"} for n, text in enumerate(texts, 1)
    ])  # fmt: skip
    cases = write("cases/qa.jsonl", [
        {"chat": "trip", "question": "Which train was booked?", "evidence": [1]},
        {"chat": "trip", "question": "Whose suitcase broke?", "evidence": [3]},
    ])  # fmt: skip
    named = ("--model", "scripted", "--base-url", model_server.url)

    def ran(*flags, model=named, fresh=True):
        paths = ("--cases", str(cases)) if fresh else ()
        line = [*paths, *model, "--no-report", *flags]
        return CliRunner().invoke(eval_command, line, catch_exceptions=False)

    return ran


def modes_of(result):
    return json.loads(result.stdout)["modes"]


def folder_of(tmp_path):
    return sorted((tmp_path / "runs").iterdir())[-1]


def test_results_hold_what_each_mode_used_and_the_table_says_it_in_a_line(run):
    used = modes_of(run("--mode", "oneshot", "--json"))["oneshot"]["usage"]

    assert used["n"] == 2
    assert used["total"]["model_calls"] == 4
    assert used["total"]["prompt_tokens"] == 4000
    assert used["total"]["cached_tokens"] == 1600
    assert used["total"]["cost"] is None
    assert used["mean"]["completion_tokens"] == 40
    assert used["fell_back"] == {"steps": 0, "cases": 0}
    again = run("--mode", "oneshot").stdout
    assert "oneshot: 0 calls (0.0 a case); 4 from the cache; 0 prompt tokens;" in again


def test_steps_without_the_model_are_counted_and_cases_with_them(run, model_server):
    model_server.answers = lambda heard: "prose" if "nothing_found" in heard.prompt else said(heard)

    used = modes_of(run("--mode", "oneshot", "--json"))["oneshot"]["usage"]

    assert used["fell_back"] == {"steps": 2, "cases": 2}
    assert "2 steps without the model, in 2 cases" in usage_line(used)


def test_without_a_model_there_is_no_usage(run):
    assert modes_of(run("--json", model=()))["agent"]["usage"] is None
    assert "from the cache" not in run(model=()).stdout


def test_prices_make_a_cost(run, tmp_path):
    (tmp_path / "sayso.toml").write_text(
        '[prices]\n"scripted" = {prompt = 1.0, cached = 0.5, completion = 10.0}\n', "utf-8"
    )

    used = modes_of(run("--mode", "oneshot", "--json"))["oneshot"]["usage"]

    # Each of four calls: 600 tokens at 1, 400 at 0.5 and 20 at 10, a millionth each.
    assert used["total"]["cost"] == pytest.approx(4 * 1000e-6)


def test_repeats_never_share_a_reply_and_a_second_run_has_them_all_from_the_cache(run):
    flags = ("--mode", "oneshot", "--repeats", "3", "--json")

    first = modes_of(run(*flags))["oneshot"]["usage"]["total"]
    again = modes_of(run(*flags))["oneshot"]["usage"]["total"]

    assert (first["model_calls"], first["cache_hits"]) == (12, 0)
    assert (again["model_calls"], again["cache_hits"]) == (0, 12)


@pytest.mark.parametrize(
    ("flags", "modes"),
    [
        (("--context", "all"), ["agent", "oneshot", "whole"]),
        (("--context", "all", "--mode", "oneshot"), ["oneshot", "whole"]),
        (("--mode", "whole"), ["whole"]),
    ],
    ids=" ".join,
)
def test_whole_chats_are_a_third_arm(run, flags, modes):
    result = run(*flags, "--json")

    assert result.exit_code == 0, result.stderr
    assert list(modes_of(result)) == modes


def test_the_third_arm_needs_a_model(run, tmp_path):
    with pytest.raises(ConfigurationError, match="--model"):
        run("--context", "all", model=())

    assert not (tmp_path / "runs").exists()


def test_a_run_goes_on_with_its_own_model_unless_another_is_named(run, model_server, tmp_path):
    run("--mode", "oneshot", "--limit", "1")
    folder = str(folder_of(tmp_path))
    at = ("--base-url", model_server.url)

    for model in (at, (*at, "--model", "scripted")):
        result = run("--resume", folder, "--limit", "2", "--json", model=model, fresh=False)
        assert result.exit_code == 0, result.stderr
        assert modes_of(result)["oneshot"]["cases"] == 2
    with pytest.raises(
        ConfigurationError, match=r"--model cannot change .* 'scripted', not 'other'"
    ):
        run("--resume", folder, model=(*at, "--model", "other"), fresh=False)
    with pytest.raises(ConfigurationError, match=r"settings \(model_host\)"):
        run("--resume", folder, model=("--base-url", "http://localhost:9/v1"), fresh=False)


def test_what_reads_a_run_needs_no_model(run, tmp_path, monkeypatch):
    run("--mode", "oneshot")
    monkeypatch.setenv("SAYSO_MODEL", "gone")
    monkeypatch.setenv("SAYSO_OFFLINE", "true")
    monkeypatch.setenv("SAYSO_PROMPTS", str(tmp_path / "nowhere"))

    result = CliRunner().invoke(
        eval_command, ["rescore", str(folder_of(tmp_path)), "--json"], catch_exceptions=False
    )

    assert result.exit_code == 0
    assert json.loads(result.stdout)["modes"]["oneshot"]["usage"]["total"]["model_calls"] == 4


def test_what_a_case_took_that_failed_in_the_end_is_kept_and_counted(run, model_server, tmp_path):
    model_server.answers = lambda heard: "prose" if "nothing_found" in heard.prompt else said(heard)

    first = run("--mode", "oneshot", "--strict", "--json")
    folder = folder_of(tmp_path)
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    used = modes_of(first)["oneshot"]["usage"]

    # A plan, an answer, and that once more.
    assert [row["usage"]["model_calls"] for row in rows] == [3, 3]
    assert [row["trail"] for row in rows] == [None, None]
    assert (used["n"], used["total"]["model_calls"]) == (2, 6)
    assert used["total"]["prompt_tokens"] == 6000
    again = run("--resume", str(folder), "--json", fresh=False)
    assert modes_of(again)["oneshot"]["usage"] == used
