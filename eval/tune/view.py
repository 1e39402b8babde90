"""Trials, searches and outcomes as a person reads them, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from eval.compare import Flip
from eval.compare_view import comparison_record
from eval.scoring import Row
from eval.table import plain
from eval.tune.choosing import Outcome
from eval.tune.evolving import Evolved
from eval.tune.points import Gain
from eval.tune.tries import Tried, prompt_size, used
from sayso.core.trail import Usage
from sayso.reasoning.prompts import Prompts

_SHOWN = 4
_EXCERPT = 90
FEW = (
    "intervals are the wider of those over conversations and over cases; under ten conversations "
    "they describe these and promise nothing of others"
)

Record = dict[str, Any]  # a JSON object


def tried_view(
    current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str, metric: str
) -> RenderableType:
    """The table of a trial, and below it for each candidate what it gained and lost."""
    parts: list[RenderableType] = [
        Text(f"points (of 100: {metric}, or 1 for rightly finding nothing)"),
        _table(current, tried, base, mode),
        Text(FEW, style="dim"),
    ]
    for one in tried:
        parts += [Text(), *_story(one)]
    return Group(*parts)


def tried_record(
    current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str, metric: str
) -> Record:
    """The same as JSON; flips carry both answers."""
    return {
        "metric": metric,
        "mode": mode,
        "current": {"cases": len(current), "prompt_tokens": prompt_size(base, mode),
                    "usage": used(current).model_dump()},
        "candidates": [
            {
                "name": one.name,
                "verdict": one.verdict,
                "prompt_tokens": prompt_size(one.prompts, mode),
                "usage": one.usage.model_dump(),
                "gains": [gain_record(gain) for gain in one.gains],
                "unread": list(one.unread),
                "leaks": [asdict(leak) for leak in one.leaks],
                "faults": list(one.faults),
                "comparisons": [comparison_record(c) for c in one.comparisons],
            }
            for one in tried
        ],
    }  # fmt: skip


def gain_record(gain: Gain) -> Record:
    """One gain as JSON."""
    return {
        "dataset": gain.dataset,
        "n": gain.difference.n,
        "before": gain.before,
        "after": gain.after,
        "low": gain.low,
        "high": gain.high,
        "gained": gain.difference.gained,
        "lost": gain.difference.lost,
        "p": gain.p,
        "verdict": gain.verdict,
    }


def outcome_lines(outcome: Outcome) -> list[str]:
    """What was decided, in lines."""
    lines = [f"valid: {gain_line(gain)}" for gain in outcome.valid]
    lines += [f"test: {gain_line(gain)}" for gain in outcome.test]
    lines.append(
        f"{outcome.name}: {'accepted' if outcome.accepted else 'not accepted'}: {outcome.why}"
    )
    lines += outcome.notes
    if outcome.written is not None:
        lines.append(
            f"written to {outcome.written}; use its set with --prompts {outcome.written.parents[1]}"
        )
    return lines


def outcome_record(outcome: Outcome) -> Record:
    """The same as JSON."""
    return {
        "name": outcome.name,
        "accepted": outcome.accepted,
        "why": outcome.why,
        "valid": [gain_record(gain) for gain in outcome.valid],
        "test": [gain_record(gain) for gain in outcome.test],
        "test_uses": outcome.uses,
        "notes": list(outcome.notes),
        "written": str(outcome.written) if outcome.written else None,
    }


def evolved_record(evolved: Evolved) -> Record:
    """A search as JSON, without what only this process knows of it."""
    best = evolved.candidates.index(evolved.best) if evolved.candidates else None
    return {
        "candidates": [
            {"mean": c.mean, "parents": list(c.parents), "system": c.prompt.system}
            for c in evolved.candidates
        ],
        "best": best,
        "runs": evolved.runs,
        "iterations": evolved.iterations,
        "reflections": evolved.reflections,
        "refused": evolved.refused,
        "reflection": evolved.reflection.model_dump(exclude={"seconds"}),
        "why": evolved.why,
        "complete": evolved.complete,
    }


def gain_line(gain: Gain) -> str:
    """A gain in a line."""
    where = f"{plain(gain.dataset)} " if gain.dataset else ""
    return (
        f"{where}{100 * gain.before:.1f} → {100 * gain.after:.1f} ({_signed(gain.after - gain.before)}, "
        f"95 % {_signed(gain.low)} to {_signed(gain.high)}, n {gain.difference.n}): {gain.verdict}"
    )


def usage_line(usage: Usage) -> str:
    """What was used, in words."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    cost = "" if usage.cost is None else f", cost {usage.cost:.4f}"
    return f"{usage.model_calls} calls, {usage.cache_hits} from the cache, {tokens} tokens{cost}"


def _table(current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("prompt", "set", "n", "points", "change", "95 % interval", "up", "down", "p",
                    "prompt tokens", "calls", "cached", "tokens", "cost", ""):  # fmt: skip
        left = heading in ("prompt", "set", "")
        table.add_column(heading, justify="left" if left else "right")
    first = next((one for one in tried if one.gains), None)
    spent = _spent(used(current))
    for gain in first.gains if first else ():
        table.add_row("current", plain(gain.dataset), str(gain.difference.n),
                      f"{100 * gain.before:.1f}", "", "", "", "", "",
                      str(prompt_size(base, mode)), *spent, "")  # fmt: skip
    for one in tried:
        size = str(prompt_size(one.prompts, mode))
        for gain in one.gains:
            table.add_row(
                plain(one.name), plain(gain.dataset), str(gain.difference.n),
                f"{100 * gain.after:.1f}", _signed(gain.after - gain.before),
                f"{_signed(gain.low)} to {_signed(gain.high)}",
                str(gain.difference.gained), str(gain.difference.lost), f"{gain.p:.3f}",
                size, *_spent(one.usage),
                gain.verdict if one.verdict in (gain.verdict, "higher", "lower") else one.verdict,
            )  # fmt: skip
        if not one.gains:
            table.add_row(plain(one.name), *[""] * 8, size, *[""] * 4, one.verdict)
    return table


def _spent(usage: Usage) -> tuple[str, str, str, str]:
    tokens = usage.prompt_tokens + usage.completion_tokens
    cost = "" if usage.cost is None else f"{usage.cost:.4f}"
    return str(usage.model_calls), str(usage.cache_hits), str(tokens), cost


def _story(one: Tried) -> Iterator[Text]:
    yield Text(f"{plain(one.name)}: {one.verdict}", style="bold")
    for fault in one.faults:
        yield Text(f"  {plain(fault)}")
    for leak in one.leaks:
        yield Text(f"  leakage: it says {plain(leak.words)!r}, a {leak.kind} of {plain(leak.of)}")
    if one.unread:
        yield Text(f"  replies that no longer fit the schema: {plain(', '.join(one.unread[:8]))}")
    flips = [flip for comparison in one.comparisons for flip in comparison.flips]
    gained = [flip for flip in reversed(flips) if flip.change > 0]
    lost = [flip for flip in flips if flip.change < 0]
    for heading, found in (("gained", gained), ("lost", lost)):
        if found:
            yield Text(f"  {heading}: {len(found)} cases")
        for flip in found[:_SHOWN]:
            yield Text(
                f"    {100 * flip.change:+.0f}  {plain(flip.case_id)}  {_short(flip.first.question)}"
            )
            for line in changed(flip):
                yield Text(f"         {line}", style="dim")


def changed(flip: Flip) -> list[str]:
    """What is otherwise in a case: messages cited or not, and where expected ones are lost now."""
    before, after = flip.first, flip.second
    lines = []
    more = [i for i in after.returned_ids if i not in before.returned_ids]
    fewer = [i for i in before.returned_ids if i not in after.returned_ids]
    for word, ids in (("now cites", more), ("no longer cites", fewer)):
        if ids:
            lines.append(f"{word} {', '.join(f'#{i}{_gold(i, after)}' for i in ids[:8])}")
    was, now = _lost(before), _lost(after)
    for local_id in dict.fromkeys([*was, *now]):
        if was.get(local_id) != now.get(local_id):
            lines.append(
                f"expected #{local_id}: {_where(was.get(local_id))} → {_where(now.get(local_id))}"
            )
    if before.abstained != after.abstained:
        lines.append(
            "now finds nothing" if after.abstained else "no longer says that nothing was found"
        )
    return lines


def _lost(row: Row) -> Mapping[int | str, str]:
    return {one.id: one.at for one in row.passage.lost} if row.passage else {}


def _where(stage: str | None) -> str:
    return "cited" if stage is None else f"not {stage}"


def _gold(local_id: int, row: Row) -> str:
    return " (expected)" if local_id in row.expected_ids else ""


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}"


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"
