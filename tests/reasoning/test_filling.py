"""What every step tells a model of the chat."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from sayso.core.models import Question
from sayso.reasoning.filling import shared

TAIPEI = ZoneInfo("Asia/Taipei")


def test_a_model_is_told_when_a_question_was_asked_on_the_chats_clock(make_chat):
    chat = make_chat(
        ("Ana", "hi", datetime(2024, 5, 1, 9, 0, tzinfo=TAIPEI)), timezone="Asia/Taipei"
    )
    asked_at = datetime(2024, 5, 31, 20, 0, tzinfo=UTC)  # four in the morning there

    told = shared(Question(text="x", chat_id="c", asked_at=asked_at), chat, {})["chat"]
    untold = shared(Question(text="x", chat_id="c"), chat, {})["chat"]

    assert told == f"{untold}\nThe question was asked on 2024-06-01"
    assert "Messages: 1, from 2024-05-01 to 2024-05-01" in untold
