"""Chats to learn from, and to be judged by: every question's evidence is there, or it says there is none."""

from pathlib import Path

import pytest

from eval.case_files import read_cases
from eval.gold import truth_of
from sayso.chats.store import read_chat

ARC_DATA = Path(__file__).parents[2] / "arc_data"
FOLDERS = {"lessons": 38, "lessons_zh": 6, "unseen": 10, "unseen_eight": 3, "unseen_zh": 2}
# Questions of a chat with an answer, and without.
LEAST = {
    "lessons": (301, 80),
    "lessons_zh": (301, 80),
    "unseen": (350, 78),
    "unseen_eight": (150, 40),
    "unseen_zh": (270, 77),
}
STRUCK = {"new_in_town": 2}  # absent ones that a second reader found answered after all
# The last thirteen lessons have no developments: with theirs, those that are there were refused more.
WITH_ARCS = {"lessons": 25, "lessons_zh": 6, "unseen": 10, "unseen_zh": 2}
LESSONS = [file for name in FOLDERS for file in (ARC_DATA / name).glob("chats/*")]
ARCS = [file for name in WITH_ARCS for file in (ARC_DATA / name).glob("cases/arc/*")]


def split_of(file):
    return "test" if file.parents[1].name.startswith("unseen") else "train"


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_has_its_evidence_in_its_chat(file):
    chat = read_chat(file)
    cases = read_cases([file.parents[1] / "cases" / "qa" / file.name], "qa").cases

    absent = [one for one in cases if not one.case.answerable]
    asked, unanswered = LEAST[file.parents[1].name]
    assert len(cases) - len(absent) >= asked
    assert len(absent) + STRUCK.get(file.stem, 0) >= unanswered
    for one in cases:
        truth = truth_of(one.case, chat)
        assert bool(truth.expected.local_ids) == one.case.answerable, one.case.case_id
        assert truth.gold != "unreachable", one.case.case_id
        assert not truth.expected.unreachable, one.case.case_id
        assert one.case.split == split_of(file)
    questions = [one.case.question for one in cases]
    assert len(questions) == len(set(questions))


@pytest.mark.parametrize(("name", "chats"), FOLDERS.items())
def test_every_chat_has_its_questions(name, chats):
    found = {file.stem for file in (ARC_DATA / name).glob("chats/*")}

    assert found == {file.stem for file in (ARC_DATA / name).glob("cases/qa/*")}
    assert len(found) == chats


def test_nothing_that_is_learned_from_is_judged_by():
    said = {"train": set(), "test": set()}
    for file in LESSONS:
        said[split_of(file)] |= {m.text for m in read_chat(file).messages if len(m.text) > 60}

    assert all(said.values())
    assert not said["train"] & said["test"]


@pytest.mark.parametrize(("name", "chats"), WITH_ARCS.items())
def test_as_many_chats_as_told_have_developments(name, chats):
    assert len(list((ARC_DATA / name).glob("cases/arc/*"))) == chats


@pytest.mark.parametrize("file", ARCS, ids=lambda file: file.stem)
def test_a_lesson_has_developments_and_some_that_are_none(file):
    said = file.parents[2] / "chats" / file.name
    chat, cases = read_chat(said), read_cases([file], "arc").cases

    absent = [one for one in cases if not one.case.phases]
    assert (len(cases) - len(absent), len(absent)) == (10, 8)
    for one in cases:
        truth = truth_of(one.case, chat)
        assert truth.gold == ("full" if one.case.phases else "none"), one.case.case_id
        assert one.case.split == split_of(said)
    questions = [one.case.question for one in cases]
    assert len(questions) == len(set(questions))
