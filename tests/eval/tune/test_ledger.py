import json
from dataclasses import replace

import pytest

from eval.tune.ledger import Ledger, Use, mark_of
from sayso.errors import StoreError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tested.jsonl"


def use(cases, winner="w", **other):
    marks = tuple(mark_of(ready) for ready in cases)
    return Use("2024-03-01T10:00:00+00:00", "oneshot/q4", marks, "s", winner, "runs/1", **other)


def test_a_use_is_found_by_any_of_its_cases(path, cases):
    Ledger(path).note(use(cases[:2]))

    assert [u.winner for u in Ledger(path).uses(cases[1:3])] == ["w"]
    assert Ledger(path).uses(cases[2:]) == ()
    assert Ledger(path).uses([]) == ()


def test_cases_that_were_learned_from_are_told_apart_from_those_that_were_scored(path, cases):
    ledger = Ledger(path)
    ledger.note(use(cases[:2], winner="", was="learned"))
    ledger.note(use(cases[2:4]))

    assert ledger.uses(cases[:2]) == ()
    assert len(ledger.learned(cases[:2])) == 1
    assert ledger.learned(cases[2:4]) == ()


def test_of_two_runs_that_note_their_use_at_once_one_finds_the_other(path, cases):
    first, second = Ledger(path), Ledger(path)

    assert first.others(cases[:2], "s", "mine") == second.others(cases[:2], "s", "yours") == ()
    assert first.note(use(cases[:2], "mine")) == ()
    assert [u.winner for u in second.note(use(cases[:2], "yours"))] == ["mine"]
    assert first.note(use(cases[:2], "mine")) == (), "the same use stands there once"
    assert len(path.read_text().splitlines()) == 2


def test_another_name_or_split_makes_no_other_case_and_another_question_does(cases):
    one = cases[0]
    told = one.case.model_copy(
        update={"case_id": "x", "split": "test", "category": "other", "question": " what ABOUT the train0?"}
    )  # fmt: skip
    longer = one.chat.model_copy(update={"messages": one.chat.messages[:-1]})

    assert mark_of(replace(one, case=told, chat=longer)) == mark_of(one)
    assert mark_of(cases[1]) != mark_of(one)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"[1]", "line: Input should be an object"),
        (b"null", "line: Input should be an object"),
        (b'{"half', "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b'{"at": 5, "step": "s", "cases": [], "seed": "", "winner": "", "where": ""}', "at: "),
        (
            b'{"at": "", "step": "s", "cases": "ab", "seed": "", "winner": "", "where": ""}',
            "cases: ",
        ),
        (b'{"at": "2024"}', "step: "),
    ],
    ids=["list", "null", "half", "no text", "no date", "no list", "less"],
)
def test_a_line_that_is_no_use_is_named_with_what_is_wrong(path, cases, line, fault):
    Ledger(path).note(use(cases[:1]))
    path.write_bytes(path.read_bytes() + line + b"\n")

    with pytest.raises(StoreError, match=r"tested.jsonl:2: no use of a test set") as raised:
        Ledger(path).uses(cases)

    assert fault in str(raised.value)


def test_an_edited_ledger_may_have_blank_lines_and_no_line_break_at_its_end(path, cases):
    Ledger(path).note(use(cases[:1]))
    path.write_text("\n" + path.read_text().rstrip("\n") + "\n\n  ")

    Ledger(path).note(use(cases[:1], "other"))

    assert [u.winner for u in Ledger(path).uses(cases[:1])] == ["w", "other"]
    assert all(json.loads(line) for line in path.read_text().splitlines() if line.strip())


def test_a_ledger_that_cannot_be_read_is_named(tmp_path, cases):
    with pytest.raises(StoreError, match="cannot be read"):
        Ledger(tmp_path).uses(cases)
