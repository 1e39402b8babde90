"""What is measured side by side: both modes of ours, and what a user would pick instead.

Each gets the same chats, the same words of a message (with its caption) and the question as it
was asked, and is used as its own guide begins: with its defaults. The peers come with the extra
``bench``; nothing else imports them.
"""

import resource
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import Any

from sayso.core.chat import Chat
from sayso.core.models import Question

DEPTH = 20

Asking = Callable[[str], list[int]]


@dataclass(frozen=True)
class Built:
    """A chat ready to be asked: a question → localIds, best first, at most DEPTH.

    ``lexical`` and ``whole`` are the CPU seconds until it could be searched by its words, and by
    all it has; equal where words are all.
    """

    ask: Asking
    lexical: float
    whole: float


@dataclass(frozen=True)
class System:
    """One row of the table; ``build`` indexes a chat and may write into the folder."""

    title: str
    build: Callable[[Chat, Path], Built]
    needs: tuple[str, ...] = ()

    @property
    def lacks(self) -> tuple[str, ...]:
        """The packages it needs that are not installed."""
        return tuple(name for name in self.needs if find_spec(name) is None)


def ours(mode: str) -> Callable[[Chat, Path], Built]:
    """The whole way to an answer in one of our modes; its ranking before grading is judged."""

    def build(chat: Chat, folder: Path) -> Built:
        from sayso.assembly import deps_for
        from sayso.modes import MODES
        from sayso.settings import Settings

        searchable_at: list[float] = []

        def heard(done: int, total: int) -> None:
            if not searchable_at:
                searchable_at.append(process_time())

        began = process_time()
        deps = deps_for(chat, Settings(), home=folder, progress=heard)
        ended = process_time()

        def ask(question: str) -> list[int]:
            trail = MODES[mode](Question(text=question, chat_id=chat.chat_id), deps)
            return [c.local_id for c in trail.ranking[:DEPTH]]

        return Built(ask, (searchable_at or [ended])[0] - began, ended - began)

    return build


def langchain_bm25(chat: Chat, folder: Path) -> Built:
    """LangChain's BM25Retriever: words split at white space, case and all."""
    with warnings.catch_warnings():
        # The package announces its own end at import; it is still what the guides name.
        warnings.simplefilter("ignore", DeprecationWarning)
        from langchain_community.retrievers import BM25Retriever

    began = process_time()
    retriever: Any = BM25Retriever.from_texts(
        _texts(chat), metadatas=[{"local_id": m.local_id} for m in chat.messages]
    )
    retriever.k = DEPTH
    seconds = process_time() - began

    def ask(question: str) -> list[int]:
        return [found.metadata["local_id"] for found in retriever.invoke(question)]

    return Built(ask, seconds, seconds)


def bm25s(chat: Chat, folder: Path) -> Built:
    """bm25s: its English stop words, no stemmer."""
    # Not "import bm25s": the name is this function's.
    from bm25s import BM25, tokenize

    began = process_time()
    retriever: Any = BM25()  # the package's types say less than it takes
    retriever.index(tokenize(_texts(chat), show_progress=False), show_progress=False)
    ids = [m.local_id for m in chat.messages]
    seconds = process_time() - began

    def ask(question: str) -> list[int]:
        words = tokenize(question, show_progress=False)
        found = retriever.retrieve(words, k=min(DEPTH, len(ids)), show_progress=False)
        return [ids[row] for row in found.documents[0].tolist()]

    return Built(ask, seconds, seconds)


def lancedb_hybrid(chat: Chat, folder: Path) -> Built:
    """LanceDB: its full-text index (stems, stop words), our vectors, its reranker (RRF)."""
    import lancedb
    from lancedb.index import FTS

    embedder = _embedder()
    began = process_time()
    vectors = embedder.encode(_texts(chat)).vectors
    embedded = process_time()
    rows = [
        {"local_id": m.local_id, "text": text, "vector": vector}
        for m, text, vector in zip(chat.messages, _texts(chat), vectors, strict=True)
    ]
    table: Any = lancedb.connect(folder / "lance").create_table("messages", rows)
    table.create_index("text", config=FTS())
    ended = process_time()

    def ask(question: str) -> list[int]:
        vector = embedder.encode_queries([question]).vectors[0]
        query = table.search(query_type="hybrid").vector(vector).text(question)
        return [row["local_id"] for row in query.limit(DEPTH).to_list()]

    return Built(ask, ended - embedded, ended - began)


def linear(chat: Chat, folder: Path) -> Built:
    """A plain ranking, with the model as it comes: tells how hard a chat is."""
    from eval.bench_linear import LinearRanking
    from sayso.retrieval.embedder import MiniLM

    began = process_time()
    ranking = LinearRanking(chat, MiniLM(fitted=None))
    seconds = process_time() - began

    def ask(question: str) -> list[int]:
        return [chat.messages[row].local_id for row in ranking.rank(question)[:DEPTH]]

    return Built(ask, seconds, seconds)


SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "oneshot": System("sayso oneshot", ours("oneshot")),
        "agent": System("sayso agent", ours("agent")),
        "linear": System("linear, 16 features", linear),
        "langchain-bm25": System(
            "LangChain BM25Retriever", langchain_bm25, ("langchain_community", "rank_bm25")
        ),
        "bm25s": System("bm25s", bm25s, ("bm25s",)),
        "lancedb": System("LanceDB hybrid", lancedb_hybrid, ("lancedb",)),
    }
)


def peak_mb() -> float:
    """The most memory that this process held so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def _texts(chat: Chat) -> Sequence[str]:
    from sayso.retrieval.index import searchable

    return [searchable(m) for m in chat.messages]


@cache
def _embedder() -> Any:  # the model loads once a process, as it does for ours
    from sayso.retrieval.embedder import MiniLM

    return MiniLM()
