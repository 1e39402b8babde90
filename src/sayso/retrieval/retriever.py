"""The one retriever of both modes: candidates of one chat, ranked by weighted features."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from sayso.core.chat import Chat
from sayso.core.language import reads, reads_query
from sayso.core.models import Candidate, Filter, Plan
from sayso.errors import ConfigurationError, StoreError
from sayso.retrieval import features
from sayso.retrieval.embedder import Embedder, Encoded
from sayso.retrieval.features import (
    DENSE,
    NAMES,
    NOT_OF_ARCS,
    OF_TWO,
    RANKING,
    SCREEN,
    WORDED,
    Sought,
)
from sayso.retrieval.index import Index
from sayso.retrieval.products import product
from sayso.retrieval.spoken_of import among_many
from sayso.retrieval.usual import topics, usual_nearness
from sayso.weights import OF_PEOPLE, Weights

CANDIDATES = 250
_REMEMBERED = 1000
_CORE = 6
_NOTHING: frozenset[str] = frozenset()

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Scored:
    """Messages (row numbers, ascending) with their log shares and features."""

    rows: NDArray[np.int64]
    scores: Floats
    features: Floats


@dataclass(frozen=True)
class Weighing:
    """A weight for each name of SCREEN, and twice for each of RANKING."""

    screening: Floats
    ranking: Floats
    developments: Floats


class HybridRetriever:
    """Lexical and dense search over one chat, fused by a linear model in two stages.

    A plan's queries are searched one by one and a message keeps its best score. Ties break by
    message order, so equal inputs give equal bytes.
    """

    def __init__(self, chat: Chat, index: Index, weights: Weights, embedder: Embedder) -> None:
        self._chat = chat
        self._index = index
        # What says nothing here; and what the embedder does not tell: of a query that it reads, and of
        # one that it does not.
        many = among_many(index.surface)
        self._speechless = _NOTHING if many else frozenset(OF_PEOPLE)
        self._weighed = range(len(RANKING)) if many else OF_TWO
        self._untold = {True: _NOTHING if embedder.worded else WORDED, False: DENSE}
        self._weighing = {
            True: _without(WORDED, "_vectors", weights) if self._untold[True] else _by_all(weights),
            False: _without(DENSE, "_lexical", weights),
        }
        form = weights.forms.get(embedder.name)
        if form is not None and form.dimensions != index.meaning.vectors.shape[1]:
            raise ConfigurationError(
                f"the weights (version {weights.version}) have a form of {form.dimensions} numbers for "
                f"{embedder.name}, whose vectors have {index.meaning.vectors.shape[1]}; "
                "refit them with python -m eval.fit"
            )
        self._form = form
        self._languages = embedder.languages
        self._embedder_name = embedder.name
        self._probes = Probes(embedder)

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` candidates, best first, each admitted by ``plan.limits``.

        ``score`` is the log of the share of relevance that the model gives the message among the
        candidates (a listwise softmax, so at most 0 and comparable between queries); ``why`` holds
        the features behind it, of which some are weighed by what the query is like. Empty where
        nothing is admitted, and where no query shares a word or a meaning with the chat. StoreError
        where the embedder's vector of a query is of another length than those of the messages.
        """
        admitted = self._admitted(plan.limits)
        if not len(admitted) or not plan.queries or k < 1:
            return ()
        best: dict[int, Candidate] = {}
        for query in self._sought(plan):
            scored = self.score(query, admitted, k)
            if scored is None:
                continue
            read = self.reads(query.text)
            alike = self._like_best(scored) if read and plan.intent == "arc" else None
            for candidate in self._candidates(scored, read, alike):
                held = best.get(candidate.local_id)
                if held is None or candidate.score > held.score:
                    best[candidate.local_id] = candidate
        position = self._chat.position
        ranked = sorted(best.values(), key=lambda c: (-c.score, position[c.local_id]))
        return tuple(ranked[:k])

    def score(self, query: Sought, admitted: NDArray[np.int64], k: int) -> Scored | None:
        """The best of the admitted rows: screened, then ranked; None where nothing speaks to it."""
        weighing = self._weighing[self.reads(query.text)]
        met = features.meet(self._index, query)
        if not features.speaks_to(self._index, query, met):
            return None
        cheap = features.screen(self._index, query, met)
        rows = admitted[_top(product(cheap, weighing.screening)[admitted], max(k, CANDIDATES))]
        dear = features.detail(self._index, query, met, rows, self._form)
        found = np.concatenate([cheap[rows], dear], axis=1)
        by = weighing.developments if query.develops else weighing.ranking
        # Without what says nothing here: sums of other lengths round otherwise.
        weighed = np.take(features.with_products(found, query), self._weighed, axis=1)
        scores = _log_share(weighed @ by[self._weighed])
        top = _top(scores, k)
        return Scored(rows[top], scores[top], found[top])

    def _sought(self, plan: Plan) -> list[Sought]:
        read = [q for q in plan.queries if self.reads(q)]
        probes = dict(zip(read, map(self._fitting, self._probes.of(read)), strict=True))
        blank = Encoded.alone(
            np.zeros((1, self._index.meaning.vectors.shape[1]), dtype=np.float32),
            np.zeros((0, self._index.meaning.tokens.shape[1]), dtype=np.int8),
            np.zeros(1, dtype=np.int32),
        )
        surface = self._index.surface
        return [features.sought(plan, q, probes.get(q, blank), surface) for q in plan.queries]

    def _fitting(self, probe: Encoded) -> Encoded:
        """The query, which has to be in the space of the messages."""
        length, expected = probe.vectors.shape[1], self._index.meaning.vectors.shape[1]
        if length != expected:
            raise StoreError(
                f"embeddings {self._embedder_name}: a query's vector of {length} numbers, expected "
                f"{expected} as the messages' have; one name must mean one model: take the former "
                "one, name this one otherwise, or remove the chat and import it again"
            )
        return probe

    def reads(self, query: str) -> bool:
        """Whether the embedder reads the chat and the query; where not, words alone decide."""
        return reads(self._languages, self._index.surface.language) and reads_query(
            self._languages, query
        )

    def _admitted(self, limits: Filter) -> NDArray[np.int64]:
        if limits == Filter():
            return np.arange(self._index.size)
        surface = self._index.surface
        inside = np.ones(self._index.size, dtype=bool)
        if limits.senders:
            numbers = [i for i, who in enumerate(surface.senders) if who in limits.senders]
            inside &= np.isin(surface.sender, numbers)
        if limits.since is not None:
            inside &= surface.seconds >= limits.since.timestamp()
        if limits.until is not None:
            inside &= surface.seconds < limits.until.timestamp()
        return np.flatnonzero(inside)

    def _like_best(self, scored: Scored) -> list[float]:
        """How near each is to the six best together, above what any message of the chat is.

        The parts of a development speak of the same thing in other words than the question.
        """
        vectors = self._index.meaning.vectors
        head = np.argsort(-scored.scores, kind="stable")[:_CORE]
        strength = np.exp((scored.scores[head] - scored.scores.max()) / 2)
        core = (strength / strength.sum()) @ vectors[scored.rows[head]]
        usual = float(np.asarray(vectors.mean(axis=0) @ core))
        return [round(float(v), 4) for v in product(vectors[scored.rows], core) - usual]

    @cached_property
    def _usual(self) -> float:
        """What everyday topics reach in this chat, worked out for the first development asked for."""
        told = self._probes.of(topics(self._index.surface.language))
        return round(usual_nearness(self._index, np.stack([t.vectors[0] for t in told])), 4)

    def _candidates(
        self, scored: Scored, read: bool, like_best: list[float] | None
    ) -> list[Candidate]:
        ids = self._index.surface.local_ids[scored.rows].tolist()
        left_out = self._untold[read] | self._speechless
        named = [i for i, name in enumerate(NAMES) if name not in left_out]
        names = [NAMES[i] for i in named]
        whys = np.round(scored.features[:, named].astype(np.float64), 4).tolist()
        if like_best is not None:
            names = [*names, "like_best", "usual_nearness"]
            usual = self._usual
            whys = [[*why, like, usual] for why, like in zip(whys, like_best, strict=True)]
        return [
            # Built from our own numbers, so there is nothing to validate a thousand times over.
            Candidate.unchecked(
                chat_id=self._chat.chat_id,
                local_id=local_id,
                score=round(score, 6),
                why=dict(zip(names, why, strict=True)),
            )
            for local_id, score, why in zip(ids, scored.scores.tolist(), whys, strict=True)
        ]


class Probes:
    """Queries as vectors; the last thousand are remembered, since both modes ask the same."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Encoded] = OrderedDict()
        self._lock = Lock()

    def of(self, queries: Sequence[str]) -> list[Encoded]:
        """The encoding of each query."""
        with self._lock:
            fresh = [q for q in dict.fromkeys(queries) if q not in self._known]
            if fresh:
                encoded = self._embedder.encode_queries(fresh)
                for query, one in zip(fresh, _singly(encoded), strict=True):
                    self._known[query] = one
            found = [self._known[q] for q in queries]
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found


def check_weights(weights: Weights) -> None:
    """Raise ConfigurationError where the weights lack what a search goes by, with any embedder."""
    _by_all(weights)
    _without(WORDED, "_vectors", weights)
    _without(DENSE, "_lexical", weights)


def _singly(encoded: Encoded) -> list[Encoded]:
    starts = np.concatenate([[0], np.cumsum(encoded.counts)])
    return [
        Encoded.alone(
            encoded.vectors[i : i + 1],
            encoded.tokens[starts[i] : starts[i + 1]],
            encoded.counts[i : i + 1],
        )
        for i in range(len(encoded.counts))
    ]


_GROUPS = {
    "screening": SCREEN,
    "ranking": RANKING,
    "ranking_arc": tuple(name for name in RANKING if name not in NOT_OF_ARCS),
}


def _by_all(weights: Weights) -> Weighing:
    return _weighing({group: (group, names) for group, names in _GROUPS.items()}, weights)


def _without(untold: frozenset[str], suffix: str, weights: Weights) -> Weighing:
    """The weights without these features: fitted so, or else the others with them left out."""
    groups = {}
    for group, names in _GROUPS.items():
        fitted = f"{group}{suffix}" if f"{group}{suffix}" in weights.groups else group
        groups[group] = fitted, tuple(name for name in names if name not in untold)
    return _weighing(groups, weights)


def _weighing(groups: Mapping[str, tuple[str, Sequence[str]]], weights: Weights) -> Weighing:
    """Of each stage the weights of a group's names; what is not among them weighs nothing."""

    def of(stage: str, every: Sequence[str]) -> Floats:
        group, names = groups[stage]
        given = dict(zip(names, weights.of(group, names), strict=True))
        return np.asarray([given.get(name, 0.0) for name in every], dtype=np.float32)

    return Weighing(
        screening=of("screening", SCREEN),
        ranking=of("ranking", RANKING),
        developments=of("ranking_arc", RANKING),
    )


def _top(scores: Floats, k: int) -> NDArray[np.int64]:
    """The positions of the k highest, ascending; of equal scores the earlier go first."""
    if len(scores) <= k:
        return np.arange(len(scores))
    border = np.partition(scores, len(scores) - k)[len(scores) - k]
    chosen = scores > border
    chosen[np.flatnonzero(scores == border)[: k - np.count_nonzero(chosen)]] = True
    return np.flatnonzero(chosen)


def _log_share(scores: Floats) -> Floats:
    held = scores.astype(np.float64)
    top = held.max()
    return np.asarray(held - top - np.log(np.exp(held - top).sum()), dtype=np.float32)
