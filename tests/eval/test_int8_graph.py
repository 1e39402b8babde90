import json

import numpy as np
import pytest

from sayso.retrieval.embedder import MiniLM, package_weights
from sayso.retrieval.int8_model import FLOATS, GRAPH, PAIRS, TABLE, moved, shipped_steps

pytest.importorskip("onnx", reason="what draws the graph is in the extra of the tests")


def test_the_shipped_graph_is_the_one_that_is_drawn():
    import onnx

    from eval.int8_graph import drawn, written

    graph, table = drawn()

    assert onnx.load_from_string(graph) == onnx.load_from_string(GRAPH.read_bytes())
    shipped = json.loads(TABLE.read_text(encoding="utf-8"))
    # A vector by another version of the runtime, or another processor, may round otherwise.
    vector = shipped["probe"].pop("vector")
    assert table["probe"].pop("vector") == pytest.approx(vector, abs=2e-4)
    assert json.loads(written(table)) == shipped


@pytest.mark.parametrize(("graph", "how"), [(FLOATS, {"exact": True}), (PAIRS, {"pairs": True})])
def test_the_other_shipped_graphs_are_those_that_are_drawn(graph, how):
    import onnx

    from eval.int8_graph import drawn

    found, table = drawn(**how)

    assert onnx.load_from_string(found) == onnx.load_from_string(graph.read_bytes())
    assert table["weights"] == json.loads(TABLE.read_text(encoding="utf-8"))["weights"]


def test_the_graph_in_float32_says_what_the_packages_own_does():
    from eval.int8_graph import by_the_package

    texts = ["I sold the kayak", "yes", "and what did she say to him about it, after all?"]
    weights = moved(package_weights(), shipped_steps())

    found = MiniLM().in_float32(texts).vectors

    expected = np.stack([by_the_package(text, weights) for text in texts])
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("graph", [GRAPH, FLOATS, PAIRS])
def test_the_graph_holds_no_weights(graph):
    assert graph.stat().st_size < 50_000  # they would take 21 million
