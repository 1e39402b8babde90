"""The one retriever of both modes: candidates of one chat, ranked by weighted features."""

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Candidate, Chat, Plan
from sayso.retrieval import features
from sayso.retrieval.features import NAMES, Embed
from sayso.retrieval.index import Index
from sayso.weights import Weights


class HybridRetriever:
    """Lexical and dense search over one chat, fused by a linear model.

    A plan's queries are searched one by one and a message keeps its best score. Ties break by
    message order, so equal inputs give equal bytes.
    """

    def __init__(self, chat: Chat, index: Index, weights: Weights, embed: Embed) -> None:
        self._chat = chat
        self._index = index
        self._ranking = np.asarray([weights.ranking[name] for name in NAMES], dtype=np.float32)
        self._embed = embed

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` candidates, best first, each admitted by ``plan.limits``.

        ``score`` is the log of the share of relevance that the model gives the message among all
        that are admitted (a listwise softmax, so at most 0 and comparable between queries);
        ``why`` holds the features behind it. Empty where nothing is admitted, and where no query
        shares a word or a meaning with the chat.
        """
        admitted = np.asarray([plan.limits.admits(m) for m in self._chat.messages], dtype=bool)
        if not admitted.any() or not plan.queries:
            return ()
        best: NDArray[np.float32] | None = None
        rows: NDArray[np.float32] | None = None
        for query in plan.queries:
            sought = features.sought(plan, query)
            if not features.speaks_to(self._index, sought, self._embed):
                continue
            found = features.compute(self._index, sought, self._embed)
            score = _log_share(found @ self._ranking, admitted)
            if best is None or rows is None:
                best, rows = score, found
            else:
                better = score > best
                best, rows = np.where(better, score, best), np.where(better[:, None], found, rows)
        if best is None or rows is None:
            return ()
        order = np.argsort(-best, kind="stable")
        order = order[admitted[order]][:k]
        return tuple(self._candidate(int(i), float(best[i]), rows[i]) for i in order)

    def _candidate(self, row: int, score: float, found: NDArray[np.float32]) -> Candidate:
        return Candidate(
            chat_id=self._chat.chat_id,
            local_id=int(self._index.local_ids[row]),
            score=round(score, 6),
            why={name: round(float(v), 4) for name, v in zip(NAMES, found, strict=True)},
        )


def _log_share(scores: NDArray[np.float32], admitted: NDArray[np.bool_]) -> NDArray[np.float32]:
    held = scores[admitted].astype(np.float64)
    top = held.max()
    return np.asarray(scores - top - np.log(np.exp(held - top).sum()), dtype=np.float32)
