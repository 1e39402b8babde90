"""Texts in batches, and batches side by side on the processors there are."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_B = TypeVar("_B")
_R = TypeVar("_R")

# Tokens. Fewer, and the weights go through the processor's memory too often; more, and what they make does.
BATCH = 256


def batches_of(lengths: Sequence[int], most: int = BATCH) -> list[range]:
    """Runs that have at most so many tokens, or one text of more."""
    batches: list[range] = []
    begin = size = 0
    for i, length in enumerate(lengths):
        if i > begin and size + length > most:
            batches.append(range(begin, i))
            begin, size = i, 0
        size += length
    if lengths:
        batches.append(range(begin, len(lengths)))
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
