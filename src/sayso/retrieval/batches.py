"""Texts of like length in batches, and batches side by side on the processors there are."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_B = TypeVar("_B")
_R = TypeVar("_R")

_BATCH_TOKENS = 2048


def batches_of(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Runs of the order whose padded size stays within the batch's tokens."""
    batches: list[list[int]] = []
    current: list[int] = []
    for i in order:
        if current and lengths[i] * (len(current) + 1) > _BATCH_TOKENS:
            batches.append(current)
            current = []
        current.append(i)
    if current:
        batches.append(current)
    return batches


@contextmanager
def side_by_side(
    run: Callable[[_B], _R], batches: Sequence[_B], threads: int | None = None
) -> Iterator[Iterator[_R]]:
    """The result of each batch, in order, on ``threads``: as many as there are processors.

    Leaving early, as by ctrl-C, waits for the batches that run and begins no other.
    """
    if len(batches) < 2:
        yield map(run, batches)
        return
    pool = ThreadPoolExecutor(min(len(batches), threads or _processors()))
    try:
        yield pool.map(run, batches)
    finally:
        pool.shutdown(cancel_futures=True)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # what this process may use, on Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
