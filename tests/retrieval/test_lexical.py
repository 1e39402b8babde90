import math

import numpy as np
import pytest

from sayso.retrieval.lexical import FIELDS, bm25, build, standing

# Five messages of session 0 and three of session 1.
DOCUMENTS = (
    ("kayak", "red"),
    ("kayak", "kayak", "lake"),
    (),
    ("lake",),
    ("garage", "bicycle", "red", "key"),
    ("violin",),
    ("kayak", "violin", "violin", "porto", "tea"),
    ("tea",),
)
SESSION = (0, 0, 0, 0, 0, 1, 1, 1)
K1 = 0.9
B = {"own": 0.4, "pair": 0.6, "window": 0.6, "session": 0.75}
NEIGHBOURS = {"own": (0,), "pair": (-1, 0), "window": (-2, -1, 0, 1, 2)}


def scores(documents, session, query: tuple[str, ...]) -> dict[str, np.ndarray]:
    lexicon = build(documents, session)
    return bm25(lexicon, standing(lexicon, query))


def by_hand(query: tuple[str, ...], field: str) -> list[float]:
    """BM25 as the textbook writes it, over fields put together word by word."""
    if field == "session":
        numbers = sorted(set(SESSION))
        texts = [
            [w for d, s in zip(DOCUMENTS, SESSION, strict=True) if s == number for w in d]
            for number in numbers
        ]
        scores = textbook(query, texts, B[field])
        return [scores[s] for s in SESSION]
    texts = []
    for i in range(len(DOCUMENTS)):
        beside = [i + o for o in NEIGHBOURS[field] if 0 <= i + o < len(DOCUMENTS)]
        texts.append([w for j in beside if SESSION[j] == SESSION[i] for w in DOCUMENTS[j]])
    return textbook(query, texts, B[field])


def textbook(query: tuple[str, ...], texts: list[list[str]], b: float) -> list[float]:
    mean = sum(map(len, texts)) / len(texts)
    scores = [0.0] * len(texts)
    for term in query:
        holding = sum(term in text for text in texts)
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for i, text in enumerate(texts):
            if term in text:
                often = text.count(term)
                scores[i] += idf * often / (often + K1 * (1 - b + b * len(text) / mean))
    return scores


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "query",
    [
        pytest.param(("kayak",), id="one term"),
        pytest.param(("kayak", "lake", "porto"), id="several terms"),
        pytest.param(("tea", "tea"), id="a term given twice counts twice"),
        pytest.param(("violin", "unheard"), id="an unknown term adds nothing"),
    ],
)
def test_every_field_has_the_score_that_the_formula_gives(field, query):
    found = scores(DOCUMENTS, SESSION, query)[field]

    assert found == pytest.approx(by_hand(query, field), abs=1e-5)
    assert max(found) > 0


def test_a_neighbourhood_ends_with_its_session():
    found = scores(DOCUMENTS, SESSION, ("garage",))

    assert np.flatnonzero(found["own"]).tolist() == [4]
    assert np.flatnonzero(found["pair"]).tolist() == [4]
    assert np.flatnonzero(found["window"]).tolist() == [2, 3, 4]
    assert np.flatnonzero(found["session"]).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("query", [(), ("unheard",)], ids=["no term", "unknown term"])
def test_a_query_without_a_known_term_scores_nothing_anywhere(query):
    found = scores(DOCUMENTS, SESSION, query)

    assert {f: s.tolist() for f, s in found.items()} == {f: [0.0] * 8 for f in FIELDS}


def test_an_empty_chat_has_no_scores():
    assert {f: s.tolist() for f, s in scores((), (), ("kayak",)).items()} == {f: [] for f in FIELDS}


def test_messages_without_words_score_nothing():
    found = scores(((), ()), (0, 0), ("kayak",))

    assert all(s.tolist() == [0.0, 0.0] for s in found.values())
