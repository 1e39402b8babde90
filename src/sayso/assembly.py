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
from sayso.core.chat import Chat
from sayso.core.language import NAMES, language_of, reads
from sayso.core.seams import Deps, Reasoner
from sayso.settings import Settings

if TYPE_CHECKING:
    from sayso.retrieval.embedder import Embedder

INDEXES = "indexes"
# A question waits for at most this many messages to be embedded, about twenty seconds' worth by
# the embedder for English; the multilingual one and a service take some five times as long.
PATIENCE = 5000
_PATIENCE_WITH_SLOWER = 1000
NO_MODEL = (
    "no language model is configured: answers are put together from quoted messages (extractive)"
)


@dataclass(frozen=True)
class ImportedChat:
    """An imported chat as it now stands, what the export held, what was new, how it was indexed.

    ``notes`` say what would find more in it.
    """

    chat: Chat
    report: ImportReport
    merge: MergeReport
    index_note: str
    notes: tuple[str, ...] = ()


def load_chat(name: str | None, *, home: Path) -> Chat:
    """The chat of that id or file; the only imported one for None. See ``ChatStore.resolve``."""
    return ChatStore(home).resolve(name)


def import_export(
    path: Path,
    options: ImportOptions,
    *,
    home: Path,
    settings: Settings | None = None,
    stored: Callable[[Chat], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[ImportedChat, ...]:
    """Every chat of an export stored, merged with what was there, and indexed.

    ``stored`` hears of each chat once it is in the archive; ``progress`` then hears (messages
    embedded, messages in all), first when the chat can be asked by its words and embedding
    begins, never where nothing is to be embedded. An interruption from then on loses little: the
    next import goes on. Raises InputError for a file that cannot be used and StoreError where the
    data folder cannot be written.
    """
    from sayso.retrieval.storage import open_index

    settings = settings or Settings()
    store, done = ChatStore(home), []
    for imported in import_file(path, options):
        chat, merged = store.add(imported.chat, sure=options.chat_id is not None)
        if stored:
            stored(chat)
        embedder, notes = _embedder_for(chat, settings)
        _, note = open_index(chat, embedder, home / INDEXES, progress)
        done.append(ImportedChat(chat, imported.report, merged, note, notes))
    return tuple(done)


def deps_for(
    chat: Chat,
    settings: Settings,
    *,
    home: Path,
    progress: Callable[[int, int], None] | None = None,
    embedder: "Embedder | None" = None,
) -> Deps:
    """What a mode needs for one chat: the retriever over its index, the reasoner, the budget.

    ``embedder`` is used in place of the configured one. ``notes`` say so where the index was
    damaged or cannot be stored, how many messages only their words can find, and where that is all
    of them. Where the chat is read and a question is not, its plan has a note.
    """
    # numpy and the model's runtime load here, so that `sayso --help` never waits for them.
    from sayso.reasoning.extractive import ExtractiveReasoner
    from sayso.reasoning.unread import SayingWhatIsUnread
    from sayso.retrieval.retriever import HybridRetriever
    from sayso.retrieval.storage import UNREMARKABLE, open_index
    from sayso.weights import shipped_weights

    weights = shipped_weights()
    chosen, notes = (embedder, ()) if embedder else _embedder_for(chat, settings)
    index, note = open_index(chat, chosen, home / INDEXES, progress, patience=_patience(chosen))
    retriever = HybridRetriever(chat, index, weights, chosen)
    reasoner: Reasoner = ExtractiveReasoner(weights)
    if reads(chosen.languages, index.surface.language):  # else the notes tell of the whole chat
        reasoner = SayingWhatIsUnread(reasoner, retriever.reads)
    return Deps(
        chat=chat,
        retriever=retriever,
        reasoner=reasoner,
        budget=settings.budget,
        notes=notes if note in UNREMARKABLE else (*notes, note),
    )


def agent_graph() -> Any:  # LangGraph's compiled graph, whose import is not paid for here
    """The agent's graph, as ``langgraph.json`` names it; its context is :class:`Deps`."""
    from sayso.agent.graph import agent_graph as compiled

    return compiled()


def _embedder_for(chat: Chat, settings: Settings) -> "tuple[Embedder, tuple[str, ...]]":
    """Whose vectors find this chat's messages, and what there is to tell of that.

    The configured embedder; else the English one where it reads the chat; else the multilingual
    one where it is installed; else the English one for its part of a mixed chat, or none.
    """
    from sayso.retrieval.multilingual import EXTRA, is_installed
    from sayso.retrieval.wordless import Wordless

    if settings.embeddings is not None:
        return _configured(settings.embeddings), ()
    english = _minilm()
    language = language_of([message.text for message in chat.messages])
    if english.languages is None or language in english.languages:
        return english, ()
    if is_installed():
        return _multilingual(), ()
    why = f"the embedder reads English and the chat is {NAMES[language]}; {EXTRA}"
    if reads(english.languages, language):
        return english, (why,)
    return Wordless(), (f"searched by words only: {why}",)


def _patience(embedder: "Embedder") -> int | None:
    if embedder.languages is None:
        return _PATIENCE_WITH_SLOWER
    return PATIENCE if embedder.languages else None  # what reads nothing is done at once


# One of each for the process: a model takes most of a second to load.


@cache
def _minilm() -> "Embedder":
    from sayso.retrieval.embedder import MiniLM

    return MiniLM()


@cache
def _multilingual() -> "Embedder":
    from sayso.retrieval.multilingual import MultilingualE5

    return MultilingualE5()


@cache
def _configured(embeddings: str) -> "Embedder":
    from sayso.retrieval.langchain_embeddings import LangChainEmbeddings

    return LangChainEmbeddings(embeddings)
