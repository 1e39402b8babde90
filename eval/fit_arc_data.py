"""Arcs and questions as numbers for fitting: what a generator was handed, by feature, with its gold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from eval.case_files import read_cases
from eval.cases import ReadyCase
from eval.chats import with_chats
from eval.encoders import Encoders
from eval.fit_models import Floats
from eval.gold import truth_of
from eval.saying import plain
from sayso.core.chat import Chat, Message
from sayso.core.models import Graded, Question
from sayso.core.people import known_names
from sayso.core.seams import GENERATOR, PLANNER, Q1, Q4, Deps, Narrating, Planning, Reply, Step
from sayso.modes import MODES
from sayso.reasoning.arc_choice import OF_ANSWERS, absence_marks, features
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.reasoning.grading import citable
from sayso.reasoning.planning import plan
from sayso.retrieval.embedder import Embedder
from sayso.retrieval.retriever import HybridRetriever
from sayso.weights import shipped_weights

PARTS = (
    "share", "own", "cosine", "by_person", "named", "asks", "length", "usual_length", "near", "heard",
    "like_best",
)  # fmt: skip
PARTS_BY_WORDS = (
    "share", "log_rank", "own", "by_person", "named", "asks", "length", "usual_length", "near", "heard",
)  # fmt: skip
ABSENCE_OWN = ("coverage", "nearness", "covered")
ABSENCE = (*ABSENCE_OWN, *(f"answer_{name}" for name in OF_ANSWERS))
_LEAST_GOLD = 3  # messages; a question with fewer is no development
_POOL = 50
_APART = "locomo"  # its conversations were generated apart: a name that returns is another person


@dataclass(frozen=True)
class Pool:
    """What was found for one case, best score first; ``marks`` are :data:`ABSENCE` and a 1."""

    dataset: str
    fold: str
    arc: bool
    mode: str
    gold: frozenset[int]
    phases: tuple[tuple[int, ...], ...]
    messages: tuple[Message, ...]
    rows: tuple[dict[str, float], ...]
    marks: Floats

    def columns(self, names: Sequence[str]) -> Floats:
        """The features of these names, a row a message."""
        return np.asarray([[row[name] for name in names] for row in self.rows])


class AsArc:
    """A reasoner that takes every question for an arc and keeps what the generator was given."""

    def __init__(self, inner: ExtractiveReasoner) -> None:
        self._inner = inner
        self.given: Narrating | None = None

    def think(self, step: Step[Any, Any], given: Any) -> Reply[Any]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if step.name in (GENERATOR.name, Q4.name):
            self.given = given
        reply = self._inner.think(step, given)
        if step.name in (PLANNER.name, Q1.name):
            return replace(reply, value=reply.value.model_copy(update={"intent": "arc"}))
        return reply


def parts_of(words: bool) -> tuple[str, ...]:
    """The features of a part, of words alone or with meaning."""
    return PARTS_BY_WORDS if words else PARTS


def pools(
    arcs: Sequence[Path],
    questions: Sequence[Path],
    chats: Sequence[Path],
    encoders: Encoders | None = None,
    *,
    by: Embedder,
) -> list[Pool]:
    """The pools of both modes for arcs, of one search for questions with parts enough.

    ``by`` embeds, :class:`Wordless` where words alone are to find; chats that it does not read are
    left out. With ``encoders``, each chat is read by one that has not seen its people.
    """
    from sayso.assembly import load_chat
    from sayso.paths import home
    from sayso.retrieval.storage import open_index
    from sayso.retrieval.wordless import Wordless

    words, weights = isinstance(by, Wordless), shipped_weights()
    ready: list[tuple[bool, ReadyCase]] = []
    for arc, paths in ((True, arcs), (False, questions)):
        if paths:
            cases = read_cases(paths, "arc" if arc else "qa").cases
            placed = with_chats(cases, folders=chats, load=lambda n: load_chat(n, home=home()))
            ready += [(arc, r) for r in placed.cases]
    folds = folds_of([r for _, r in ready])
    deps: dict[str, Deps] = {}
    found: list[Pool] = []
    for arc, one in ready:
        truth, key = truth_of(one.case, one.chat), key_of(one)
        if truth.gold == "unreachable":
            continue
        if not arc and (truth.gold != "full" or len(truth.expected.local_ids) < _LEAST_GOLD):
            continue
        if key not in deps:
            click.echo(f"indexing {plain(one.chat.chat_id)}", err=True)
            embedder = encoders.without(folds[key]) if encoders else by
            index = open_index(one.chat, embedder, home() / "indexes")[0]
            retriever = HybridRetriever(one.chat, index, weights, embedder)
            deps[key] = Deps(one.chat, retriever, ExtractiveReasoner(weights))
        for mode in MODES if arc else ("search",):
            given = _given(one, deps[key], mode)
            pool = citable_of(given)
            if not pool or ("cosine" in pool[0].candidate.why) == words:
                continue
            marks = absence_marks(given, pool, weights)
            found.append(
                Pool(
                    dataset=one.dataset if not arc or _ours(one) else "arcs",
                    fold=folds[key],
                    arc=arc,
                    mode=mode,
                    gold=frozenset(truth.expected.local_ids),
                    phases=tuple(tuple(p) for p in truth.phases),
                    messages=tuple(one.chat.by_id[g.local_id] for g in pool),
                    rows=tuple(features(given, pool)),
                    marks=np.asarray([*(marks[n] for n in ABSENCE), 1.0]),
                )
            )
    return found


def citable_of(given: Narrating) -> list[Graded]:
    """What may be cited of what was given, best score first, as the engine has it."""
    chat = given.chat
    kept = [g for g in given.graded if citable(chat.by_id[g.local_id])]
    return sorted(kept, key=lambda g: (-g.candidate.score, chat.position[g.local_id]))


def folds_of(cases: Sequence[ReadyCase]) -> dict[str, str]:
    """By :func:`key_of`: the group of people, named by its first chat, over all files together."""
    chats = {key_of(c): c for c in cases}
    fold = {key: key for key in chats}
    bearer: dict[str, str] = {}
    for key, one in chats.items():
        if one.dataset == _APART:
            continue
        for name in one.chat.names:
            other = fold[bearer.setdefault(name.casefold(), key)]
            mine = fold[key]
            fold = {k: min(mine, other) if f in (mine, other) else f for k, f in fold.items()}
    return fold


def key_of(one: ReadyCase) -> str:
    """A chat's name over all files; LoCoMo's conversations are no others'."""
    return f"{_APART}/{one.chat.chat_id}" if one.dataset == _APART else one.chat.chat_id


def _ours(one: ReadyCase) -> bool:
    return one.chat.platform == "invented"


def _given(one: ReadyCase, deps: Deps, mode: str) -> Narrating:
    question = Question(text=one.case.question, chat_id=one.chat.chat_id)
    if mode == "search":
        return _searched(question, one.chat, deps)
    tapped = AsArc(ExtractiveReasoner(shipped_weights()))
    MODES[mode](question, replace(deps, reasoner=tapped))
    if tapped.given is not None:
        return tapped.given
    return Narrating(question, one.chat, plan(Planning(question, one.chat), {}), ())


def _searched(question: Question, chat: Chat, deps: Deps) -> Narrating:
    planned = plan(Planning(question, chat), known_names(chat))
    planned = planned.model_copy(update={"intent": "arc"})
    found = deps.retriever.search(planned, _POOL)
    graded = tuple(Graded(candidate=c, relevance=0.5) for c in found)
    return Narrating(question, chat, planned, graded)
