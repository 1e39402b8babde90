"""What every plot is made of: SVG that scales, reads aloud, and takes its colours from the page.

A plot is 360 units wide, the room of a phone, so that its letters keep their size there. Modes
differ by shape and dash as well as by colour.
"""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from eval.report.markup import Child, clipped, h

WIDTH = 360
_LABEL = 46
_DASHES = ("none", "6 3", "2 3", "8 3 2 3")


def drawing(title: str, told: str, height: float, *parts: Child | Iterable[Child]) -> Element:
    """An SVG with its name and what it shows in words; for eyes that do not see it, an image."""
    return h(
        "svg",
        h("title", title),
        h("desc", told),
        *parts,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        class_="plot",
    )


def figure(heading: str, plot: Element, *below: Child) -> Element:
    """A plot under its heading."""
    return h("figure", h("figcaption", heading), plot, *below)


def label(
    text: str, x: float, y: float, *, anchor: str = "start", kind: str = "", whole: bool = False
) -> Element:
    """A line of text, clipped unless it is known to fit as a ``whole``."""
    return h(
        "text",
        text if whole else clipped(text, _LABEL),
        x=f"{x:.1f}",
        y=f"{y:.1f}",
        text_anchor=None if anchor == "start" else anchor,
        class_=kind or None,
    )


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> Element:
    """A straight line."""
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return h("line", **{n: f"{v:.1f}" for n, v in places.items()}, **attributes)


def rect(x: float, y: float, width: float, height: float, **attributes: object) -> Element:
    """A rectangle."""
    places = {"x": x, "y": y, "width": max(width, 0.0), "height": height}
    return h("rect", **{n: f"{v:.1f}" for n, v in places.items()}, **attributes)


def path(points: Sequence[tuple[float, float]], at: int) -> Element:
    """A line through the points, of the mode at that place."""
    steps = " ".join(f"{'L' if n else 'M'}{x:.1f} {y:.1f}" for n, (x, y) in enumerate(points))
    return h("path", d=steps, class_=f"curve {mode_class(at)}", stroke_dasharray=_DASHES[at % 4])


def mark(x: float, y: float, at: int, size: float = 4.0, *, hollow: bool = False) -> Element:
    """The shape of the mode at that place: circle, square, diamond or triangle."""
    s = size
    kind = f"{'hollow' if hollow else 'dot'} {mode_class(at)}"
    shapes = (
        None,
        [(x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)],
        [(x, y - s * 1.3), (x + s * 1.3, y), (x, y + s * 1.3), (x - s * 1.3, y)],
        [(x, y - s * 1.2), (x + s * 1.2, y + s), (x - s * 1.2, y + s)],
    )
    corners = shapes[at % 4]
    if corners is None:
        return h("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{s:g}", class_=kind)
    steps = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    return h("polygon", points=steps, class_=kind)


def mode_class(at: int) -> str:
    """The class that colours the mode at that place; colours repeat after six."""
    return f"m{at % 6}"


def legend(modes: Sequence[str]) -> Element:
    """Shape, colour and name of each mode."""
    return h(
        "p",
        [
            h(
                "span",
                h("svg", mark(7, 7, at, 4.5), viewBox="0 0 14 14", aria_hidden="true"),
                h("bdi", mode),
                class_="key",
            )
            for at, mode in enumerate(modes)
        ],
        class_="legend",
    )
