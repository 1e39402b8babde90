"""all-MiniLM-L6-v2 in 8-bit integers: two fifths of the time of the float32 model.

The matrices are the package's, bytes and all; ``minilm-int8.onnx`` multiplies them without
turning them into float32 first. Biases, norms and scales are fitted to questions about
conversations (``python -m eval.fit_encoder``): ``minilm-fitted.npy`` says how far each is
moved. It takes one text at a time: within one, nothing is padding and nothing needs a mask, and
a text cannot change with what stands beside it. ``python -m eval.int8_graph`` draws it.
"""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.arrays import loaded
from sayso.retrieval.verifying import verified

_DATA = Path(__file__).parent / "data"
GRAPH = _DATA / "minilm-int8.onnx"
TABLE = _DATA / "minilm-int8.json"
FITTED = _DATA / "minilm-fitted.npy"
_GRAPH_SHA256 = "a7edc5013dc34bdb1d0862ee9886d23df03f23b77731d5e6dbdadcc7e1037dc9"
_TABLE_SHA256 = "344aa035e71d18541566a8dcc64399784aca6680a716d04e4f28e9c96cae1212"

_FITTED_SHA256 = "e67a97d3ddb0075edfb7dd7d8684226a6db711df5470e24cb74d8d848f09c5a2"


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


def moved_names(names: Iterable[str]) -> list[str]:
    """Of the weights' names those that are fitted to conversations, in the order of their steps."""
    return [
        name
        for name in names
        if name.startswith(("layer.", "norm.")) and name.endswith((".scale", ".bias", ".weight"))
    ]


def stored_weights(package: bytes) -> dict[str, NDArray[Any]]:
    """The weights of the package's file by their names in the graph."""
    return {name: _weight(package, **at) for name, at in _table()["weights"].items()}


def joined(steps: Mapping[str, NDArray[Any]]) -> NDArray[np.float16]:
    """Steps by name as one row, as :func:`moved` takes them."""
    names = moved_names(_table()["weights"])
    return np.concatenate([np.ravel(steps[name]) for name in names]).astype(np.float16)


def shipped_steps() -> NDArray[np.float16]:
    """The steps that ship. Raises StoreError where their file is damaged."""
    held = io.BytesIO(verified(FITTED, _FITTED_SHA256))
    return np.asarray(loaded(held), dtype=np.float16)


def moved(package: bytes, steps: NDArray[np.float16]) -> bytes:
    """The package's file with its weights moved: a scale by a share of it, the rest by a number.

    Raises ValueError where there are more or fewer steps than weights to move.
    """
    table = _table()["weights"]
    names = moved_names(table)
    sizes = [int(np.prod(table[name]["shape"])) for name in names]
    if steps.shape != (sum(sizes),):
        raise ValueError(f"{steps.shape} steps; expected ({sum(sizes)},)")
    changed = bytearray(package)
    ends = np.cumsum(sizes)
    for name, step in zip(names, np.split(steps.astype(np.float32), ends[:-1]), strict=True):
        value = _weight(package, **table[name])
        by = step.reshape(value.shape)
        found = value * (1 + by) if name.endswith(".scale") else value + by
        at = table[name]["offset"]
        changed[at : at + found.nbytes] = found.astype(value.dtype).tobytes()
    return bytes(changed)


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
