from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sayso.core.chat import Chat, Message
from sayso.reasoning.showing import show
from sayso.reasoning.token_estimate import estimate

PLENTY = 100_000
EVERYONE = range(1, 1000)


def said(i: int, text: str, hours: float, **more) -> Message:
    sent_at = datetime(2024, 3, 2, 9, 0, tzinfo=UTC) + timedelta(hours=hours)
    return Message(local_id=i, sender=("Ana", "Bo")[i % 2], sent_at=sent_at, text=text, **more)


def chat_of(*messages: Message, timezone: str = "UTC") -> Chat:
    return Chat(
        chat_id="c", title="c", platform="invented", timezone=timezone,
        participants=("Ana", "Bo"), messages=messages,
    )  # fmt: skip


def numbered(n: int = 40, text: str = "message") -> Chat:
    return chat_of(*(said(i, f"{text} {i}", i / 60) for i in range(1, n + 1)))


def test_messages_stand_in_conversation_order_among_their_neighbours_a_session_a_day():
    chat = chat_of(
        said(1, "hi", 0), said(2, "hello", 0.1), said(3, "the kayak?", 0.2), said(4, "yes!", 0.3),
        said(5, "good", 0.4), said(6, "and the paddle", 0.5), said(7, "hm", 0.6), said(8, "x", 0.7),
        said(9, "new day", 30),
    )  # fmt: skip

    shown = show(chat, [9, 3], {2, 3, 4, 6}, room=PLENTY)

    assert shown.text == (
        "== Saturday 2024-03-02 ==\n"
        "[1] 2024-03-02 09:06 Ana: hello\n"
        "[2] 2024-03-02 09:12 Bo: the kayak?\n"
        "[3] 2024-03-02 09:18 Ana: yes!\n"
        "== Sunday 2024-03-03 ==\n"
        "[4] 2024-03-03 15:00 Bo: new day"
    )
    assert shown.numbers == (2, 3, 4, 9)
    assert [shown.local_id(n) for n in (0, 1, 4, 5, -1)] == [None, 2, 9, None, None]


def test_what_is_skipped_within_a_session_is_marked():
    assert (
        "message 5\n…\n[6] 2024-03-02 09:18 Ana: message 18"
        in show(numbered(), [3, 20], EVERYONE, room=PLENTY).text
    )


def test_a_picture_shows_its_caption_and_what_has_no_words_its_kind():
    chat = chat_of(
        said(1, "", 0, kind="photo", caption="a red\nkayak"),
        said(2, "look", 0.1, kind="photo", caption="the lake"),
        said(3, "", 0.2, kind="voice"),
    )

    assert show(chat, [1, 2, 3], (), room=PLENTY).text.splitlines()[1:] == [
        "[1] 2024-03-02 09:00 Bo: (photo: a red kayak)",
        "[2] 2024-03-02 09:06 Ana: look (photo: the lake)",
        "[3] 2024-03-02 09:12 Bo: (voice)",
    ]


def test_a_reply_says_what_it_answers():
    chat = chat_of(
        said(1, "Is the kayak yours?", 0), *(said(i, "so", i / 60) for i in range(2, 9)),
        said(9, "yes", 0.5, reply_to=1), said(10, "no", 0.6, reply_to=9),
    )  # fmt: skip

    assert show(chat, [9, 10], (), room=PLENTY).text.splitlines()[1:] == [
        '[1] 2024-03-02 09:30 Bo: yes (in reply to Bo: "Is the kayak yours?")',
        "[2] 2024-03-02 09:36 Ana: no (in reply to [1])",
    ]


def test_times_are_the_chats_own():
    chat = chat_of(said(1, "late", 13), timezone="Asia/Tokyo")

    assert show(chat, [1], (), room=PLENTY).text == (
        "== Sunday 2024-03-03 ==\n[1] 2024-03-03 07:00 Bo: late"
    )


def test_system_lines_are_no_neighbours():
    chat = chat_of(said(1, "joined", 0, kind="system"), said(2, "hi", 0.1))

    assert show(chat, [2], EVERYONE, room=PLENTY).numbers == (2,)


def test_what_does_not_fit_is_left_out_from_the_end_of_the_ranking():
    chat = numbered(400, "a message of some length about nothing in particular")
    ranked = [10 * i for i in range(40, 0, -1)]

    shown = show(chat, ranked, EVERYONE, room=600)

    assert estimate(shown.text) <= 600
    assert shown.beside == 1
    assert 0 < len(shown.left_out) < 40
    assert shown.left_out == tuple(ranked[-len(shown.left_out) :])
    assert set(ranked) - set(shown.left_out) <= set(shown.numbers)


def test_neighbours_thin_out_before_candidates_go():
    chat = numbered()
    with_two = show(chat, [10, 20, 30], EVERYONE, room=PLENTY)

    shown = show(chat, [10, 20, 30], EVERYONE, room=estimate(with_two.text) - 1)

    assert (with_two.beside, shown.beside, shown.left_out) == (2, 1, ())


def test_a_single_message_larger_than_the_window_is_cut():
    chat = chat_of(said(1, "word " * 5000, 0))

    shown = show(chat, [1], (), room=100)

    assert shown.numbers == (1,)
    assert shown.text.endswith("[…]")
    assert estimate(shown.text) <= 100


def test_shuffling_moves_stretches_and_keeps_them_whole():
    chat = numbered()
    straight = show(chat, [5, 15, 25, 35], EVERYONE, room=PLENTY)

    shuffled = show(chat, [5, 15, 25, 35], EVERYONE, room=PLENTY, shuffled="1")

    assert shuffled.numbers != straight.numbers
    assert sorted(shuffled.numbers) == sorted(straight.numbers)
    assert shuffled == show(chat, [5, 15, 25, 35], EVERYONE, room=PLENTY, shuffled="1")
    at = shuffled.numbers.index(13)
    assert shuffled.numbers[at : at + 5] == (13, 14, 15, 16, 17)


@given(st.lists(st.text(st.characters(), min_size=1, max_size=40), min_size=1, max_size=8))
def test_any_text_of_a_message_is_one_numbered_line(texts):
    chat = chat_of(*(said(i, text, i / 60) for i, text in enumerate(texts, 1)))

    shown = show(chat, list(range(1, len(texts) + 1)), (), room=PLENTY)

    lines = [line for line in shown.text.splitlines() if line != "…"][1:]
    assert len(lines) == len(texts)
    assert all(line.startswith(f"[{n}] 2024-03-02 09:") for n, line in enumerate(lines, 1))
