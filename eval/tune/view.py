"""Trials and outcomes as a person reads them."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from eval.compare import Flip
from eval.scoring import Row
from eval.table import plain
from eval.tune.choosing import Outcome
from eval.tune.points import Gain
from eval.tune.spending import calls, cost, tokens, used
from eval.tune.tries import Tried, prompt_size
from sayso.reasoning.prompts import Prompts

_SHOWN = 4
_EXCERPT = 90
FEW = (
    "intervals are the wider of those over conversations and over cases; under ten conversations "
    "they describe these and promise nothing of others"
)

ALL_CALLS = "what the prompts take, a reply from the cache at what it had cost"


def tried_view(
    current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str, metric: str
) -> RenderableType:
    """The table of a trial, and below it for each candidate what it gained and lost."""
    parts: list[RenderableType] = [
        Text(f"points (of 100: {metric}, or 1 for rightly finding nothing)"),
        _table(current, tried),
        Text(FEW, style="dim"),
        Text(),
        Text(ALL_CALLS),
        _costs(current, tried, base, mode),
    ]
    for one in tried:
        parts += [Text(), *_story(one)]
    return Group(*parts)


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


def gain_line(gain: Gain) -> str:
    """A gain in a line."""
    where = f"{plain(gain.dataset)} " if gain.dataset else ""
    return (
        f"{where}{100 * gain.before:.1f} → {100 * gain.after:.1f} ({_signed(gain.after - gain.before)}, "
        f"95 % {_signed(gain.low)} to {_signed(gain.high)}, n {gain.difference.n}): {gain.verdict}"
    )


def _table(current: Sequence[Row], tried: Sequence[Tried]) -> Table:
    table = _columns(
        "prompt", "set", "n", "points", "change", "95 % interval", "up", "down", "p", ""
    )
    first = next((one for one in tried if one.gains), None)
    for gain in first.gains if first else ():
        table.add_row("current", plain(gain.dataset), str(gain.difference.n),
                      f"{100 * gain.before:.1f}")  # fmt: skip
    for one in tried:
        for gain in one.gains:
            table.add_row(
                plain(one.name), plain(gain.dataset), str(gain.difference.n),
                f"{100 * gain.after:.1f}", _signed(gain.after - gain.before),
                f"{_signed(gain.low)} to {_signed(gain.high)}",
                str(gain.difference.gained), str(gain.difference.lost), f"{gain.p:.3f}",
                gain.verdict if one.verdict in (gain.verdict, "higher", "lower") else one.verdict,
            )  # fmt: skip
        if not one.gains:
            table.add_row(plain(one.name), *[""] * 8, one.verdict)
    return table


def _costs(current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str) -> Table:
    """What each prompt takes, all calls counted; beside it how much of that the cache gave."""
    table = _columns("prompt", "prompt tokens", "calls", "tokens", "cost", "from cache: calls",
                     "tokens", "cost")  # fmt: skip
    rows = [("current", base, used(current))] if current else []
    for name, prompts, usage in [*rows, *((t.name, t.prompts, t.usage) for t in tried if t.rows)]:
        table.add_row(
            plain(name), str(prompt_size(prompts, mode)), str(calls(usage)), str(tokens(usage)),
            _money(cost(usage)), str(usage.cache_hits), str(usage.saved_tokens),
            _money(usage.saved_cost),
        )  # fmt: skip
    return table


def _columns(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in headings:
        left = heading in ("prompt", "set", "")
        table.add_column(heading, justify="left" if left else "right")
    return table


def _money(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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
