"""The plots of a data set: means with intervals, the funnel, the recall curve, the time it took."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from xml.etree.ElementTree import Element

from eval.report.drawing import WIDTH, drawing, label, line, mark, mode_class, path, rect
from eval.report.figures import CURVE, Estimate, Times
from eval.report.markup import percent

_LEFT, _RIGHT = 8.0, 304.0  # of a scale from 0 to 100; numbers stand to its right
_FULL = 262.0  # the end of a bar of all; longer numbers stand to its right
_ROW = 13.0


def intervals(
    title: str, modes: Sequence[str], lines: Mapping[str, Mapping[str, Estimate]]
) -> Element:
    """A line of marks for each name of ``lines``: means by mode with their 95 % intervals."""
    parts: list[Element] = []
    y = 4.0
    for name, by_mode in lines.items():
        parts.append(label(name, _LEFT, y + 11))
        y += 16
        for at, mode in enumerate(modes):
            if (one := by_mode.get(mode)) is not None:
                parts += _whisker(one, y + _ROW / 2, at)
                y += _ROW
        y += 7
    told = "; ".join(
        f"{name}: " + ", ".join(f"{m} {_spoken(one)}" for m, one in by_mode.items())
        for name, by_mode in lines.items()
    )
    return drawing(title, f"{told}.", y + 18, [*_scale(y), *parts])


def funnel(title: str, modes: Sequence[str], held: Mapping[str, Mapping[str, int]]) -> Element:
    """Bars of the messages that are expected and that each stage still holds, by mode."""
    parts: list[Element] = []
    y = 4.0
    for name in next(iter(held.values())):
        parts.append(label(name, _LEFT, y + 11))
        y += 16
        for at, mode in enumerate(modes):
            of = held[mode]
            share = of[name] / of["expected"] if of["expected"] else 0.0
            parts.append(rect(_LEFT, y, share * (_FULL - _LEFT), 9, class_=f"bar {mode_class(at)}"))
            parts.append(
                label(
                    f"{of[name]} ({percent(share, 0)} %)", WIDTH - 2, y + 9, anchor="end", kind="n"
                )
            )
            y += _ROW
        y += 6
    told = "; ".join(
        f"{mode}: " + ", ".join(f"{name} {count}" for name, count in held[mode].items())
        for mode in modes
    )
    return drawing(title, f"{told}.", y, parts)


def curve(title: str, modes: Sequence[str], curves: Mapping[str, Mapping[int, float]]) -> Element:
    """Recall against the rank down to which the ranking is read, ranks on a logarithmic scale."""
    top, bottom, left, right = 10.0, 190.0, 34.0, WIDTH - 12.0

    def x(k: int) -> float:
        return left + (right - left) * log10(k) / log10(CURVE[-1])

    def y(share: float) -> float:
        return bottom - (bottom - top) * share

    parts: list[Element] = []
    for step in (0, 25, 50, 75, 100):
        parts.append(line(left, y(step / 100), right, y(step / 100), class_="grid"))
        parts.append(label(str(step), left - 5, y(step / 100) + 4, anchor="end", kind="n"))
    for k in CURVE:
        if k not in (7, 15, 30):
            parts.append(label(str(k), x(k), bottom + 15, anchor="middle", kind="n"))
    parts.append(
        label("first k of the ranking", (left + right) / 2, bottom + 31, anchor="middle", kind="n")
    )
    for at, mode in enumerate(modes):
        points = [(x(k), y(share)) for k, share in curves.get(mode, {}).items()]
        if points:
            parts += [path(points, at), *(mark(a, b, at, 3.2) for a, b in points)]
    told = "; ".join(
        f"{mode}: " + ", ".join(f"{percent(v)} % at {k}" for k, v in of.items())
        for mode, of in curves.items()
    )
    return drawing(title, f"{told}.", bottom + 38, parts)


def seconds(title: str, modes: Sequence[str], times: Mapping[str, Times]) -> Element:
    """Seconds a case by mode: half of the cases within the box, nine tenths within the line."""
    found = {mode: times[mode] for mode in modes if mode in times}
    least = min((t.quantiles[0] for t in found.values()), default=0.1)
    most = max((t.slowest for t in found.values()), default=1.0)
    low, high = floor(log10(max(least, 1e-3))), ceil(log10(max(most, 2e-3)))
    high = max(high, low + 1)

    def x(value: float) -> float:
        share = (log10(max(value, 10.0**low)) - low) / (high - low)
        return _LEFT + 6 + (WIDTH - 26 - _LEFT) * share

    bottom = 8 + 44.0 * len(found)
    parts: list[Element] = []
    for power in range(low, high + 1):
        parts.append(line(x(10.0**power), 4, x(10.0**power), bottom, class_="grid"))
        parts.append(
            label(f"{10.0**power:g} s", x(10.0**power), bottom + 15, anchor="middle", kind="n")
        )
    for row, (mode, of) in enumerate(found.items()):
        at, y = list(modes).index(mode), 32 + 44.0 * row
        q5, q25, q50, q75, q95 = of.quantiles
        parts += [
            label(f"{mode}: median {_s(q50)}, slowest {_s(of.slowest)}", _LEFT, y - 13),
            line(x(q5), y, x(q95), y, class_=f"whisker {mode_class(at)}"),
            rect(x(q25), y - 6, x(q75) - x(q25), 12, class_=f"box {mode_class(at)}", rx=2),
            line(x(q50), y - 8, x(q50), y + 8, class_=f"median {mode_class(at)}"),
            mark(x(of.slowest), y, at, 3),
        ]
    told = "; ".join(
        f"{mode}: median {_s(of.quantiles[2])}, 95 % within {_s(of.quantiles[4])}, "
        f"slowest {_s(of.slowest)}"
        for mode, of in found.items()
    )
    return drawing(title, f"{told}.", bottom + 22, parts)


def bars(title: str, modes: Sequence[str], lines: Mapping[str, Mapping[str, float]]) -> Element:
    """Bars by mode for each name of ``lines``, each name on a scale of its own from 0."""
    parts: list[Element] = []
    y = 4.0
    for name, by_mode in lines.items():
        parts.append(label(name, _LEFT, y + 11))
        y += 16
        most = max(by_mode.values(), default=0.0) or 1.0
        for at, mode in enumerate(modes):
            width = by_mode[mode] / most * (_FULL - _LEFT)
            parts.append(rect(_LEFT, y, width, 9, class_=f"bar {mode_class(at)}"))
            parts.append(label(f"{by_mode[mode]:.4g}", WIDTH - 2, y + 9, anchor="end", kind="n"))
            y += _ROW
        y += 6
    told = "; ".join(
        f"{name}: " + ", ".join(f"{m} {value:.4g}" for m, value in of.items())
        for name, of in lines.items()
    )
    return drawing(title, f"{told}.", y, parts)


def _whisker(one: Estimate, y: float, at: int) -> Iterable[Element]:
    if one.mean is None:
        yield label("no case has a value", _LEFT, y + 4, kind="n")
        return
    if one.interval is not None:
        ends = _x(one.interval.low), _x(one.interval.high)
        few = " few" if one.interval.descriptive else ""
        yield line(ends[0], y, ends[1], y, class_=f"whisker {mode_class(at)}{few}")
        for end in ends:
            yield line(end, y - 3, end, y + 3, class_=f"whisker {mode_class(at)}")
    yield mark(_x(one.mean), y, at)
    yield label(percent(one.mean), WIDTH - 2, y + 4, anchor="end", kind="n")


def _scale(bottom: float) -> Iterable[Element]:
    for step in (0, 25, 50, 75, 100):
        yield line(_x(step / 100), 2, _x(step / 100), bottom, class_="grid")
        yield label(str(step), _x(step / 100), bottom + 13, anchor="middle", kind="n")


def _x(share: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * share


def _spoken(one: Estimate) -> str:
    if one.mean is None:
        return "has no value"
    if one.interval is None:
        return f"{percent(one.mean)} %"
    return f"{percent(one.mean)} % ({percent(one.interval.low)} to {percent(one.interval.high)})"


def _s(value: float) -> str:
    return f"{value:.0f} s" if value >= 100 else f"{value:.2g} s"
