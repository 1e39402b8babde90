import json
from pathlib import Path

import pytest

from eval.case_files import read_cases
from eval.cases import FiledCase, QaCase
from eval.chats import with_chats
from sayso.core.chat import Chat
from sayso.errors import ChatNotFoundError, InputError


class Library:
    """Loads any file that exists, and the imported chats by id; remembers what was asked."""

    def __init__(self, *imported: str) -> None:
        self.imported = imported
        self.asked: list[str] = []

    def __call__(self, name: str) -> Chat:
        self.asked.append(name)
        if name in self.imported or Path(name).is_file():
            return Chat(chat_id=Path(name).stem, title=name, platform="invented")
        raise ChatNotFoundError(name)


def _filed(file: Path, chat: str, at: int = 1, **more) -> FiledCase:
    case = QaCase(case_id=f"{chat}#{at}", chat=chat, question="Who?")
    return FiledCase(case, file, "set", **more)


def test_a_case_file_that_holds_its_chat_is_that_chat(tmp_path):
    file = tmp_path / "trip.json"
    file.touch()

    placed = with_chats([_filed(file, "trip", holds_chat=True)], folders=[], load=Library("trip"))

    assert placed.cases[0].chat.title == str(file)


def test_named_folders_come_before_the_folder_beside_and_that_before_imports(tmp_path):
    named, beside = tmp_path / "mine", tmp_path / "set/chats"
    for folder in (named, beside):
        folder.mkdir(parents=True)
        (folder / "trip.txt").touch()
    case = _filed(tmp_path / "set/cases/qa/a.jsonl", "trip")

    first = with_chats([case], folders=[named], load=Library("trip"))
    second = with_chats([case], folders=[], load=Library("trip"))
    third = with_chats([_filed(tmp_path / "a.jsonl", "trip")], folders=[], load=Library("trip"))

    assert first.cases[0].chat.title == str(named / "trip.txt")
    assert second.cases[0].chat.title == str(beside / "trip.txt")
    assert third.cases[0].chat.title == "trip"


def test_the_header_of_a_canonical_file_names_its_chat(write, tmp_path):
    write("chats/export.jsonl", [{"sayso": "chat", "version": 1, "chatId": "trip"}])

    placed = with_chats(
        [_filed(tmp_path / "x.jsonl", "trip")], folders=[tmp_path / "chats"], load=Library()
    )

    assert placed.cases[0].chat.title == str(tmp_path / "chats/export.jsonl")


def test_each_chat_is_loaded_once(tmp_path):
    library = Library("trip")
    cases = [_filed(tmp_path / "a.jsonl", "trip", at) for at in (1, 2, 3)]

    placed = with_chats(cases, folders=[], load=library)

    assert library.asked == ["trip"]
    assert len({id(ready.chat) for ready in placed.cases}) == 1


def test_all_missing_chats_are_listed_in_one_error(tmp_path):
    cases = [_filed(tmp_path / "a.jsonl", chat) for chat in ("x", "trip", "y")]

    with pytest.raises(ChatNotFoundError, match=r"chats that are not there: x, y;.*--chats"):
        with_chats(cases, folders=[], load=Library("trip"))


def test_two_files_that_could_be_the_chat_are_a_clear_question(tmp_path):
    for name in ("trip.txt", "trip.json"):
        (tmp_path / name).touch()

    with pytest.raises(InputError, match=r"any of trip\.json, trip\.txt"):
        with_chats([_filed(tmp_path / "a", "trip")], folders=[tmp_path], load=Library())


def test_each_conversation_of_a_file_of_several_is_the_chat_of_its_own_cases(tmp_path):
    file = tmp_path / "all.json"
    held = [
        {
            "sample_id": name,
            "conversation": {
                "speaker_a": "Ana", "speaker_b": "Bo", "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": said}],
            },
            "qa": [{"question": "What?", "answer": said, "evidence": ["D1:1"], "category": 4}],
        }
        for name, said in (("c-1", "a kayak"), ("c-2", "a violin"))
    ]  # fmt: skip
    file.write_text(json.dumps(held))
    cases = read_cases([file], "qa").cases

    placed = with_chats(cases, folders=[], load=Library())

    assert [(r.case.answer, r.chat.messages[0].text) for r in placed.cases] == [
        ("a kayak", "a kayak"),
        ("a violin", "a violin"),
    ]
    assert [ready.chat.chat_id for ready in placed.cases] == ["c-1", "c-2"]
    assert list(placed.files.values()) == [file, file]


def test_a_conversation_in_which_nothing_is_said_is_told_as_missing(tmp_path):
    file = tmp_path / "all.json"
    session = [{"speaker": "Ana", "dia_id": "D1:1", "text": "a kayak"}]
    qa = [{"question": "What?", "answer": "A", "evidence": ["D1:1"], "category": 4}]
    said = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": session}
    file.write_text(
        json.dumps(
            [
                {"sample_id": "c-1", "conversation": said, "qa": qa},
                {"sample_id": "c-2", "conversation": {}, "qa": qa},
            ]
        )
    )

    with pytest.raises(ChatNotFoundError, match=r"not there: .*all\.json, c-2;"):
        with_chats(read_cases([file], "qa").cases, folders=[], load=Library())
