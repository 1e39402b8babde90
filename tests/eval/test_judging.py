import json

import pytest

from eval.cases import QaCase, ReadyCase
from eval.judging import Verdict, judge, load_judge
from eval.replay import replay, tasks_of
from eval.scoring import score
from sayso.core.trail import Usage
from sayso.errors import PromptError
from sayso.paths import prompts_dir
from sayso.reasoning.calling import CallError, Spent, Told


class Scripted:
    """Judges by a word of the answer; fails where the answer says "strange"."""

    name, window, completion = "judge-1", None, 4096

    def __init__(self):
        self.asked = []

    def ask(self, request, meter, listen=None):
        self.asked.append(request)
        if "strange" in request.user:
            raise CallError("prose", "no JSON", Spent(Usage(model_calls=2), raw=("hm",)))
        word = "correct" if "So it was" in request.user else "wrong"
        return Told(Verdict(verdict=word, why="so"), Usage(model_calls=1, prompt_tokens=7))


@pytest.fixture
def ready(chat):
    cases = [
        QaCase(case_id="a", chat="trip", question="a", answer="It was"),
        QaCase(case_id="b", chat="trip", question="b", answer="strange"),
        QaCase(case_id="c", chat="trip", question="c"),
        QaCase(case_id="d", chat="trip", question="d", answerable=False),
    ]
    return [ReadyCase(case, chat, "set") for case in cases]


@pytest.fixture
def rows(ready, deps_for, scripted, script):
    said = {q: script(cited={1: (0, 1)}) for q in "abc"}
    tasks = tasks_of(ready, ["agent"])
    return [score(run) for run in replay(tasks, {"agent": scripted(said)}, deps_for=deps_for)]


@pytest.fixture
def prompt():
    return load_judge(prompts_dir())


def test_verdicts_are_counted_and_what_cannot_be_parsed_stands_apart(rows, ready, prompt, tmp_path):
    told = judge(rows, ready, Scripted(), prompt, tmp_path)

    # c has no gold answer; d abstained, and "nothing to be found" is judged as any answer.
    assert told["modes"]["agent"] == {
        "correct": 1, "partly": 0, "wrong": 1, "unparsable": 1, "failed": 0, "score": 0.5, "n": 2,
    }  # fmt: skip
    assert (told["model"], told["digest"]) == ("judge-1", prompt.digest)
    assert told["usage"]["model_calls"] == 4


def test_no_verdict_is_asked_for_twice_and_a_failed_one_is(rows, ready, prompt, tmp_path):
    judge(rows, ready, Scripted(), prompt, tmp_path)
    with (tmp_path / "judge.jsonl").open("a") as file:
        file.write('{"case_id": "a", "mo')
    again = Scripted()

    told = judge(rows, ready, again, prompt, tmp_path)

    assert ["strange" in request.user for request in again.asked] == [True]
    assert told["modes"]["agent"]["correct"] == 1


def test_half_a_verdict_costs_none_of_those_around_it(rows, ready, prompt, tmp_path):
    judge(rows[:1], ready, Scripted(), prompt, tmp_path)
    with (tmp_path / "judge.jsonl").open("ab") as file:
        file.write('{"case_id": "d", "why": "où'.encode()[:-1])
    judge(rows, ready, Scripted(), prompt, tmp_path)
    again = Scripted()

    judge(rows, ready, again, prompt, tmp_path)

    assert ["strange" in request.user for request in again.asked] == [True]


@pytest.mark.parametrize(
    "fields",
    [{"verdict": "splendid"}, {"verdict": ["correct"]}, {"verdict": None}, {"case_id": []}],
)
def test_a_kept_verdict_that_is_none_is_asked_for_again(rows, ready, prompt, tmp_path, fields):
    judge(rows[:1], ready, Scripted(), prompt, tmp_path)
    path = tmp_path / "judge.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields) + "\n")

    told = judge(rows[:1], ready, Scripted(), prompt, tmp_path)

    assert told["modes"]["agent"]["correct"] == 1


def test_a_call_without_a_reply_is_no_unparsable_verdict(rows, ready, prompt, tmp_path):
    class Away(Scripted):
        def ask(self, request, meter, listen=None):
            raise CallError("connection", "refused", Spent(Usage(model_calls=1), raw=()))

    told = judge(rows[:1], ready, Away(), prompt, tmp_path)

    assert (told["modes"]["agent"]["failed"], told["modes"]["agent"]["unparsable"]) == (1, 0)
    assert told["modes"]["agent"]["score"] is None


def test_another_model_judges_anew(rows, ready, prompt, tmp_path):
    judge(rows, ready, Scripted(), prompt, tmp_path)
    other = Scripted()
    other.name = "judge-2"

    judge(rows, ready, other, prompt, tmp_path)

    assert len(other.asked) == 3
    lines = [json.loads(line) for line in (tmp_path / "judge.jsonl").read_text().splitlines()]
    assert [line["model"] for line in lines] == ["judge-1"] * 3 + ["judge-2"] * 3


def test_gold_and_answer_are_data_in_the_prompt(rows, ready, prompt, tmp_path):
    caller = Scripted()

    judge(rows[:1], ready[:1], caller, prompt, tmp_path)

    user = caller.asked[0].user
    assert user.count("<<<DATA") == 2
    assert user.index("It was") < user.index("So it was.")


def test_a_judge_without_its_variables_is_a_prompt_error(tmp_path):
    (tmp_path / "eval").mkdir()
    text = (prompts_dir() / "eval/judge.md").read_text("utf-8").replace("$expected", "it")
    (tmp_path / "eval/judge.md").write_text(text, "utf-8")

    with pytest.raises(PromptError, match=r"lacks \$expected"):
        load_judge(tmp_path)
