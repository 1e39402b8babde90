import numpy as np
import pytest

from sayso.retrieval.neighbours import PAIR, WINDOW, Sessions


def sessions(*number: int) -> Sessions:
    return Sessions(np.asarray(number, dtype=np.int32))


def test_neighbours_are_summed_within_the_session_only():
    values = np.asarray([1, 2, 4, 8], dtype=np.float32)
    held = sessions(0, 0, 1, 1)

    assert held.shifted(values, PAIR).tolist() == [1, 3, 4, 12]
    assert held.shifted(values, WINDOW).tolist() == [3, 3, 12, 12]
    assert held.shifted(np.stack([values, 2 * values]), PAIR).tolist()[1] == [2, 6, 8, 24]


@pytest.mark.parametrize("size", [0, 1, 2])
def test_fewer_messages_than_a_window_are_summed(size):
    values = np.ones(size, dtype=np.float32)

    assert sessions(*([0] * size)).shifted(values, WINDOW).tolist() == [size] * size


def test_the_window_of_a_message_ends_with_its_session_and_the_chat():
    near, inside = sessions(0, 0, 1, 1).beside(np.asarray([0, 2]))

    assert [column[held].tolist() for column, held in zip(near.T, inside.T, strict=True)] == [
        [0, 1],
        [2, 3],
    ]
    assert near.min() >= 0
    assert near.max() <= 3


def test_each_session_begins_with_its_first_message():
    assert sessions(0, 0, 1, 2, 2).begins.tolist() == [0, 2, 3]
