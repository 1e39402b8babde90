import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eval.case_files import read_cases
from eval.chats import with_chats
from eval.gold import truth_of
from sayso.chats.importers import import_file
from sayso.core.chat import Chat
from sayso.errors import CaseError

EXPORTS = Path(__file__).parents[1] / "chats/exports"


def not_there(name: str) -> Chat:
    return import_file(Path(name))[0].chat


def test_each_question_is_a_case_of_its_own_history(tmp_path: Path) -> None:
    file = tmp_path / "oracle.json"
    dated = json.loads((EXPORTS / "longmemeval_oracle.json").read_text(encoding="utf-8"))[:2]
    file.write_text(json.dumps(dated), encoding="utf-8")

    placed = with_chats(read_cases([file], "qa").cases, folders=[], load=not_there)

    first, second = placed.cases
    assert (first.case.case_id, first.case.answer, first.dataset) == (
        "q_7a",
        "Keemun",
        "longmemeval",
    )
    assert truth_of(first.case, first.chat).expected.local_ids == (5,)
    assert first.chat.by_id[5].text == "I bought Keemun today."
    assert (second.case.answerable, second.case.answer) == (False, 3)
    assert truth_of(second.case, second.chat).gold == "none"
    assert second.case.category == "knowledge-update"


def test_a_file_of_one_question_is_its_chat() -> None:
    (case,) = read_cases([EXPORTS / "longmemeval_one.json"], "qa").cases

    (ready,) = with_chats([case], folders=[], load=not_there).cases

    assert ready.chat.chat_id == "solo"
    assert truth_of(ready.case, ready.chat).expected.local_ids == (5,)


def test_a_question_that_is_no_text_is_a_case_error(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    given = json.loads((EXPORTS / "longmemeval_one.json").read_text(encoding="utf-8"))
    file.write_text(json.dumps([given[0] | {"question": 3}]), encoding="utf-8")

    with pytest.raises(CaseError, match="question = 3"):
        read_cases([file], "qa")


def test_the_date_of_a_question_is_when_it_is_asked() -> None:
    path = EXPORTS / "longmemeval_one.json"

    (filed,) = read_cases([path], "qa").cases

    assert filed.case.asked_at == datetime(2023, 6, 1, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize("date", [None, "soon", 7])
def test_a_question_without_a_date_that_can_be_read_has_none(tmp_path: Path, date: object) -> None:
    path = tmp_path / "one.json"
    (question,) = json.loads((EXPORTS / "longmemeval_one.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps([question | {"question_date": date}]), encoding="utf-8")

    assert read_cases([path], "qa").cases[0].case.asked_at is None
