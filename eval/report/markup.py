"""Elements of the page. Whatever is text is written as text: escaping is what happens by itself.

The elements are those of :mod:`xml.etree.ElementTree`, whose HTML writer escapes text and
attributes. There is no template in which an escape could be forgotten, and no dependency.
"""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None

# What no HTML page can hold: controls, half of a surrogate pair, noncharacters.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def h(tag: str, *children: Child | Iterable[Child], **attributes: object) -> Element:
    """An element with its children, in order; None is left out.

    In names of attributes a last ``_`` is dropped and another becomes ``-``: ``class_``,
    ``aria_label``. True gives an attribute without a value; None and False leave it out.
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None and value is not False:
            made.set(_name(name), "" if value is True else fit(str(value)))
    for child in children:
        if isinstance(child, (Element, str)) or child is None:
            _add(made, child)
        else:
            for one in child:
                _add(made, one)
    return made


def html(element: Element) -> str:
    """The element as HTML, escaped; ``script`` and ``style`` hold their text as it is."""
    return tostring(element, encoding="unicode", method="html")


def fit(text: str) -> str:
    """The text with U+FFFD for what an HTML page cannot hold."""
    return _UNFIT.sub("\ufffd", text)


def said(text: str, tag: str = "bdi", **attributes: object) -> Element:
    """Words of a chat, a case or a reply: their direction ends where they end."""
    return h(tag, text, dir="auto", **attributes)


def clipped(text: str, most: int) -> str:
    """At most so many characters, an ellipsis for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def percent(fraction: float | None, digits: int = 1) -> str:
    """For people: ``48.1``, a dash for no value. The unit stands above the column."""
    return "–" if fraction is None else f"{100 * fraction:.{digits}f}"


def _add(parent: Element, child: Child) -> None:
    if child is None:
        return
    if isinstance(child, Element):
        parent.append(child)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + fit(child)
    else:
        parent.text = (parent.text or "") + fit(child)


def _name(name: str) -> str:
    return name.removesuffix("_").replace("_", "-")
