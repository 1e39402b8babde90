import numpy as np

from sayso.core.models import Plan
from sayso.retrieval.index import build_index
from sayso.retrieval.retriever import HybridRetriever
from sayso.retrieval.usual import TOPICS, TOPICS_ZH, topics, usual_nearness
from sayso.weights import shipped_weights

WORK = (
    ("Ana", "my boss gave me the new project at work today"),
    ("Bo", "does the job still tire you?"),
    ("Ana", "the work is hard but the office is fine"),
    ("Bo", "I was promoted at work!"),
)
STONES = (
    ("Ana", "basalt cools from lava"),
    ("Bo", "granite holds quartz"),
    ("Ana", "slate splits in sheets"),
    ("Bo", "obsidian is glass"),
)


def _nearness(chat, embedder):
    vectors = embedder.encode_queries(TOPICS).vectors
    return usual_nearness(build_index(chat, embedder), vectors)


def test_a_chat_of_everyday_life_is_nearer_to_its_topics_than_another(make_chat, minilm):
    work, stones = (_nearness(make_chat(*said), minilm) for said in (WORK, STONES))

    assert work > stones
    assert stones >= 0.05


def test_no_nearness_is_so_small_that_a_ratio_to_it_says_nothing(make_chat, minilm):
    index = build_index(make_chat(*STONES), minilm)

    assert usual_nearness(index, np.zeros((2, 384), dtype=np.float32)) == 0.05


def test_topics_are_asked_in_the_language_of_the_chat():
    assert topics("zh") == TOPICS_ZH
    assert topics("en") == topics("other") == TOPICS
    assert len(TOPICS) == len(TOPICS_ZH)


def test_every_candidate_of_a_development_and_of_nothing_else_tells_it(make_chat, minilm):
    chat = make_chat(*WORK)
    retriever = HybridRetriever(chat, build_index(chat, minilm), shipped_weights(), minilm)
    question = "How did the work of Ana develop?"

    developed = retriever.search(Plan(intent="arc", queries=(question,)), 4)
    other = retriever.search(Plan(intent="fact", queries=(question,)), 4)

    assert {c.why["usual_nearness"] for c in developed} == {round(_nearness(chat, minilm), 4)}
    assert not any("usual_nearness" in c.why for c in other)
