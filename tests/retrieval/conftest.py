import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.core.chat import Chat, Message
from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Among, Encoded, MiniLM
from sayso.retrieval.features import NAMES, NOT_OF_ARCS, RANKING, SCREEN
from sayso.retrieval.index import build_index
from sayso.retrieval.retriever import HybridRetriever
from sayso.retrieval.surroundings import surroundings
from sayso.weights import Weights, shipped_weights


class WordBags:
    """An embedder without a model: a text is the sum of its words' directions.

    ``seen`` holds every text it was given as a message, ``asked`` as a query; after ``calls`` batches it is interrupted.
    """

    dimensions = 16
    languages: frozenset[str] | None = None
    centred = False
    worded = True

    def __init__(self, name: str = "word-bags", calls: int | None = None) -> None:
        self.name = name
        self.seen: list[str] = []
        self.asked: list[str] = []
        self._left = calls

    def encode(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> Encoded:
        if self._left == 0:
            raise KeyboardInterrupt
        if self._left is not None:
            self._left -= 1
        self.seen.extend(texts)
        if progress:
            progress(len(texts), len(texts))
        return self._bags(texts)

    def encode_among(
        self, among: Sequence[Among], progress: Callable[[int, int], None] | None = None
    ) -> Encoded:
        self.encode([one.text for one in among], progress)
        return self._among(among)

    def among(self, texts: Sequence[str], session: Sequence[int] | None = None) -> Encoded:
        """What a chat of these texts has, each in a session of its own unless told; it is not noted."""
        return self._among(surroundings(texts, session or range(len(texts))))

    def _among(self, among: Sequence[Among]) -> Encoded:
        around = [" ".join([*one.before, one.text, one.text, *one.after]) for one in among]
        alone = self._bags([one.text for one in among])
        return replace(alone, contexts=self._bags(around).vectors)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        self.asked.extend(texts)
        return self._bags(texts)

    def _bags(self, texts: Sequence[str]) -> Encoded:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        found = [re.findall(r"\w+", text.casefold()) for text in texts]
        for row, words in enumerate(found):
            for word in words:
                vectors[row] += direction(word, self.dimensions)
        tokens = [np.rint(direction(w, TOKEN_DIMENSIONS) * 127) for words in found for w in words]
        return Encoded.alone(
            vectors=vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9),
            tokens=np.asarray(tokens, dtype=np.int8).reshape(-1, TOKEN_DIMENSIONS),
            counts=np.asarray([len(words) for words in found], dtype=np.int32),
        )


def direction(word: str, dimensions: int) -> np.ndarray:
    drawn = np.random.default_rng(zlib.crc32(word.encode())).normal(size=dimensions)
    return drawn / np.linalg.norm(drawn)


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """The real embedder, loaded once."""
    return MiniLM()


@pytest.fixture
def word_bags() -> WordBags:
    return WordBags()


@pytest.fixture(scope="session")
def make_chat() -> Callable[..., Chat]:
    """A chat of (sender, text) pairs, a minute apart, or of (sender, text, time)."""

    def made(*said: tuple, chat_id: str = "c", timezone: str = "UTC") -> Chat:
        start = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
        messages = []
        for i, (sender, text, *at) in enumerate(said, 1):
            sent_at = at[0] if at else start + timedelta(minutes=i)
            messages.append(Message(local_id=i, sender=sender, sent_at=sent_at, text=text))
        people = tuple(dict.fromkeys(m.sender for m in messages))
        return Chat(
            chat_id=chat_id, title=chat_id, platform="invented", timezone=timezone,
            participants=people, messages=tuple(messages),
        )  # fmt: skip

    return made


@pytest.fixture(scope="session")
def retriever_for(minilm: MiniLM) -> Callable[[Chat], HybridRetriever]:
    """The real retriever over a chat."""

    def made(chat: Chat) -> HybridRetriever:
        return HybridRetriever(chat, build_index(chat, minilm), shipped_weights(), minilm)

    return made


@pytest.fixture(scope="session")
def even_weights() -> Weights:
    """Every feature counts alike: for what holds whatever was fitted."""
    groups = {
        "screening": dict.fromkeys(SCREEN, 1.0),
        "ranking": dict.fromkeys(NAMES, 1.0) | dict.fromkeys(RANKING[len(NAMES) :], 0.0),
        "ranking_arc": dict.fromkeys((n for n in NAMES if n not in NOT_OF_ARCS), 1.0),
    }
    return Weights(version=1, fitted_on=(), groups=groups, cuts={})


@pytest.fixture
def bags_retriever_for(
    word_bags: WordBags, even_weights: Weights
) -> Callable[[Chat], HybridRetriever]:
    """A retriever whose meanings are bags of words."""

    def made(chat: Chat) -> HybridRetriever:
        return HybridRetriever(chat, build_index(chat, word_bags), even_weights, word_bags)

    return made
