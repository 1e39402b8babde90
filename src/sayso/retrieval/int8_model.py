"""all-MiniLM-L6-v2 in 8-bit integers: two fifths of the time of the float32 model.

The matrices are the package's, bytes and all; ``minilm-int8.onnx`` multiplies them without
turning them into float32 first. All of them are fitted to questions about conversations (``python -m
eval.fit_encoder``): ``minilm-fitted.npy`` says how far biases, norms and scales are moved, and holds for
each matrix two thin ones whose product is added to it (LoRA, Hu et al. 2021). Texts lie one after the other,
without padding, and each token looks at those of its own text alone, in the last layer at those that are
named: a text cannot change with what happens to stand beside it. ``minilm-float32.onnx`` is the same in
float32, for processors that round too much, and ``minilm-pairs.onnx`` for pairs of texts that are read as
one, by steps of their own (``python -m eval.fit_reader``). ``python -m eval.int8_graph`` draws all three.
"""

import io
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.arrays import loaded
from sayso.retrieval.verifying import verified

_DATA = Path(__file__).parent / "data"
GRAPH = _DATA / "minilm-int8.onnx"
FLOATS = _DATA / "minilm-float32.onnx"
PAIRS = _DATA / "minilm-pairs.onnx"
TABLE = _DATA / "minilm-int8.json"
FITTED = _DATA / "minilm-fitted.npy"
_GRAPH_SHA256 = "70b45ecca8d7730df4f549201b702fd6b5466d06fae656eb2b6b15b2fdbaaf17"
_FLOATS_SHA256 = "329681e861512a3fe8dbbdfe32f7bd43caf9075df56e0634d5202ab5d1896fa6"
_PAIRS_SHA256 = "ab934313553ed83814fbcdb31679b09f63a2d4da8a6bcc8302b2d05e1cda5fc9"
_TABLE_SHA256 = "ff0601b283c4fc3cca47c3a50bd02fe20780d260c377dc74654c1ea6b5cc9a7b"

RANK = 8  # of what is added to a matrix
_STEPS = 127  # of 8 bits, to either side
_LEAST = 1e-12
_FITTED_SHA256 = "1ec4cc7b484e3161fa365b56bdc4b5b99d15d39f593dd092466ff59a7857da85"


def graph_session(  # onnxruntime ships no types
    weights: bytes, options: Any, graph: Literal["texts", "floats", "pairs"] = "texts"
) -> Any | None:
    """A graph with its weights, taken from the package's file: of texts, of these in float32, of pairs.

    It takes ``ids``, the tokens of all texts (1, tokens); ``at``, each one's place in its text (1, tokens);
    and ``lengths``, how many each text has (texts,). That of pairs also takes ``halves``, which of two texts
    each is of, 0 or 1 (1, tokens), and gives (1, tokens, dimensions). The others read parts of that in their
    last layer: ``read`` (read,), tokens by their places in ``ids``, and ``reads`` (parts,), how many each
    part has of them; ``seen`` (seen,) and ``sees`` (parts,) alike of those that they look at. They give
    (1, read, dimensions). None where this runtime has no kernels for it. Raises StoreError where one of its
    files is damaged.
    """
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime

    named = _table()["weights"]
    held = [
        onnxruntime.OrtValue.ortvalue_from_numpy(_weight(weights, **at)) for at in named.values()
    ]
    options.add_external_initializers(list(named), held)
    by_name = {
        "texts": (GRAPH, _GRAPH_SHA256),
        "floats": (FLOATS, _FLOATS_SHA256),
        "pairs": (PAIRS, _PAIRS_SHA256),
    }
    try:
        return onnxruntime.InferenceSession(
            verified(*by_name[graph]), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except (runtime.NotImplemented, runtime.InvalidGraph, runtime.Fail):
        return None  # the file is the one that was drawn: it is the runtime that lacks something


def files() -> list[tuple[Path, str]]:
    """What is read here, the model itself aside, with the digests."""
    return [
        (GRAPH, _GRAPH_SHA256),
        (FLOATS, _FLOATS_SHA256),
        (PAIRS, _PAIRS_SHA256),
        (TABLE, _TABLE_SHA256),
        (FITTED, _FITTED_SHA256),
    ]


def moved_names(names: Iterable[str]) -> list[str]:
    """Of the weights' names those that are moved number by number, in the order of their steps."""
    return [
        name
        for name in names
        if name.startswith(("layer.", "norm.")) and name.endswith((".scale", ".bias", ".weight"))
    ]


def matrix_names(names: Collection[str]) -> list[str]:
    """Of the weights' names those of matrices, to each of which a product is added."""
    return [n for n in names if n.startswith("layer.") and f"{n}.scale" in names]


def thin(matrix: str) -> tuple[str, str]:
    """The names of the two thin matrices (rows, RANK) and (RANK, columns) of one that is whole."""
    return f"{matrix}.left", f"{matrix}.right"


def stored_weights(package: bytes) -> dict[str, NDArray[Any]]:
    """The weights of the package's file by their names in the graph."""
    return {name: _weight(package, **at) for name, at in _table()["weights"].items()}


def step_shapes() -> dict[str, tuple[int, ...]]:
    """What is fitted, in the order of the file: name → shape."""
    table = _table()["weights"]
    shapes = {name: tuple(table[name]["shape"]) for name in moved_names(table)}
    for name in matrix_names(table):
        rows, columns = table[name]["shape"]
        left, right = thin(name)
        shapes |= {left: (rows, RANK), right: (RANK, columns)}
    return shapes


def joined(steps: Mapping[str, NDArray[Any]]) -> NDArray[np.float16]:
    """Steps by name as one row, as :func:`moved` takes them."""
    return np.concatenate([np.ravel(steps[name]) for name in step_shapes()]).astype(np.float16)


def shipped_steps() -> NDArray[np.float16]:
    """The steps that ship. Raises StoreError where their file is damaged."""
    held = io.BytesIO(verified(FITTED, _FITTED_SHA256))
    return np.asarray(loaded(held), dtype=np.float16)


def moved(package: bytes, steps: NDArray[np.float16]) -> bytes:
    """The package's file with its weights moved: a scale by a share of it, a bias or norm by a number, a
    matrix by a product.

    Raises ValueError where there are more or fewer steps than these take.
    """
    table, shapes = _table()["weights"], step_shapes()
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    if steps.shape != (sum(sizes),):
        raise ValueError(f"{steps.shape} steps; expected ({sum(sizes)},)")
    parts = np.split(steps.astype(np.float32), np.cumsum(sizes)[:-1])
    by = {name: part.reshape(shapes[name]) for name, part in zip(shapes, parts, strict=True)}
    found: dict[str, NDArray[Any]] = {}
    for name in moved_names(table):
        value = _weight(package, **table[name])
        found[name] = value * (1 + by[name]) if name.endswith(".scale") else value + by[name]
    for name in matrix_names(table):
        left, right = (by[part] for part in thin(name))
        if right.any():  # else it stays to the bit
            whole = _weight(package, **table[name]) * found[f"{name}.scale"] + left @ right
            scale = np.maximum(np.abs(whole).max(axis=0, keepdims=True), _LEAST) / _STEPS
            found[name], found[f"{name}.scale"] = np.rint(whole / scale), scale
    changed = bytearray(package)
    for name, value in found.items():
        at = table[name]["offset"]
        stored = value.astype(table[name]["type"]).tobytes()
        changed[at : at + len(stored)] = stored
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
