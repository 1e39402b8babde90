"""One trail step by step: the plan, the rounds, each step with its cost, and why it ended."""

from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element

from eval.report.markup import clipped, h
from sayso.core.models import Filter, Plan
from sayso.core.trail import StepRecord, Trail, Usage

_MOST_RAW = 600  # characters shown of a reply that could not be used
_MOST_QUERIES = 8
_MOST_IDS = 10

# What each step of ours does, for readers who know only its name.
_DOES = {
    "oneshot/q1": "understands the question",
    "oneshot/q2": "finds the messages that match best",
    "oneshot/q3": "adds what they are linked with, and grades all",
    "oneshot/q4": "writes the answer",
    "oneshot/q5": "checks what it cites",
    "agent/planner": "understands the question",
    "agent/retriever": "finds messages",
    "agent/grader": "grades them, and says whether they suffice",
    "agent/generator": "writes the answer, and checks what it cites",
}


def trail_view(trail: Trail) -> Element:
    """Closed at first; its summary tells steps, time and why it ended."""
    spent = sum(step.milliseconds for step in trail.steps) / 1000
    return h(
        "details",
        h(
            "summary",
            "Trail of ",
            h("bdi", trail.mode),
            f": {len(trail.steps)} steps, {spent:.2f} s, {cost_words(trail.usage)}; "
            f"ended with: {trail.stop_reason}",
        ),
        h("dl", [*_plan(trail.plan), *_found(trail)], class_="plan"),
        [_round(n, one.plan, len(one.candidates)) for n, one in enumerate(trail.rounds[1:], 2)],
        h("ol", [_step(step) for step in trail.steps], class_="steps"),
        class_="trail",
    )


def cost_words(usage: Usage) -> str:
    """``3 model calls, 2100 + 90 tokens, cost 0.0021``, or that no model was called."""
    if not (usage.model_calls or usage.cache_hits):
        return "no model call"
    told = [f"{usage.model_calls} model calls"]
    if usage.cache_hits:
        told.append(f"{usage.cache_hits} from the cache")
    if usage.retries:
        told.append(f"{usage.retries} made again")
    told.append(f"{usage.prompt_tokens} + {usage.completion_tokens} tokens")
    if usage.cost is not None:
        told.append(f"cost {usage.cost:.4f}")
    return ", ".join(told)


def _plan(plan: Plan) -> list[Element]:
    lines: list[tuple[str, Sequence[str]]] = [
        ("looks for", [plan.intent]),
        ("queries", [*plan.queries[:_MOST_QUERIES]]),
    ]
    lines.append(("aspects", [f"{a.kind}: {a.text}" for a in plan.aspects[:_MOST_QUERIES]]))
    lines.append(("people", [*plan.people]))
    lines.append(("window", _window(plan.since, plan.until)))
    lines.append(("limits", _limits(plan.limits)))
    lines.append(("notes", [*plan.notes]))
    return [
        part
        for name, values in lines
        if values
        for part in (h("dt", name), h("dd", _listed(values)))
    ]


def _found(trail: Trail) -> list[Element]:
    """What was ranked first, and what the grader thought most of, as ids."""
    kept = [f"#{g.candidate.local_id} ({g.relevance:.2f})" for g in trail.graded]
    lines = [
        ("ranked first", [f"#{c.local_id}" for c in trail.ranking], len(trail.ranking)),
        ("graded best", kept, len(kept)),
    ]
    return [
        part
        for name, ids, count in lines
        if ids
        for part in (h("dt", name), h("dd", f"{' '.join(ids[:_MOST_IDS])} of {count}"))
    ]


def _round(number: int, plan: Plan, found: int) -> Element:
    return h(
        "p",
        f"Round {number} found {found} with: ",
        _listed(plan.queries[:_MOST_QUERIES]),
        class_="round",
    )


def _step(step: StepRecord) -> Element:
    told = f" {step.milliseconds:.0f} ms"
    if step.usage.model_calls or step.usage.cache_hits:
        told += f" · {cost_words(step.usage)}"
    if step.prompt_digest:
        told += f" · prompt {step.prompt_digest[:12]}"
    return h(
        "li",
        h("b", step.name),
        f" {_DOES[step.name]}:" if step.name in _DOES else None,
        h("span", told, class_="cost"),
        h("span", " fell back", class_="bad") if step.fell_back else None,
        h("div", h("bdi", step.changed)),
        [h("div", h("bdi", note), class_="note") for note in step.notes],
        [
            h("pre", clipped(raw, _MOST_RAW), dir="auto", aria_label="reply that could not be used")
            for raw in step.raw
        ],
    )


def _listed(values: Sequence[str]) -> list[Element | str]:
    parts: list[Element | str] = []
    for n, value in enumerate(values):
        parts += [" · " if n else "", h("bdi", value)]
    return parts


def _window(since: datetime | None, until: datetime | None) -> list[str]:
    ends = [f"{word} {t:%Y-%m-%d %H:%M}" for word, t in (("from", since), ("until", until)) if t]
    return [" ".join(ends)] if ends else []


def _limits(limits: Filter) -> list[str]:
    return [*limits.senders, *_window(limits.since, limits.until)]
