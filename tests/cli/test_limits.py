from datetime import UTC, date, datetime

import click
import pytest

from sayso.cli.limits import DayType, Limits, resolve
from sayso.core.chat import Chat, Message, Participant
from sayso.errors import InputError

CHAT = Chat(
    chat_id="trip",
    title="Trip",
    platform="test",
    timezone="Asia/Shanghai",
    participants=(
        Participant(name="Emi Sato", aliases=("Em", "小惠")),
        Participant(name="Emil"),
        Participant(name="Ana María"),
    ),
    messages=(
        Message(local_id=1, sender="Guest", sent_at=datetime(2024, 1, 1, tzinfo=UTC), text="hi"),
    ),
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Emi Sato", "Emi Sato"),
        ("emi  sato", "Emi Sato"),
        ("EM", "Emi Sato"),
        ("小惠", "Emi Sato"),
        ("sato", "Emi Sato"),
        # A whole word goes before the beginning of another.
        ("Emi", "Emi Sato"),
        ("Ana", "Ana María"),
        ("guest", "Guest"),
    ],
)
def test_a_name_is_found_by_name_alias_or_the_beginning_of_a_word(typed: str, meant: str) -> None:
    assert resolve(typed, CHAT) == (meant,)


def test_a_name_that_nobody_bears_is_an_error_that_lists_the_people() -> None:
    with pytest.raises(InputError) as raised:
        resolve("Bob", CHAT)

    assert str(raised.value) == (
        "--from 'Bob' is nobody in chat trip; people: Emi Sato (Em, 小惠), Emil, Ana María, Guest"
    )


def test_a_beginning_that_several_share_is_an_error() -> None:
    with pytest.raises(InputError, match=r"means 'Emi Sato' or 'Emil' in chat trip; give more"):
        resolve("E", CHAT)


GROUP = Chat(
    chat_id="qun",
    title="Qun",
    platform="test",
    participants=tuple(Participant(name=n) for n in ("李小梅", "王建国", "黄丽芳", "王芳")),
    messages=(),
)


@pytest.mark.parametrize(("typed", "meant"), [("小李", "李小梅"), ("建国", "王建国")])
def test_a_nickname_that_a_question_may_use_is_found(typed: str, meant: str) -> None:
    assert resolve(typed, GROUP) == (meant,)


@pytest.mark.parametrize(("typed", "people"), [("老王", "王"), ("阿芳", "芳")])
def test_a_nickname_that_two_may_have_is_an_error(typed: str, people: str) -> None:
    with pytest.raises(InputError, match=rf"means '\S*{people}\S*' or '\S*{people}\S*' in chat"):
        resolve(typed, GROUP)


def test_a_nickname_learned_from_the_chat_is_found() -> None:
    said = [("Katherine", "ok"), ("Bo", "Hey Kate, up?"), ("Bo", "Good night, Kate!")]
    start = datetime(2024, 1, 1, tzinfo=UTC)
    chat = CHAT.model_copy(
        update={
            "participants": (Participant(name="Katherine"), Participant(name="Bo")),
            "messages": tuple(
                Message(local_id=i, sender=who, sent_at=start, text=text)
                for i, (who, text) in enumerate(said, 1)
            ),
        }
    )

    assert resolve("Kate", chat) == ("Katherine",)


def test_an_empty_name_is_nobody() -> None:
    with pytest.raises(InputError, match="is nobody"):
        resolve(" ", CHAT)


def test_days_are_the_chats_days_and_until_includes_its_day() -> None:
    limits = Limits(since=date(2024, 5, 2), until=date(2024, 5, 2)).within(CHAT)

    assert limits.since == datetime(2024, 5, 1, 16, tzinfo=UTC)
    assert limits.until == datetime(2024, 5, 2, 16, tzinfo=UTC)


def test_the_last_day_there_is_needs_no_day_after() -> None:
    assert Limits(until=date.max).within(CHAT).until is None


def test_the_first_day_there_is_admits_every_message() -> None:
    assert Limits(since=date.min).within(CHAT).admits(CHAT.messages[0])


def test_an_end_before_the_beginning_is_a_usage_error() -> None:
    with pytest.raises(click.UsageError, match="2024-05-02 is after --until 2024-05-01"):
        Limits(since=date(2024, 5, 2), until=date(2024, 5, 1))


def test_what_is_no_date_is_a_usage_error() -> None:
    with pytest.raises(click.BadParameter, match="write it as YYYY-MM-DD"):
        DayType().convert("last May", None, None)
