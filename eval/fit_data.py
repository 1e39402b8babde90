"""Questions as numbers for fitting: each case's candidates with their features and which are gold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from eval.cases import ReadyCase
from eval.gold import truth_of
from sayso.core.chat import Chat
from sayso.core.models import Plan, Question
from sayso.core.people import known_names
from sayso.core.seams import Planning
from sayso.reasoning.planning import plan
from sayso.retrieval import features
from sayso.retrieval.embedder import Embedder
from sayso.retrieval.index import Index
from sayso.retrieval.retriever import Probes

# LoCoMo's conversations were generated apart: a first name that returns is another person.
_APART = frozenset({"locomo"})

# Measured: a half and four fifths came within half a point of each other.
_UNHEARD = 0.8


@dataclass(frozen=True)
class Asked:
    """One case: ``cheap`` features of every message, and the gold as row numbers (may be empty).

    ``reworded`` is the same case asked in other words, for what has gold: it teaches, and is never
    judged.
    """

    case_id: str
    question: str
    dataset: str
    group: str
    category: str
    answerable: bool
    plan: Plan
    chat: Chat
    index: Index
    met: features.Met
    cheap: NDArray[np.float32]
    gold: NDArray[np.int64]
    query: features.Sought
    reworded: "Asked | None" = None

    def detailed(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """All features of the rows (ascending)."""
        dear = features.detail(self.index, self.query, self.met, rows)
        return np.concatenate([self.cheap[rows], dear], axis=1)


def asked(
    cases: Sequence[ReadyCase],
    index_of: Callable[[Chat], Index],
    embedder: Embedder,
) -> list[Asked]:
    """The cases that can be fitted on: gold that can be found, or no answer at all.

    A case whose evidence cannot be found teaches nothing and is left out, as is one whose query
    speaks to nothing in the chat.
    """
    groups = groups_of(cases)
    probes = Probes(embedder)
    found: list[Asked] = []
    indexes: dict[str, Index] = {}
    names: dict[str, dict[str, str]] = {}
    for ready in cases:
        chat, key = ready.chat, f"{ready.dataset}/{ready.chat.chat_id}"
        if key not in indexes:
            indexes[key], names[key] = index_of(chat), known_names(chat)
        truth = truth_of(ready.case, chat)
        question = Question(text=ready.case.question, chat_id=chat.chat_id)
        planned = plan(Planning(question, chat), names[key])
        if truth.gold == "unreachable" or not planned.queries:
            continue
        probe = probes.of(planned.queries[:1])[0]
        query = features.sought(planned, planned.queries[0], probe, indexes[key].surface)
        met = features.meet(indexes[key], query)
        if not features.speaks_to(indexes[key], query, met):
            continue
        gold = np.asarray(sorted(chat.position[i] for i in truth.expected.local_ids), np.int64)
        found.append(
            taught_twice(
                Asked(
                    case_id=ready.case.case_id,
                    question=ready.case.question,
                    dataset=ready.dataset,
                    group=groups[key],
                    category=ready.case.category or "",
                    answerable=truth.gold != "none",
                    plan=planned,
                    chat=chat,
                    index=indexes[key],
                    met=met,
                    cheap=features.screen(indexes[key], query, met),
                    gold=gold,
                    query=query,
                )
            )
        )
    return found


def taught_twice(row: Asked) -> Asked:
    """The case with itself in other words: of its terms, most are some that the chat never heard.

    Who asks remembers what was meant, not how it was put; the questions of benchmarks share more
    words with their evidence. The vectors of the question stay as they are. The same case is always
    reworded alike.
    """
    if not len(row.gold):
        return row
    drawn = Random(f"{row.dataset}/{row.case_id}")
    terms = tuple(
        f"unheard {place}" if drawn.random() < _UNHEARD else term
        for place, term in enumerate(row.query.terms)
    )
    query = replace(row.query, terms=terms)
    met = features.meet(row.index, query)
    cheap = features.screen(row.index, query, met)
    return replace(row, reworded=replace(row, query=query, met=met, cheap=cheap))


def groups_of(cases: Sequence[ReadyCase]) -> dict[str, str]:
    """Chat (``dataset/chatId``) → its group: chats that share a person are never split.

    People are compared by name within a data set, so a group is named by its first chat.
    """
    group: dict[str, str] = {}
    bearer: dict[tuple[str, str], str] = {}
    for ready in cases:
        key = f"{ready.dataset}/{ready.chat.chat_id}"
        if key in group:
            continue
        group[key] = key
        if ready.dataset in _APART:
            continue
        for name in ready.chat.names:
            other = bearer.setdefault((ready.dataset, name.casefold()), key)
            _unite(group, key, other)
    return {key: _root(group, key) for key in group}


def _unite(group: dict[str, str], one: str, other: str) -> None:
    first, second = _root(group, one), _root(group, other)
    if first != second:
        group[max(first, second)] = min(first, second)


def _root(group: dict[str, str], key: str) -> str:
    while group[key] != key:
        key = group[key]
    return key
