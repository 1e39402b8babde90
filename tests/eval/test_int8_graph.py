import json

import pytest

from sayso.retrieval.int8_model import GRAPH, PAIRS, TABLE

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


def test_the_shipped_graph_of_pairs_is_the_one_that_is_drawn():
    import onnx

    from eval.int8_graph import drawn

    graph, table = drawn(pairs=True)

    assert onnx.load_from_string(graph) == onnx.load_from_string(PAIRS.read_bytes())
    assert table["weights"] == json.loads(TABLE.read_text(encoding="utf-8"))["weights"]


@pytest.mark.parametrize("graph", [GRAPH, PAIRS])
def test_the_graph_holds_no_weights(graph):
    assert graph.stat().st_size < 50_000  # they would take 21 million
