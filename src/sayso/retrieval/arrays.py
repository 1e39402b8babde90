"""Arrays read from files, one at a time.

numpy reads a file's header with :func:`ast.literal_eval`, and CPython 3.11 miscounts its depth where
threads do so side by side ("AST constructor recursion depth mismatch", a SystemError).
"""

from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

_ONE_AT_A_TIME = Lock()


def loaded(source: Path | BinaryIO, *, mapped: bool = False) -> NDArray[Any]:
    """The array of a ``.npy`` file, as a plain array; ``mapped``, over the file and read-only.

    Raises OSError where it cannot be read and ValueError where it is none.
    """
    mode: Literal["r"] | None = "r" if mapped else None
    with _ONE_AT_A_TIME:
        # A memmap's own class makes every small operation slower.
        return np.asarray(np.load(source, mmap_mode=mode, allow_pickle=False))
