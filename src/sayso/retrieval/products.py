"""Products of matrices that stay on one thread.

OpenBLAS splits more than some 260,000 multiplications over its threads, and the others then wait
for more work, at full load, for longer than all of a question takes: of a chat of 1,500 messages a
question cost twice the time.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_F = TypeVar("_F", np.float32, np.float64)

AT_ONCE = 2**18


def product(rows: NDArray[_F], by: NDArray[_F]) -> NDArray[_F]:
    """What ``rows @ by`` is, for rows of shape (n, d) and d weights, or a matrix of d rows."""
    made = np.empty((len(rows), *by.shape[1:]), dtype=rows.dtype)
    size = max(AT_ONCE // max(by.size, 1), 1)
    for begin in range(0, len(rows), size):
        block = slice(begin, begin + size)
        np.matmul(rows[block], by, out=made[block])
    return made
