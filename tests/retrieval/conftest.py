import re
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.core.models import Chat, Message
from sayso.retrieval.embedder import MiniLM
from sayso.retrieval.features import cached
from sayso.retrieval.index import build_index
from sayso.retrieval.retriever import HybridRetriever
from sayso.weights import shipped_weights


class WordBags:
    """An embedder without a model: a text is the sum of its words' directions."""

    name = "word-bags"
    dimensions = 16

    def embed(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()):
                vectors[row] += np.random.default_rng(zlib.crc32(word.encode())).normal(size=16)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


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
        index = build_index(chat, minilm)
        return HybridRetriever(chat, index, shipped_weights(), cached(minilm.embed))

    return made
