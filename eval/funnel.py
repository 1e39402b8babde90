"""Where evidence is lost: in the chat → retrieved → kept by the grader → cited → span exact.

Each expected message passes the stages in order and is lost at the first that does not hold it;
an id that names no message is lost before the first. Counts are of messages, not of cases.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from eval.gold import Truth
from sayso.core.trail import Trail

Stage = Literal["in the chat", "retrieved", "kept by the grader", "cited", "span exact"]
STAGES: tuple[Stage, ...] = (
    "in the chat",
    "retrieved",
    "kept by the grader",
    "cited",
    "span exact",
)

# A grader that gives less than one in ten says that the message is no evidence.
KEPT = 0.1


@dataclass(frozen=True)
class Lost:
    """An expected message (or an id that names none) and the stage that did not hold it."""

    id: int | str
    at: Stage


@dataclass(frozen=True)
class Passage:
    """How many of a case's expected messages each stage still holds, and where the rest went."""

    expected: int
    held: Mapping[Stage, int]
    lost: tuple[Lost, ...]


def passage(trail: Trail, truth: Truth) -> Passage:
    """One case through the stages; ``expected`` counts ids that name no message as well."""
    cited = set(trail.answer.local_ids)
    retrieved = {c.local_id for r in trail.rounds for c in r.candidates}
    # What was cited was at hand, though another system's ranking may not tell of it.
    retrieved |= {c.local_id for c in trail.ranking} | cited
    # A system without a grader throws nothing away.
    kept = {g.local_id for g in trail.graded if g.relevance >= KEPT} if trail.graded else retrieved
    exact = _exact(trail, truth)
    held_by: tuple[tuple[Stage, set[int]], ...] = (
        ("retrieved", retrieved),
        ("kept by the grader", kept | cited),  # what was cited was not thrown away
        ("cited", cited),
        ("span exact", exact),
    )
    lost = [Lost(given, "in the chat") for given in truth.expected.unreachable]
    standing = list(truth.expected.local_ids)
    held: dict[Stage, int] = {"in the chat": len(standing)}
    for stage, ids in held_by:
        lost += [Lost(local_id, stage) for local_id in standing if local_id not in ids]
        standing = [local_id for local_id in standing if local_id in ids]
        held[stage] = len(standing)
    return Passage(held["in the chat"] + len(truth.expected.unreachable), held, tuple(lost))


def total(passages: Iterable[Passage]) -> dict[str, int]:
    """Messages that each stage still holds, added up over cases; ``expected`` first."""
    counts: Counter[str] = Counter()
    for one in passages:
        counts["expected"] += one.expected
        counts.update(one.held)
    return {name: counts[name] for name in ("expected", *STAGES)}


def _exact(trail: Trail, truth: Truth) -> set[int]:
    """The cited messages of which some citation is exactly an expected span."""
    wanted = {(span.doc_id, span.start, span.end) for span in truth.spans}
    return {e.local_id for e in trail.answer.evidence if (e.doc_id, e.start, e.end) in wanted}
