import io
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from sayso.retrieval import arrays
from sayso.retrieval.arrays import loaded


def test_an_array_is_read_plain_and_a_mapped_one_may_not_be_written(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6).reshape(2, 3))

    read, mapped = loaded(path), loaded(path, mapped=True)

    assert type(read) is type(mapped) is np.ndarray
    assert read.tolist() == mapped.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="read-only"):
        mapped[0, 0] = 7


def test_no_two_headers_are_read_side_by_side(monkeypatch):
    held = io.BytesIO()
    np.save(held, np.arange(3))
    inside, most, usual, start = [], [], np.load, Barrier(4)

    def watched(*args, **options):
        inside.append(1)
        most.append(len(inside))
        sys.setswitchinterval(1e-6)
        found = usual(*args, **options)
        inside.pop()
        return found

    def read(_: int) -> list[int]:
        start.wait()
        return loaded(io.BytesIO(held.getvalue())).tolist()

    monkeypatch.setattr(arrays.np, "load", watched)
    interval = sys.getswitchinterval()
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(read, range(4))) == [[0, 1, 2]] * 4
    finally:
        sys.setswitchinterval(interval)
    assert max(most) == 1


def test_what_is_no_array_is_an_error(tmp_path):
    path = tmp_path / "a.npy"
    path.write_bytes(b"junk!")

    with pytest.raises(ValueError, match="allow_pickle"):
        loaded(path)
