"""A run to a row: what was expected, what came back, and every metric of it.

None is a metric without a value: evidence, span and ranked metrics where nothing can be found
(unanswerable and unreachable cases), everything where the case failed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from eval.cases import Case, CaseKind, Id, QaCase, kind_of
from eval.funnel import Passage, passage
from eval.gold import Gold, Repair, SpanTruth, Truth, truth_of
from eval.metrics import (
    CharacterSpan,
    GroundedClaim,
    Source,
    all_hit,
    all_hit_at_k,
    citation_validity,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    fuzzy_recall,
    get_metric,
    global_recall,
    groundedness,
    ndcg_at_k,
    phase_coverage,
    phase_recall,
    phase_recalls,
    recall_at_k,
    timeline_coverage,
)
from eval.metrics.answers import exact_match, token_f1
from eval.replay import Run
from sayso.core.chat import Chat
from sayso.core.models import Answer, Evidence
from sayso.core.time_expressions import days_spoken_of
from sayso.core.trail import Trail, Usage

SPAN_METRICS = ("recall", "precision", "iou", "f1")
RANKED: dict[str, tuple[Callable[[Iterable[int], Iterable[int], int], float], int]] = {
    "recall@5": (recall_at_k, 5),
    "recall@10": (recall_at_k, 10),
    "recall@20": (recall_at_k, 20),
    "recall@50": (recall_at_k, 50),
    "all_hit@10": (all_hit_at_k, 10),
    "ndcg@10": (ndcg_at_k, 10),
}
ANSWERED: dict[str, Callable[[str, str], float]] = {
    "answer/exact_match": exact_match,
    "answer/f1": token_f1,
}
METRICS: dict[CaseKind, tuple[str, ...]] = {
    "qa": (
        "evidence_recall",
        "fuzzy_recall",
        "evidence_precision",
        "evidence_f1",
        "all_hit",
        "timeline_coverage",
        "citation_validity",
        "groundedness",
        *(f"span/{name}" for name in SPAN_METRICS),
        *ANSWERED,
        *RANKED,
    ),
    "arc": (
        "global_recall",
        "phase_coverage",
        "phase_recall",
        "evidence_precision",
        "evidence_f1",
        "timeline_coverage",
        "citation_validity",
        "groundedness",
        *RANKED,
    ),
}
"""The metrics of each kind of case, in the order of every table."""

FOUND = ("full", "partial")  # gold with evidence that a mode could find

# A longer stretch ("last year") is spoken of as a whole; its single days are not.
_LONGEST_BY_DAY = 31


@dataclass(frozen=True)
class Row:
    """One case through one mode, scored. ``phase_recalls`` has None for an unreachable phase.

    ``answerable`` is the case's own word; ``abstained`` is None where the case failed. ``group``
    is the conversation for statistics, or the conversations that share people. ``passage`` tells
    where evidence was lost, None where there was none to lose. ``spent`` is what a case without a
    trail had used of a model.
    """

    case_id: str
    mode: str
    dataset: str
    kind: CaseKind
    chat: str
    category: str | None
    question: str
    answerable: bool
    gold: Gold
    expected_ids: tuple[int, ...]
    returned_ids: tuple[int, ...]
    repaired: tuple[Repair, ...]
    unreachable: tuple[Id, ...]
    span_truth: SpanTruth | None
    metrics: dict[str, float | None]
    phase_recalls: tuple[float | None, ...]
    abstained: bool | None
    error: str | None
    seconds: float
    group: str = ""
    repeat: int = 0
    passage: Passage | None = None
    trail: Trail | None = field(repr=False, default=None)
    spent: Usage | None = None


def score(run: Run) -> Row:
    """The row of a run."""
    case, chat = run.ready.case, run.ready.chat
    truth = truth_of(case, chat)
    kind = kind_of(case)
    answer = run.trail.answer if run.trail else None
    returned = answer.local_ids if answer else ()
    values: dict[str, float | None] = dict.fromkeys(METRICS[kind])
    if run.trail:
        values |= _of_answer(run.trail.answer, chat)
        values |= _of_text(run.trail.answer, case)
        if truth.gold in FOUND:
            values |= _of_evidence(kind, run.trail, truth, chat)
    return Row(
        case_id=case.case_id,
        mode=run.mode,
        dataset=run.ready.dataset,
        kind=kind,
        chat=chat.chat_id,
        category=case.category,
        question=case.question,
        answerable=case.answerable,
        gold=truth.gold,
        expected_ids=truth.expected.local_ids,
        returned_ids=returned,
        repaired=truth.expected.repaired,
        unreachable=truth.expected.unreachable,
        span_truth=truth.span_truth,
        metrics=values,
        phase_recalls=phase_recalls(returned, truth.phases) if answer else (),
        abstained=answer.abstained if answer else None,
        error=run.error,
        seconds=run.seconds,
        group=run.ready.group or chat.chat_id,
        repeat=run.repeat,
        passage=passage(run.trail, truth) if run.trail and truth.gold in FOUND else None,
        trail=run.trail,
        spent=run.spent,
    )


def _of_answer(answer: Answer, chat: Chat) -> dict[str, float | None]:
    """What can be said of an answer without knowing the truth."""
    verified = len(answer.evidence)
    claims = [(claim.text, claim.evidence) for claim in answer.claims]
    claims += [(phase.summary, phase.evidence) for phase in answer.phases]
    names = [name for p in chat.participants for name in (p.name, *p.aliases)]
    grounded = [GroundedClaim(text, _sources(evidence, chat)) for text, evidence in claims]
    return {
        "citation_validity": citation_validity(verified, verified + len(answer.unsupported)),
        "groundedness": groundedness(grounded, answer.abstained, participants=names),
    }


def _of_text(answer: Answer, case: Case) -> dict[str, float | None]:
    """The words of the answer against the gold answer, where a question has one and can have one."""
    if not isinstance(case, QaCase) or case.answer is None or not case.answerable:
        return {}
    gold = str(case.answer)
    if not gold.strip():  # a column left empty is no answer
        return {}
    return {name: metric(answer.text, gold) for name, metric in ANSWERED.items()}


def _of_evidence(kind: CaseKind, trail: Trail, truth: Truth, chat: Chat) -> dict[str, float | None]:
    """What came back against what was expected; only for a truth with reachable evidence."""
    returned, expected = trail.answer.local_ids, truth.expected.local_ids
    ranking = [candidate.local_id for candidate in trail.ranking]
    values: dict[str, float | None] = {
        "evidence_precision": evidence_precision(returned, expected),
        "evidence_f1": evidence_f1(returned, expected),
        "timeline_coverage": timeline_coverage(
            [chat.by_id[i].sent_at for i in expected],
            [evidence.sent_at for evidence in trail.answer.evidence],
            chat.zone,
        ),
    }
    values |= {name: metric(ranking, expected, k) for name, (metric, k) in RANKED.items()}
    if kind == "arc":
        return values | {
            "global_recall": global_recall(returned, truth.phases),
            "phase_coverage": phase_coverage(returned, truth.phases),
            "phase_recall": phase_recall(returned, truth.phases),
        }
    return values | {
        "evidence_recall": evidence_recall(returned, expected),
        "fuzzy_recall": fuzzy_recall(returned, expected),
        "all_hit": all_hit(returned, expected),
        **_of_spans(trail.answer.evidence, truth.spans),
    }


def _of_spans(
    evidence: Sequence[Evidence], truth: Sequence[CharacterSpan]
) -> dict[str, float | None]:
    # Photos without a text have no characters to find: as evidence they count, as spans they cannot.
    if not any(span.end > span.start for span in truth):
        return {}
    cited = [CharacterSpan(e.doc_id, e.start, e.end) for e in evidence]
    return {f"span/{name}": get_metric(name).calculate(cited, truth) for name in SPAN_METRICS}


def _sources(evidence: Sequence[Evidence], chat: Chat) -> tuple[Source, ...]:
    return tuple(_source(i, chat) for i in dict.fromkeys(e.local_id for e in evidence))


def _source(local_id: int, chat: Chat) -> Source:
    message = chat.by_id[local_id]
    said_at = message.sent_at.astimezone(chat.zone)
    days: set[date] = set()
    for text in filter(None, (message.text, message.caption)):
        for spoken in days_spoken_of(text, said_at):
            last = spoken.days - 1
            steps = range(last + 1) if spoken.days <= _LONGEST_BY_DAY else (0, last)
            days.update(spoken.first + timedelta(days=n) for n in steps)
    return Source(
        text=message.text,
        sent_at=said_at,
        sender=message.sender,
        caption=message.caption,
        dates=frozenset(days),
        aliases=next((p.aliases for p in chat.participants if p.name == message.sender), ()),
    )
