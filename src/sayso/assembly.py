"""The only place that names concrete classes: what a mode, a command or a benchmark works with."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.chats.importers.draft import Draft
from sayso.chats.importers.importing import drafts_of
from sayso.chats.importers.report import ImportOptions, ImportReport
from sayso.chats.importers.reporting import read_anew
from sayso.chats.importers.watching import Heard
from sayso.chats.merging import MergeReport
from sayso.chats.opened import OpenChats
from sayso.chats.outline import Outline
from sayso.chats.removing import moments_of
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore, Kept
from sayso.chats.trial import Trial
from sayso.core.chat import Chat
from sayso.core.language import NAMES, reads
from sayso.core.seams import Deps, Reasoner
from sayso.errors import InputError
from sayso.paths import home, prompts_dir
from sayso.reasoning.tracing import traces_go_to
from sayso.settings import Settings, read_settings

if TYPE_CHECKING:
    from sayso.reasoning.model_caller import ModelCaller
    from sayso.retrieval.embedder import Embedder, MiniLM
    from sayso.retrieval.pair_reader import PairReader

INDEXES = "indexes"
UNTOUCHED = "nothing was written"
# A question waits for at most this many messages to be embedded, about twenty seconds' worth by
# the embedder for English; the multilingual one and a service take some five times as long.
PATIENCE = 5000
# An index is made of a chat in memory, a kilobyte and a half or more for each message.
MOST_INDEXED = 500_000
NOT_INDEXED = (
    f"not indexed at import, having more than {MOST_INDEXED:,} messages; a question reads all of "
    "it first, which takes time and some gigabytes of memory"
)
_PATIENCE_WITH_SLOWER = 1000
NO_MODEL = (
    "no language model is configured: answers are put together from quoted messages (extractive)"
)


@dataclass(frozen=True)
class ImportedChat:
    """An imported chat as it now stands, what the export held, what was new, how it was indexed.

    ``notes`` say what would find more in it. ``chat`` reads it with its messages.
    """

    outline: Outline
    report: ImportReport
    merge: MergeReport
    index_note: str
    home: Path
    notes: tuple[str, ...] = ()

    @property
    def chat(self) -> Chat:
        """The whole chat, from the archive."""
        return ChatStore(self.home).load(self.outline.header.chat_id)


def load_chat(name: str | None, *, home: Path) -> Chat:
    """The chat of that id or file; the only imported one for None. See ``ChatStore.resolve``."""
    return ChatStore(home).resolve(name)


def import_export(
    path: Path,
    options: ImportOptions,
    *,
    home: Path,
    settings: Settings | None = None,
    stored: Callable[[Outline], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    refused: Callable[[InputError], None] | None = None,
    heard: Heard | None = None,
    trial: Trial | None = None,
) -> tuple[ImportedChat, ...]:
    """Every chat of an export stored, merged with what was there, and indexed.

    Until it is stored a chat takes no memory that grows with it: what is read of the export is laid
    aside in the data folder. One of more than :data:`MOST_INDEXED` messages is not indexed.
    ``heard`` hears how far the reading of a large export is, and the writing of a large chat.
    ``stored`` hears of each chat once it is in the archive; ``progress`` then hears (messages
    embedded, messages in all), first when the chat can be asked by its words and embedding
    begins, never where nothing is to be embedded. An interruption from then on loses little: the
    next import goes on. ``refused`` hears why a chat is not merged with the one of its id, and
    the others are imported all the same; without it that is raised. In a ``trial`` (of ``home``)
    all is told as it would be and nothing is stored or indexed. Raises InputError for a file that
    cannot be used and StoreError where the data folder cannot be written.
    """
    place = trial.home if trial else home
    store, done = ChatStore(place), []
    with Spool(place) as spool:
        for draft in drafts_of(path, options, spool, heard):
            if trial:
                trial.bring(draft.header.chat_id)
            try:
                sure = options.chat_id is not None
                told = options.owner is not None
                kept = store.add_draft(draft, spool, sure=sure, owner_told=told, heard=heard)
            except InputError as error:
                why = trial.as_of_the_archive(error) if trial else error
                if refused is None:
                    raise why from error
                refused(why)
                continue
            if stored:
                stored(kept.outline)
            note, notes = _indexed(kept, settings or Settings(), home, progress, trial=trial)
            report = _as_stored(draft, kept)
            done.append(ImportedChat(kept.outline, report, kept.merge, note, place, notes))
    return tuple(done)


def _as_stored(draft: Draft, kept: Kept) -> ImportReport:
    """The report with the times that are stored: an earlier import may know the timezone."""
    as_read, now = draft.header, kept.outline.header
    if (as_read.timezone_origin, now.timezone_origin) != ("assumed", "named"):
        return draft.report
    return read_anew(draft.report, kept.outline.zone)


def _indexed(
    kept: Kept,
    settings: Settings,
    home: Path,
    progress: Callable[[int, int], None] | None,
    *,
    trial: Trial | None,
) -> tuple[str, tuple[str, ...]]:
    """How the chat was indexed, and what would find more in it."""
    from sayso.retrieval.storage import open_index

    if kept.outline.messages > MOST_INDEXED:
        return UNTOUCHED if trial else NOT_INDEXED, ()
    chat = kept.chat
    embedder, notes = _embedder_for(chat, settings)
    if trial is not None:
        return UNTOUCHED, notes
    return open_index(chat, embedder, home / INDEXES, progress)[1], notes


def deps_for(
    chat: Chat,
    settings: Settings,
    *,
    home: Path,
    progress: Callable[[int, int], None] | None = None,
    embedder: "Embedder | None" = None,
    model: Any = None,  # langchain's BaseChatModel, a type known to chat_model alone
    environ: Mapping[str, str] = os.environ,
) -> Deps:
    """What a mode needs for one chat: the retriever over its index, the reasoner, the budget.

    ``embedder`` is used in place of the configured one. ``notes`` say so where the index was
    damaged or cannot be stored, how many messages only their words can find, and where that is all
    of them. Where the chat or a question is not read, the plan has a note. ``model`` thinks in
    place of the configured one, under the same settings. ``environ`` holds the configured one's key.
    """
    # numpy and the model's runtime load here, so that `sayso --help` never waits for them.
    from sayso.reasoning.extractive import ExtractiveReasoner
    from sayso.reasoning.unread import SayingWhatIsUnread
    from sayso.retrieval.retriever import HybridRetriever
    from sayso.retrieval.storage import UNREMARKABLE, open_index
    from sayso.weights import naming, weights_of

    weights = weights_of(settings.weights)
    chosen, notes = (embedder, ()) if embedder else _embedder_for(chat, settings)
    index, note = open_index(chat, chosen, home / INDEXES, progress, patience=_patience(chosen))
    with naming(settings.weights):
        retriever = HybridRetriever(chat, index, weights, chosen)
        extractive = ExtractiveReasoner(weights, _reader())
    read = reads(chosen.languages, index.surface.language)
    reasoner: Reasoner = SayingWhatIsUnread(extractive, retriever.reads, chat_is_read=read)
    named = None
    if model is not None or settings.model is not None:
        reasoner, named = _thinking(reasoner, settings, model, home=home, environ=environ)
    return Deps(
        chat=chat,
        retriever=retriever,
        reasoner=reasoner,
        budget=settings.budget,
        notes=notes if note in UNREMARKABLE else (*notes, note),
        model=named,
        tracing=named is not None and not settings.offline and traces_go_to() is not None,
    )


def _thinking(
    standing_in: Reasoner,
    settings: Settings,
    model: Any,  # as deps_for takes it
    *,
    home: Path,
    environ: Mapping[str, str],
) -> tuple[Reasoner, str]:
    """The reasoner with a model behind it, and the model's name with its host."""
    from sayso.reasoning.chat_model import given_model, open_model
    from sayso.reasoning.model_address import host_of
    from sayso.reasoning.prompts import load_prompts
    from sayso.reasoning.thinking import ModelReasoner

    if model is None:
        caller = open_model(settings, home=home, environ=environ)
    else:
        caller = given_model(model, settings, home=home)
    prompts = load_prompts(settings.prompts or prompts_dir())
    thinking = ModelReasoner(
        caller, prompts, standing_in, votes=settings.votes, strict=settings.strict
    )
    host = host_of(caller.endpoint.address)
    return thinking, f"{caller.name} @ {host}" if host else caller.name


def model_caller(
    settings: Settings, *, home: Path, environ: Mapping[str, str] = os.environ
) -> "ModelCaller":
    """The configured model by itself; ConfigurationError where none is named or it has no key."""
    from sayso.reasoning.chat_model import open_model

    return open_model(settings, home=home, environ=environ)


@cache
def agent_graph() -> Any:  # LangGraph's compiled graph, whose import is not paid for here
    """The graph that ``langgraph.json`` names: messages in, an answer out, over the imported chats.

    Its context is ``sayso.agent.served.AskContext``; see ``sayso.agent.served.served_graph``.
    """
    from sayso.agent.served import AskContext, served_graph

    chats = open_chats(home())

    def configured(context: AskContext) -> Settings:
        return context.over(read_settings())

    return served_graph(
        lambda context: chats.deps(context.chat, configured(context)),
        may_trace=lambda context: _may_trace(configured(context)),
    )


def open_chats(home: Path) -> OpenChats:
    """The imported chats for a process that answers many questions."""

    def build(chat: Chat, settings: Settings) -> Deps:
        from sayso.reasoning.model_address import KEY

        # The key is for the configured server: not for one that somebody names in a request.
        ours = settings.base_url == read_settings().base_url
        environ = {name: v for name, v in os.environ.items() if ours or name != KEY}
        return deps_for(chat, settings, home=home, environ=environ)

    return OpenChats(home, build)


@dataclass(frozen=True)
class IndexState:
    """How a chat can be searched: by whose vectors, in which language, and what is on disk.

    ``language`` is the chat's, as a name; ``notes`` say what would find more in it.
    """

    embedder: str
    language: str
    state: str
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        from sayso.retrieval.storage import WHOLE

        return self.state == WHOLE


def index_state_of(chat: Chat, settings: Settings, *, home: Path) -> IndexState:
    """How the chat's index stands; nothing is built and nothing embedded."""
    from sayso.retrieval.storage import index_state

    embedder, notes = _embedder_for(chat, settings)
    state = index_state(chat, embedder, home / INDEXES)
    return IndexState(embedder.name, NAMES.get(chat.language, chat.language), state, notes)


def forget_indexes_of(chat_id: str, *, home: Path, settings: Settings) -> int:
    """Remove the chat's indexes; see :func:`sayso.retrieval.forgetting.forget_indexes`."""
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.forgetting import forget_indexes
    from sayso.retrieval.multilingual import MultilingualE5
    from sayso.retrieval.storage import ENGINE_VERSION
    from sayso.retrieval.wordless import Wordless

    names = [MiniLM.name, MultilingualE5.name, Wordless.name]
    if settings.embeddings is not None:
        names.append(_configured(settings.embeddings, settings.offline).name)
    store = ChatStore(home)
    others = [other for other in store.ids() if other != chat_id]
    moments = partial(moments_of, store, chat_id)
    return forget_indexes(moments, chat_id, names, home / INDEXES, ENGINE_VERSION, others=others)


def check_embeddings(settings: Settings) -> None:
    """Raise ConfigurationError where the configured embeddings cannot be had; none are asked for."""
    from sayso.retrieval.langchain_embeddings import LangChainEmbeddings

    if settings.embeddings is not None:
        embedder = _configured(settings.embeddings, settings.offline)
        if isinstance(embedder, LangChainEmbeddings):
            embedder.check()


def _may_trace(settings: Settings) -> bool:
    return settings.model is not None and not settings.offline


def _embedder_for(chat: Chat, settings: Settings) -> "tuple[Embedder, tuple[str, ...]]":
    """Whose vectors find this chat's messages, and what there is to tell of that.

    The configured embedder; else the English one where it reads the chat; else the multilingual
    one where it is installed; else the English one for its part of a mixed chat, or none.
    """
    from sayso.retrieval.multilingual import EXTRA, is_installed
    from sayso.retrieval.wordless import Wordless

    if settings.embeddings is not None:
        return _configured(settings.embeddings, settings.offline), ()
    english = _minilm()
    if english.languages is None or chat.language in english.languages:
        return english, ()
    if is_installed():
        return _multilingual(), ()
    why = f"the embedder reads English and the chat is {NAMES[chat.language]}; {EXTRA}"
    if reads(english.languages, chat.language):
        return english, (why,)
    return Wordless(), (f"searched by words only: {why}",)


def _patience(embedder: "Embedder") -> int | None:
    if embedder.languages is None:
        return _PATIENCE_WITH_SLOWER
    return PATIENCE if embedder.languages else None  # what reads nothing is done at once


# One of each for the process: a model takes most of a second to load.


@cache
def _minilm() -> "MiniLM":
    from sayso.retrieval.embedder import MiniLM

    return MiniLM()


@cache
def _reader() -> "PairReader":
    from sayso.retrieval.pair_reader import PairReader

    return PairReader(_minilm())


@cache
def _multilingual() -> "Embedder":
    from sayso.retrieval.multilingual import MultilingualE5

    return MultilingualE5()


@cache
def _configured(embeddings: str, offline: bool) -> "Embedder":
    from sayso.reasoning.model_address import is_loopback
    from sayso.retrieval.langchain_embeddings import LangChainEmbeddings

    return LangChainEmbeddings(embeddings, admits=is_loopback if offline else None)
