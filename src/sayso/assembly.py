"""The only place that names concrete classes: what a mode, a command or a benchmark works with."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.chats.importers.importing import import_file
from sayso.chats.importers.report import ImportOptions, ImportReport
from sayso.chats.merging import MergeReport
from sayso.chats.store import ChatStore
from sayso.core.models import Chat
from sayso.core.seams import Deps
from sayso.settings import Settings

if TYPE_CHECKING:
    from sayso.retrieval.embedder import MiniLM

INDEXES = "indexes"
# A question waits for at most this many messages to be embedded, about twenty seconds' worth.
PATIENCE = 5000
NO_MODEL = (
    "no language model is configured: answers are put together from quoted messages (extractive)"
)


@dataclass(frozen=True)
class ImportedChat:
    """An imported chat as it now stands, what the export held, what was new, how it was indexed."""

    chat: Chat
    report: ImportReport
    merge: MergeReport
    index_note: str


def load_chat(name: str | None, *, home: Path) -> Chat:
    """The chat of that id or file; the only imported one for None. See ``ChatStore.resolve``."""
    return ChatStore(home).resolve(name)


def import_export(
    path: Path,
    options: ImportOptions,
    *,
    home: Path,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[ImportedChat, ...]:
    """Every chat of an export stored, merged with what was there, and indexed.

    ``progress`` hears (messages indexed, messages in all). Raises InputError for a file that
    cannot be used and StoreError where the data folder cannot be written.
    """
    from sayso.retrieval.storage import open_index

    store, done = ChatStore(home), []
    for imported in import_file(path, options):
        chat, merged = store.add(imported.chat, sure=options.chat_id is not None)
        _, note = open_index(chat, _embedder(), home / INDEXES, progress)
        done.append(ImportedChat(chat, imported.report, merged, note))
    return tuple(done)


def deps_for(
    chat: Chat,
    settings: Settings,
    *,
    home: Path,
    progress: Callable[[int, int], None] | None = None,
) -> Deps:
    """What a mode needs for one chat: the retriever over its index, the reasoner, the budget."""
    # numpy and the model's runtime load here, so that `sayso --help` never waits for them.
    from sayso.reasoning.extractive import ExtractiveReasoner
    from sayso.retrieval.retriever import HybridRetriever
    from sayso.retrieval.storage import open_index
    from sayso.weights import shipped_weights

    embedder, weights = _embedder(), shipped_weights()
    index, note = open_index(chat, embedder, home / INDEXES, progress, patience=PATIENCE)
    return Deps(
        chat=chat,
        retriever=HybridRetriever(chat, index, weights, embedder),
        reasoner=ExtractiveReasoner(weights),
        budget=settings.budget,
        notes=(note,) if "not embedded" in note else (),
    )


def agent_graph() -> Any:  # LangGraph's compiled graph, whose import is not paid for here
    """The agent's graph, as ``langgraph.json`` names it; its context is :class:`Deps`."""
    from sayso.agent.graph import agent_graph as compiled

    return compiled()


@cache
def _embedder() -> "MiniLM":
    """One embedder for the process: its model takes most of a second to load."""
    from sayso.retrieval.embedder import MiniLM

    return MiniLM()
