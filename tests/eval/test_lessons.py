"""What is shipped to learn from: every question's evidence is there, or it says that there is none."""

from pathlib import Path

import pytest

from eval.case_files import read_cases
from eval.gold import truth_of
from sayso.chats.store import read_chat

ARC_DATA = Path(__file__).parents[2] / "arc_data"
LESSONS = [file for name in ("lessons", "lessons_zh") for file in (ARC_DATA / name).glob("chats/*")]


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_has_its_evidence_in_its_chat(file):
    chat = read_chat(file)
    cases = read_cases([file.parents[1] / "cases" / "qa" / file.name], "qa").cases

    absent = [one for one in cases if not one.case.answerable]
    assert len(cases) - len(absent) > 300
    assert len(absent) >= 80
    for one in cases:
        truth = truth_of(one.case, chat)
        assert bool(truth.expected.local_ids) == one.case.answerable, one.case.case_id
        assert truth.gold != "unreachable", one.case.case_id
        assert not truth.expected.unreachable, one.case.case_id
        assert one.case.split == "train"
    questions = [one.case.question for one in cases]
    assert len(questions) == len(set(questions))


def test_every_chat_of_the_lessons_has_its_questions():
    assert {file.stem for file in LESSONS} == {
        file.stem
        for name in ("lessons", "lessons_zh")
        for file in (ARC_DATA / name).glob("cases/qa/*")
    }
    assert len(LESSONS) == 23


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_has_developments_and_some_that_are_none(file):
    chat = read_chat(file)
    cases = read_cases([file.parents[1] / "cases" / "arc" / file.name], "arc").cases

    absent = [one for one in cases if not one.case.phases]
    assert (len(cases) - len(absent), len(absent)) == (10, 8)
    for one in cases:
        truth = truth_of(one.case, chat)
        assert truth.gold == ("full" if one.case.phases else "none"), one.case.case_id
        assert one.case.split == "train"
    questions = [one.case.question for one in cases]
    assert len(questions) == len(set(questions))
