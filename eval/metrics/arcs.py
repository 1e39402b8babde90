"""Arc metrics: how much of each phase of a development does an answer cite?

``phases`` holds the expected localIds of each phase. A phase without ids has nothing that can be
found (its evidence is not in the chat) and stays out of every denominator.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from eval.metrics.ids import evidence_recall


def global_recall(returned: Iterable[int], phases: Iterable[Collection[int]]) -> float:
    """Share of the ids of all phases together that were returned, in [0, 1].

    An id that two phases share counts once; 1.0 when no phase has ids.
    """
    return evidence_recall(returned, chain.from_iterable(phases))


def phase_coverage(returned: Iterable[int], phases: Sequence[Collection[int]]) -> float:
    """Share of the phases of which at least one id was returned, in [0, 1]; 1.0 without phases."""
    recalls = _defined(phase_recalls(returned, phases))
    return sum(recall > 0 for recall in recalls) / len(recalls) if recalls else 1.0


def phase_recalls(
    returned: Iterable[int], phases: Iterable[Collection[int]]
) -> tuple[float | None, ...]:
    """Evidence recall of each phase, in the order of the phases; None for a phase without ids."""
    given = set(returned)
    return tuple(evidence_recall(given, phase) if phase else None for phase in phases)


def phase_recall(returned: Iterable[int], phases: Iterable[Collection[int]]) -> float:
    """Mean of the phases' recalls: every phase weighs the same; 1.0 when no phase has ids."""
    recalls = _defined(phase_recalls(returned, phases))
    return sum(recalls) / len(recalls) if recalls else 1.0


def _defined(recalls: Iterable[float | None]) -> list[float]:
    return [recall for recall in recalls if recall is not None]
