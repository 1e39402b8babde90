"""Messages that no search found but that stand beside what one found, so that they can be cited."""

from collections.abc import Iterable, Sequence

from sayso.core.models import Candidate, Graded, Verdict
from sayso.core.seams import Grading
from sayso.reasoning.showing import neighbours

UNGRADED = 0.005  # the relevance of a neighbour that nobody gave anything for
_BEHIND_ANCHOR = 3.0


def beside(given: Grading, anchors: Iterable[int]) -> dict[int, int]:
    """Neighbours of the anchors that the plan's limits admit, each with the anchor it is beside."""
    found: dict[int, int] = {}
    for anchor in anchors:
        for local_id in neighbours(given.chat, anchor):
            if given.plan.limits.admits(given.chat.by_id[local_id]):
                found.setdefault(local_id, anchor)
    return found


def with_neighbours(given: Grading, verdict: Verdict, anchors: Sequence[Graded]) -> Verdict:
    """The verdict with the anchors' neighbours behind all else, so that they can be cited."""
    known = {g.local_id for g in verdict.graded}
    scores = {g.local_id: g.candidate.score for g in verdict.graded}
    joined = tuple(
        neighbour(given, local_id, anchor, scores[anchor], UNGRADED)
        for local_id, anchor in beside(given, [g.local_id for g in anchors]).items()
        if local_id not in known
    )
    return verdict.model_copy(update={"graded": (*verdict.graded, *joined)})


def is_beside(graded: Graded) -> bool:
    """Whether it was not found by a search but stands beside what was."""
    return "beside" in graded.candidate.why


def neighbour(given: Grading, local_id: int, anchor: int, score: float, relevance: float) -> Graded:
    """A graded candidate that no search found; its score lies behind its anchor's."""
    return Graded(
        candidate=Candidate(
            chat_id=given.chat.chat_id,
            local_id=local_id,
            score=score - _BEHIND_ANCHOR,
            why={"beside": float(anchor)},
        ),
        relevance=relevance,
        why=f"beside #{anchor}",
    )
