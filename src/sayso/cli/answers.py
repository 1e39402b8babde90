"""An answer for people and as JSON: what is said, and the messages that say so."""

from collections.abc import Sequence

from sayso.cli.rendering import Ink, body, excerpt, heading, local_time, say_json
from sayso.cli.visible import inline, line_ranges
from sayso.cli.watching import Form
from sayso.core.answer_json import answer_json
from sayso.core.chat import Chat
from sayso.core.models import Evidence, Phase, Unsupported
from sayso.core.trail import Trail

WITHOUT_MODEL = 3
_FAILED = "the model failed"  # how the notes begin of a step that another had to take over


def exit_code_of(trail: Trail) -> int:
    """0, or 3 where the model failed and the answer was made without it."""
    return WITHOUT_MODEL if failed_steps(trail) else 0


def failed_steps(trail: Trail) -> tuple[str, ...]:
    """The steps at which the model failed, where the answer is not the model's for that.

    None where the last step that it was asked went well, or where a budget ended.
    """
    asked = [s for s in trail.steps if s.fell_back or s.usage.model_calls or s.usage.cache_hits]
    if not asked or not asked[-1].fell_back:
        return ()
    failed = [s.name for s in asked if any(note.startswith(_FAILED) for note in s.notes)]
    return tuple(dict.fromkeys(failed))


def without_model(failed: Sequence[str]) -> str:
    """In words, that an answer is not the model's, which failed at these steps."""
    return f"The model failed ({', '.join(failed)}); this is without it"


def say_answer(trail: Trail, form: Form, *, indent: int | None = 2) -> None:
    """The answer as a JSON document on stdout; as the last of its JSON lines, with their key."""
    if form == "jsonl":
        say_json({"event": "answer"} | answer_json(trail), indent=None)
    else:
        say_json(answer_json(trail), indent=indent)


def answer_lines(trail: Trail, chat: Chat, ink: Ink) -> list[str]:
    """The answer, its evidence (by phase where it tells an arc), what did not hold, how it ended."""
    answer = trail.answer
    said = [answer.text[start:end] for start, end in line_ranges(answer.text)]
    # A line that tells a phase stands above that phase's messages, and not twice.
    told_apart = [line for line in said if not any(_tells(line, p) for p in answer.phases)]
    failed = failed_steps(trail)
    lines = [ink(f"{without_model(failed)}:", "warning")] if failed else []
    lines += map(inline, told_apart)
    for number, phase in enumerate(answer.phases, start=1):
        lines += ["", *_phase(number, phase, chat, ink)]
    told = {e for phase in answer.phases for e in phase.evidence}
    rest = [e for e in answer.evidence if e not in told]
    if rest:
        lines += ["", *_quoted(rest, chat, ink)]
    if answer.unsupported:
        lines += ["", *(_unsupported(u, ink) for u in answer.unsupported)]
    return [*lines, "", ink(_ending(trail), "dim")]


def _tells(line: str, phase: Phase) -> bool:
    return phase.title in line and bool(phase.summary) and phase.summary in line


def _phase(number: int, phase: Phase, chat: Chat, ink: Ink) -> list[str]:
    first, last = (f"{t.astimezone(chat.zone):%Y-%m-%d}" for t in (phase.start, phase.end))
    when = first if first == last else f"{first} to {last}"
    lines = [f"{number}. {ink(inline(phase.title), 'heading')}  {ink(when, 'dim')}"]
    # A phase that is summed up by a message's own words shows that message.
    summary = "" if phase.title.rstrip("…") in phase.summary else phase.summary
    lines += [f"   {inline(summary[a:b])}" for a, b in line_ranges(summary) if a < b]
    return lines + [f"   {line}" for line in _quoted(phase.evidence, chat, ink)]


def _quoted(evidence: Sequence[Evidence], chat: Chat, ink: Ink) -> list[str]:
    lines = []
    for item in evidence:
        message = chat.by_id[item.local_id]
        lines.append(heading(message, chat, ink))
        cited = (item.start, item.end)
        lines += [f"  {ink('│', 'dim')} {line}" for line in body(message, ink, cited=cited)]
    return lines


def _unsupported(item: Unsupported, ink: Ink) -> str:
    quote = f" “{inline(item.quote)}”" if item.quote else ""
    return ink(f"unsupported: #{item.local_id}{quote}: {inline(item.reason)}", "warning")


def _ending(trail: Trail) -> str:
    rounds = len(trail.rounds)
    parts = [
        f"{trail.mode} · stopped: {trail.stop_reason} · {rounds} round{'' if rounds == 1 else 's'}"
    ]
    return " · ".join([*parts, *_used(trail)])


def _used(trail: Trail) -> list[str]:
    """What a model cost; nothing without one."""
    if trail.model is None:
        return []
    used = trail.usage
    said = [f"{used.model_calls} calls", f"{used.prompt_tokens + used.completion_tokens:,} tokens"]
    said += [f"{used.cache_hits} from the cache"] if used.cache_hits else []
    said += [f"cost {used.cost:.4g}"] if used.cost is not None else []
    fell = sum(step.fell_back for step in trail.steps)
    return [", ".join(said), *([f"{fell} steps without the model"] if fell else [])]


def why_lines(trail: Trail, chat: Chat, ink: Ink, *, top: int = 8) -> list[str]:
    """The trail in words: the plan, each round, the best candidates, their grades, the steps."""
    lines = [ink("Plan", "heading"), *_plan(trail, chat)]
    for number, found in enumerate(trail.rounds, start=1):
        queries = ", ".join(f"“{inline(q)}”" for q in found.plan.queries)
        # Rules take them out of the query; a model writes its queries as it likes.
        cut = found.plan.people and trail.model is None
        apart = " (names are looked for apart)" if cut else ""
        lines.append(f"  round {number}: found {len(found.candidates)} for {queries}{apart}")
    lines += [ink("Candidates", "heading"), *([] if trail.ranking else ["  none"])]
    for rank, candidate in enumerate(trail.ranking[:top], start=1):
        message, score = chat.by_id[candidate.local_id], f"score {candidate.score:.3f}"
        told = [f"{inline(n).replace('_', ' ')} {v:.3g}" for n, v in candidate.why.items() if v]
        lines.append(f"  {rank}. {heading(message, chat, ink)}  {excerpt(message)}")
        lines.append(ink(f"     {': '.join([score, *([', '.join(told)] if told else [])])}", "dim"))
    lines += [ink("Grades", "heading"), *([] if trail.graded else ["  none"])]
    for grade in trail.graded[:top]:
        reason = f": {inline(grade.why)}" if grade.why else ""
        lines.append(f"  {ink(f'#{grade.local_id}', 'id')} {grade.relevance:.2f}{reason}")
    lines += [ink("Steps", "heading")]
    lines += [f"  {s.name} {s.milliseconds:.0f} ms: {inline(s.changed)}" for s in trail.steps]
    return [*lines, ink(_ending(trail), "dim")]


def _plan(trail: Trail, chat: Chat) -> list[str]:
    plan, limits = trail.plan, trail.plan.limits
    lines = [f"  intent: {plan.intent}"]
    if plan.people:
        lines.append(f"  people: {', '.join(map(inline, plan.people))}")
    for name, since, until in (
        ("window", plan.since, plan.until),
        ("only", limits.since, limits.until),
    ):
        if since or until:
            ends = (local_time(t, chat.zone) if t else "…" for t in (since, until))
            lines.append(f"  {name}: {' until '.join(ends)}")
    if limits.senders:
        lines.append(f"  only from: {', '.join(map(inline, limits.senders))}")
    return lines + [f"  note: {inline(note)}" for note in plan.notes]
