"""The measures: pure functions of what came back and what was expected."""

from eval.metrics.arcs import global_recall, phase_coverage, phase_recall, phase_recalls
from eval.metrics.grounding import GroundedClaim, Source, citation_validity, groundedness
from eval.metrics.ids import (
    all_hit,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    fuzzy_recall,
)
from eval.metrics.ranked import all_hit_at_k, ndcg_at_k, recall_at_k
from eval.metrics.spans import (
    Metric,
    calculate_overlap,
    f1,
    get_metric,
    iou,
    merge_overlapping_spans,
    precision,
    recall,
)
from eval.metrics.timeline import timeline_coverage
from sayso.core.spans import CharacterSpan, SpanRange

__all__ = [
    "CharacterSpan",
    "GroundedClaim",
    "Metric",
    "Source",
    "SpanRange",
    "all_hit",
    "all_hit_at_k",
    "calculate_overlap",
    "citation_validity",
    "evidence_f1",
    "evidence_precision",
    "evidence_recall",
    "f1",
    "fuzzy_recall",
    "get_metric",
    "global_recall",
    "groundedness",
    "iou",
    "merge_overlapping_spans",
    "ndcg_at_k",
    "phase_coverage",
    "phase_recall",
    "phase_recalls",
    "precision",
    "recall",
    "recall_at_k",
    "timeline_coverage",
]
