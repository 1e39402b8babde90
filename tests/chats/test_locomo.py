import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import ImportOptions, import_file
from sayso.errors import ImportFormatError


def conversation(*texts: str, time: str = "1:56 pm on 8 May, 2023") -> dict[str, Any]:
    session = [{"speaker": "A", "dia_id": f"D1:{n}", "text": t} for n, t in enumerate(texts, 1)]
    return {"speaker_a": "A", "speaker_b": "B", "session_1_date_time": time, "session_1": session}


def written(tmp_path: Path, value: object) -> Path:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(value))
    return path


def test_the_golden_export_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "locomo.json")
    chat = imported.chat

    rows = [
        (m.local_id, m.sender, m.sent_at.isoformat(), m.text, m.kind, m.source_id, m.caption)
        for m in chat.messages
    ]
    assert rows == [
        (1, "Uma", "2023-05-08T13:56:00+00:00", "I joined the choir yesterday.", "text", "D1:1", None),
        (2, "Vik", "2023-05-08T13:56:01+00:00", "Look at this!", "text", "D1:2", "a photo of a piano"),
        (3, "Vik", "2023-05-08T13:56:02+00:00", "", "photo", "D1:3", "a photo of a stage"),
        (4, "Uma", "2023-06-01T00:05:00+00:00", "Our first concert is on Friday.", "text", "D2:1", None),
    ]  # fmt: skip
    assert (chat.chat_id, chat.title, chat.platform) == ("locomo", "Uma and Vik", "locomo")


def test_a_bare_conversation_is_read_too(tmp_path: Path) -> None:
    (imported,) = import_file(written(tmp_path, conversation("hi")))

    assert imported.chat.chat_id == "talks"


def test_a_long_session_stays_within_its_minute_and_in_file_order(tmp_path: Path) -> None:
    texts = [f"n{n}" for n in range(200)]

    (imported,) = import_file(written(tmp_path, conversation(*texts)))
    messages = imported.chat.messages

    assert [m.text for m in messages] == texts
    assert messages[-1].sent_at - messages[0].sent_at < timedelta(minutes=1)
    assert len({m.sent_at for m in messages}) == 200


def test_sessions_of_one_minute_follow_each_other(tmp_path: Path) -> None:
    talk = conversation("a", "b")
    talk |= {
        "session_2": [{"speaker": "B", "text": "c"}],
        "session_2_date_time": talk["session_1_date_time"],
    }

    (imported,) = import_file(written(tmp_path, talk))

    assert [m.text for m in imported.chat.messages] == ["a", "b", "c"]


def test_every_conversation_of_a_list_is_a_chat_of_its_own(tmp_path: Path) -> None:
    samples = [
        {"sample_id": "conv-1", "conversation": conversation("one")},
        {"sample_id": "conv-1", "conversation": conversation("two")},
        {"sample_id": "../3", "conversation": conversation("three")},
        {"sample_id": "conv-4", "conversation": conversation("four")},
    ]
    path = written(tmp_path, samples)

    found = import_file(path)
    named = import_file(path, ImportOptions(chat_id="set"))

    assert [(i.chat.chat_id, i.chat.messages[0].text) for i in found] == [
        ("conv-1", "one"),
        ("talks_2", "two"),
        ("talks_3", "three"),
        ("conv-4", "four"),
    ]
    assert [i.chat.chat_id for i in named] == ["set_conv-1", "set_2", "set_3", "set_conv-4"]


def test_a_conversation_without_words_is_told_beside_the_others(tmp_path: Path) -> None:
    empty = {
        "session_1": [{"speaker": "A", "text": None}],
        "session_1_date_time": "1:00 pm on 1 May, 2023",
    }
    path = written(tmp_path, [{"conversation": conversation("hi")}, {"conversation": empty}])

    (imported,) = import_file(path)

    assert len(imported.report.warnings) == 1
    assert "no message with text" in imported.report.warnings[0]


@pytest.mark.parametrize(
    "time", [None, 5, "soon", "13:56 pm on 8 May, 2023", "1:56 pm on 31 June, 2023"]
)
def test_a_session_without_a_usable_time_is_reported(tmp_path: Path, time: Any) -> None:
    talk = conversation("lost", "too", time=time)
    with pytest.raises(ImportFormatError, match="session_1_date_time"):
        import_file(written(tmp_path, talk))

    talk |= {
        "session_2": [{"speaker": "B", "text": "kept"}],
        "session_2_date_time": "9:00 am on 1 May, 2023",
    }
    (imported,) = import_file(written(tmp_path, talk))

    assert [m.text for m in imported.chat.messages] == ["kept"]
    assert [f.where for f in imported.report.unread.shown] == ["/session_1/0", "/session_1/1"]
