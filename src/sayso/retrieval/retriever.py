"""The one retriever of both modes: candidates of one chat, ranked by weighted features."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Candidate, Chat, Filter, Plan
from sayso.retrieval import features
from sayso.retrieval.embedder import Embedder, Encoded
from sayso.retrieval.features import NAMES, SCREEN, Sought
from sayso.retrieval.index import Index
from sayso.weights import Weights

CANDIDATES = 250
_REMEMBERED = 1000

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Scored:
    """Messages (row numbers, ascending) with their log shares and features."""

    rows: NDArray[np.int64]
    scores: Floats
    features: Floats


class HybridRetriever:
    """Lexical and dense search over one chat, fused by a linear model in two stages.

    A plan's queries are searched one by one and a message keeps its best score. Ties break by
    message order, so equal inputs give equal bytes.
    """

    def __init__(self, chat: Chat, index: Index, weights: Weights, embedder: Embedder) -> None:
        self._chat = chat
        self._index = index
        self._screen = np.asarray(weights.of("screening", SCREEN), dtype=np.float32)
        self._ranking = np.asarray(weights.of("ranking", NAMES), dtype=np.float32)
        self._probes = Probes(embedder)

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` candidates, best first, each admitted by ``plan.limits``.

        ``score`` is the log of the share of relevance that the model gives the message among the
        candidates (a listwise softmax, so at most 0 and comparable between queries); ``why`` holds
        the features behind it. Empty where nothing is admitted, and where no query shares a word
        or a meaning with the chat.
        """
        admitted = self._admitted(plan.limits)
        if not len(admitted) or not plan.queries:
            return ()
        best: dict[int, Candidate] = {}
        for query in self._sought(plan):
            scored = self.score(query, admitted, k)
            for candidate in self._candidates(scored) if scored else ():
                held = best.get(candidate.local_id)
                if held is None or candidate.score > held.score:
                    best[candidate.local_id] = candidate
        position = self._chat.position
        ranked = sorted(best.values(), key=lambda c: (-c.score, position[c.local_id]))
        return tuple(ranked[:k])

    def score(self, query: Sought, admitted: NDArray[np.int64], k: int) -> Scored | None:
        """The best of the admitted rows: screened, then ranked; None where nothing speaks to it."""
        alike = features.cosines(self._index, query)
        if not features.speaks_to(self._index, query, alike):
            return None
        cheap = features.screen(self._index, query, alike)[admitted]
        kept = np.sort(_top(cheap @ self._screen, max(k, CANDIDATES)))
        rows = admitted[kept]
        found = np.concatenate(
            [cheap[kept], features.detail(self._index, query, alike, rows)], axis=1
        )
        scores = _log_share(found @ self._ranking)
        top = np.sort(_top(scores, k))
        return Scored(rows[top], scores[top], found[top])

    def _sought(self, plan: Plan) -> list[Sought]:
        probes = self._probes.of(plan.queries)
        return [features.sought(plan, q, p) for q, p in zip(plan.queries, probes, strict=True)]

    def _admitted(self, limits: Filter) -> NDArray[np.int64]:
        if limits == Filter():
            return np.arange(self._index.size)
        inside = [limits.admits(m) for m in self._chat.messages]
        return np.flatnonzero(np.asarray(inside, dtype=bool))

    def _candidates(self, scored: Scored) -> list[Candidate]:
        ids = self._index.surface.local_ids[scored.rows].tolist()
        whys = np.round(scored.features.astype(np.float64), 4).tolist()
        return [
            # Built from our own numbers, so there is nothing to validate a thousand times over.
            Candidate.model_construct(
                chat_id=self._chat.chat_id,
                local_id=local_id,
                score=round(score, 6),
                why=dict(zip(NAMES, why, strict=True)),
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
        """The encoding of each query and its statement; all new ones in one batch."""
        with self._lock:
            fresh = [q for q in dict.fromkeys(queries) if q not in self._known]
            if fresh:
                texts = [t for q in fresh for t in features.probe_texts(q)]
                for query, encoded in zip(fresh, _pairs(self._embedder, texts), strict=True):
                    self._known[query] = encoded
            found = [self._known[q] for q in queries]
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found


def _pairs(embedder: Embedder, texts: Sequence[str]) -> list[Encoded]:
    encoded = embedder.encode_queries(texts)
    starts = np.concatenate([[0], np.cumsum(encoded.counts)])
    return [
        Encoded(
            encoded.vectors[i : i + 2],
            encoded.tokens[starts[i] : starts[i + 2]],
            encoded.counts[i : i + 2],
        )
        for i in range(0, len(texts), 2)
    ]


def _top(scores: Floats, k: int) -> NDArray[np.int64]:
    """The positions of the k highest, best first; equal scores in ascending position."""
    if len(scores) > 4 * k:
        # Ties at the border go to the earlier message, as in the full sort.
        border = np.partition(scores, len(scores) - k)[len(scores) - k]
        at = np.flatnonzero(scores >= border)
        return at[np.argsort(-scores[at], kind="stable")][:k]
    return np.argsort(-scores, kind="stable")[:k]


def _log_share(scores: Floats) -> Floats:
    held = scores.astype(np.float64)
    top = held.max()
    return np.asarray(held - top - np.log(np.exp(held - top).sum()), dtype=np.float32)
