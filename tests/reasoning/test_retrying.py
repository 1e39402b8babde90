import threading
from contextvars import ContextVar
from datetime import UTC, datetime

import pytest

from sayso.reasoning.retrying import Abandoned, Waits, pause_before, retry_after, within

NOW = datetime(2026, 3, 2, 12, 0, 0, tzinfo=UTC)


def waits(chance: float = 0.0) -> Waits:
    return Waits(chance=lambda: chance, now=lambda: NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0), ("17", 17.0), ("1.5", 1.5),
        ("Mon, 02 Mar 2026 12:00:30 GMT", 30.0), ("Mon, 02 Mar 2026 11:00:00 GMT", 0.0),
        ("soon", None), ("-5", None), ("nan", None), ("inf", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_retry_after_is_seconds_or_a_date(value, seconds):
    assert retry_after(value, NOW) == seconds


def test_pauses_double_up_to_half_a_minute():
    pauses = [pause_before(attempt, None, waits()) for attempt in range(1, 9)]

    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


def test_chance_spreads_a_pause_to_twice_its_least():
    assert pause_before(1, None, waits(chance=1.0)) == 1.0


def test_what_the_server_asks_for_is_waited_in_full():
    assert pause_before(1, "40", waits()) == 40.0


def test_the_result_of_a_call_comes_back_with_its_pieces_in_order():
    heard = []

    def call(line):
        line.piece("a")
        line.piece("b")
        return 7

    assert within(5, call, heard.append) == 7
    assert heard == ["a", "b"]


def test_pieces_are_heard_in_the_thread_that_waits():
    heard = []

    within(5, lambda line: line.piece("a"), lambda _: heard.append(threading.current_thread()))

    assert heard == [threading.current_thread()]


def test_an_error_of_the_call_is_raised_where_it_is_waited_for():
    def call(line):
        raise KeyError("x")

    with pytest.raises(KeyError):
        within(5, call)


def test_a_call_that_does_not_end_is_left_and_learns_of_it_at_its_next_piece():
    left, learnt = threading.Event(), threading.Event()

    def call(line):
        left.wait(10)
        try:
            line.piece("late")
        except Abandoned:
            learnt.set()

    with pytest.raises(Abandoned):
        within(0.05, call)
    left.set()

    assert learnt.wait(10)


def test_a_call_sees_the_context_of_whoever_waits():
    word: ContextVar[str] = ContextVar("word")
    word.set("here")

    assert within(5, lambda line: word.get()) == "here"
