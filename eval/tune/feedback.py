"""What went wrong at one step in one case, told from its trail: each step hears of its own faults.

The planner hears which gold messages none of its searches reached, the grader what it dropped or
let through, the generator what it held and did not cite, or cited without support.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval.cases import ReadyCase
from eval.gold import truth_of
from eval.scoring import Row
from eval.tune.points import points, unread
from sayso.core.chat import Chat
from sayso.core.models import Plan
from sayso.core.seams import GENERATOR, GRADER, PLANNER, Q1, Q4, Narrating
from sayso.core.trail import Trail
from sayso.reasoning.fencing import one_line
from sayso.reasoning.model_narrating import chosen
from sayso.reasoning.showing import BESIDE

# A grade of 2 and more of 3 stands above it, one of 1 below.
HELD = 0.5
_MOST = 6
_LONGEST = 300


@dataclass(frozen=True)
class Told:
    """One case as a step's author needs to hear it: what was asked, what it did, what was wrong."""

    question: str
    did: tuple[str, ...]
    wrong: tuple[str, ...]
    points: float

    @property
    def record(self) -> dict[str, str]:
        """As GEPA holds it."""
        return {
            "Inputs": f"Question: {self.question}",
            "Generated Outputs": "\n".join(self.did) or "nothing",
            "Feedback": "\n".join(self.wrong) or "Nothing to better in this case.",
            "Points": f"{100 * self.points:.0f} of 100",
        }


def feedback(step: str, ready: ReadyCase, row: Row, metric: str) -> Told:
    """What the step did in this case and what was wrong with it; raises KeyError for another step."""
    tell = _TELLERS[step]
    worth = points(row, metric) or 0.0
    question = one_line(ready.case.question)
    if row.trail is None:
        return Told(
            question, (), (f"The case failed: {one_line(row.error or '', _LONGEST)}",), worth
        )
    did, wrong = tell(row.trail, ready.chat, _gold(ready))
    if unread(row, step):
        raws = [raw for one in row.trail.steps if one.name == step for raw in one.raw]
        shown = one_line(raws[-1], _LONGEST) if raws else "nothing"
        wrong = [f"The reply does not fit the schema, so it was thrown away: {shown}", *wrong]
    return Told(question, tuple(did), tuple(wrong), worth)


_Tale = tuple[list[str], list[str]]


def _of_planner(trail: Trail, chat: Chat, gold: Sequence[int]) -> _Tale:
    first = trail.rounds[0] if trail.rounds else None
    plan = first.plan if first else trail.plan
    reached = {c.local_id for c in (first.candidates if first else trail.ranking)}
    missed = [i for i in gold if i not in reached]
    wrong = [f"None of its searches reached this message, which answers: {_line(chat, i)}"
             for i in missed[:_MOST]]  # fmt: skip
    if missed:
        wrong.append(f"Reached: {len(gold) - len(missed)} of {len(gold)} messages that answer.")
    outside = [i for i in gold if plan.people and chat.by_id[i].sender not in plan.people]
    wrong += [f"It named people who did not write this message: {_line(chat, i)}"
              for i in outside[:_MOST]]  # fmt: skip
    wrong += [f"Its days leave this message out: {_line(chat, i)}"
              for i in gold if _is_outside(plan, chat, i)][:_MOST]  # fmt: skip
    return _searches(plan), wrong


def _of_grader(trail: Trail, chat: Chat, gold: Sequence[int]) -> _Tale:
    relevance = {g.local_id: g.relevance for g in trail.graded}
    found = {c.local_id for r in trail.rounds for c in r.candidates} | set(relevance)
    held = [i for i, share in relevance.items() if share >= HELD]
    dropped = [i for i in gold if i in found and relevance.get(i, 0.0) < HELD]
    through = [i for i in held if i not in gold]
    did = [f"Held to be evidence: {_line(chat, i)}" for i in held[:_MOST]]
    did.append(f"Rounds of searching: {len(trail.rounds)}")
    wrong = [f"It dropped this message, which answers: {_line(chat, i)}" for i in dropped[:_MOST]]
    wrong += [f"It let this message through, which does not answer: {_line(chat, i)}"
              for i in through[:_MOST]]  # fmt: skip
    unfound = [i for i in gold if i not in found]
    if unfound and len(trail.rounds) < 2:
        wrong.append(f"It asked for no further search, though {len(unfound)} messages that answer "
                     f"were not among those shown, such as: {_line(chat, unfound[0])}")  # fmt: skip
    if gold and not unfound and not dropped and len(trail.rounds) > 1:
        wrong.append("It asked for further searches, though all that answers was there.")
    return did, wrong


def _of_generator(trail: Trail, chat: Chat, gold: Sequence[int]) -> _Tale:
    answer = trail.answer
    cited = answer.local_ids
    held = _shown(trail, chat)
    did = [
        f"Answer: {one_line(answer.text, _LONGEST)}",
        *(f"Cited: {_line(chat, i)}" for i in cited),
    ]
    wrong = [f"It held this message, which answers, and did not cite it: {_line(chat, i)}"
             for i in gold if i in held and i not in cited][:_MOST]  # fmt: skip
    wrong += [f"It cited without support; this message does not answer: {_line(chat, i)}"
              for i in cited if i not in gold][:_MOST]  # fmt: skip
    wrong += [f"A citation does not hold: {one_line(one.reason, _LONGEST)}"
              for one in answer.unsupported][:_MOST]  # fmt: skip
    if answer.abstained and gold and held & set(gold):
        wrong.append("It said that nothing was found, though it held messages that answer.")
    if not gold and not answer.abstained:
        wrong.append(
            "Nothing in the chat answers this; it should have said that nothing was found."
        )
    return did, wrong


_TELLERS: Mapping[str, Callable[[Trail, Chat, Sequence[int]], _Tale]] = {
    PLANNER.name: _of_planner,
    Q1.name: _of_planner,
    GRADER.name: _of_grader,
    GENERATOR.name: _of_generator,
    Q4.name: _of_generator,
}
STEPS = tuple(_TELLERS)
"""The steps that a prompt can be tuned for."""


def _gold(ready: ReadyCase) -> tuple[int, ...]:
    return truth_of(ready.case, ready.chat).expected.local_ids


def _shown(trail: Trail, chat: Chat) -> set[int]:
    """What the generator was shown: the best of the graded, and those beside them."""
    step = Q4.name if trail.mode == "oneshot" else GENERATOR.name
    given = Narrating(trail.question, chat, trail.plan, trail.graded)
    best = [g.local_id for g in chosen(given, step)]
    near = {chat.position[i] + away for i in best for away in range(-BESIDE, BESIDE + 1)}
    return {g.local_id for g in trail.graded if chat.position[g.local_id] in near}


def _searches(plan: Plan) -> list[str]:
    said = [f"Kind of answer: {plan.intent}"]
    said += [f"Search: {one_line(query, _LONGEST)}" for query in plan.queries]
    for aspect in plan.aspects:
        who = f" by {', '.join(map(one_line, aspect.people))}" if aspect.people else ""
        said.append(f"Search ({aspect.kind}{who}): {one_line(aspect.text, _LONGEST)}")
    return said


def _is_outside(plan: Plan, chat: Chat, local_id: int) -> bool:
    sent = chat.by_id[local_id].sent_at
    early = plan.since is not None and sent < plan.since
    return early or (plan.until is not None and sent >= plan.until)


def _line(chat: Chat, local_id: int) -> str:
    message = chat.by_id[local_id]
    shown = " ".join(filter(None, (message.text, message.caption and f"[{message.caption}]")))
    day = f"{message.sent_at.astimezone(chat.zone):%Y-%m-%d}"
    return one_line(f"{day} {message.sender}: {shown}", _LONGEST)


def as_text(records: Iterable[Mapping[str, str]]) -> str:
    """The records as lines, for a fence."""
    parts = []
    for number, record in enumerate(records, 1):
        lines = [f"Case {number}"]
        for name, text in record.items():
            lines.append(f"{name}:")
            lines += [f"  {line}" for line in str(text).split("\n")]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
