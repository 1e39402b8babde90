import threading
import time
from threading import Event

import pytest

from sayso.retrieval.batches import batches_of, side_by_side


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([3], [[0]]),
        ([30], [[0]]),
        ([3, 7, 1], [[0, 1], [2]]),
        ([30, 1, 30, 10, 1, 9], [[0], [1], [2], [3], [4, 5]]),
    ],
)
def test_a_batch_has_at_most_so_many_tokens_or_one_text(lengths, expected):
    assert [list(batch) for batch in batches_of(lengths, 10)] == expected


def test_batches_give_their_results_in_order_whichever_ends_first():
    last_ended = Event()

    def run(batch: int) -> int:
        if batch == 0:
            assert last_ended.wait(30)
        if batch == 1:
            last_ended.set()
        return batch * 10

    with side_by_side(run, [0, 1, 2, 3], threads=2) as results:
        assert list(results) == [0, 10, 20, 30]


@pytest.mark.parametrize("fails", ["run", "progress"])
def test_an_error_ends_all_batches_and_leaves_no_thread(fails):
    begun: list[int] = []

    def run(batch: int) -> int:
        begun.append(batch)
        time.sleep(0.001)
        if fails == "run" and batch == 2:
            raise ValueError("two")
        return batch

    def all_of_them() -> None:
        with side_by_side(run, range(1000), threads=2) as results:
            for result in results:
                if fails == "progress" and result == 2:
                    raise ValueError("two")

    # Which, not how many: threads of earlier tests may end meanwhile.
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="two"):
        all_of_them()

    assert len(begun) < 1000
    assert set(threading.enumerate()) <= before
