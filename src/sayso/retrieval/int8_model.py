"""all-MiniLM-L6-v2 in 8-bit integers: two fifths of the time of the float32 model.

The weights are the package's, bytes and all; ``minilm-int8.onnx`` multiplies them without turning
them into float32 first. It takes one text at a time: within one, nothing is padding and nothing
needs a mask, and a text cannot change with what stands beside it. ``python -m eval.int8_graph``
draws it.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.verifying import verified

_DATA = Path(__file__).parent / "data"
GRAPH = _DATA / "minilm-int8.onnx"
TABLE = _DATA / "minilm-int8.json"
_GRAPH_SHA256 = "a7edc5013dc34bdb1d0862ee9886d23df03f23b77731d5e6dbdadcc7e1037dc9"
_TABLE_SHA256 = "0d7a1e8554f179137b2c768b9d521dd39269faa4ad4e438ea46118d3c473b47f"


def int8_session(weights: bytes, options: Any) -> Any | None:  # onnxruntime ships no types
    """The graph with its weights, taken from the package's file; one input ``ids`` of (1, tokens).

    None where this runtime has no kernels for it. Raises StoreError where one of its files is damaged.
    """
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime

    named = _table()["weights"]
    held = [
        onnxruntime.OrtValue.ortvalue_from_numpy(_weight(weights, **at)) for at in named.values()
    ]
    options.add_external_initializers(list(named), held)
    graph = verified(GRAPH, _GRAPH_SHA256)
    try:
        return onnxruntime.InferenceSession(
            graph, sess_options=options, providers=["CPUExecutionProvider"]
        )
    except (runtime.NotImplemented, runtime.InvalidGraph, runtime.Fail):
        return None  # the file is the one that was drawn: it is the runtime that lacks something


def probe() -> tuple[str, NDArray[np.float32]]:
    """A sentence and its unit vector by the float32 model, to hold a session to."""
    held = _table()["probe"]
    return held["text"], np.asarray(held["vector"], dtype=np.float32)


def _table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(verified(TABLE, _TABLE_SHA256))
    return found


def _weight(stored: bytes, *, offset: int, type: str, shape: list[int]) -> NDArray[Any]:  # noqa: A002
    size = int(np.prod(shape))
    return np.frombuffer(stored, dtype=type, count=size, offset=offset).reshape(shape).copy()
