"""Messages as they stand in the chat: with neighbours, badges, and the cited characters marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree.ElementTree import Element

from eval.report.drawing import mode_class
from eval.report.markup import h
from sayso.core.chat import Chat, Message

MOST_MESSAGES = 30  # marked messages shown of one case
_MOST_CHARACTERS = 1200  # shown of one message
_AROUND = 200  # characters kept on either side of the marks of a longer one
_NEIGHBOUR = 240  # characters shown of a neighbour


@dataclass(frozen=True)
class Span:
    """Characters ``[start, end)`` of a message: cited by the mode at that place, None = gold."""

    start: int
    end: int
    by: int | None


@dataclass
class Marked:
    """Why a message is shown: ``expected``, cited by the modes at ``by``, and where."""

    expected: bool = False
    by: list[int] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)


def excerpts(
    chat: Chat, marked: Mapping[int, Marked], modes: Sequence[str], *, neighbours: int
) -> Element:
    """The marked messages in message order, each between up to ``neighbours`` on either side.

    Expected messages come first where there are more than MOST_MESSAGES; the rest is counted.
    """
    known = [local_id for local_id in marked if local_id in chat.position]
    by_need = sorted(known, key=lambda i: (not marked[i].expected, chat.position[i]))
    shown = {i: marked[i] for i in by_need[:MOST_MESSAGES]}
    at = sorted(
        {
            place
            for i in shown
            for place in range(chat.position[i] - neighbours, chat.position[i] + neighbours + 1)
            if 0 <= place < len(chat.messages)
        }
    )
    parts: list[Element] = []
    for n, place in enumerate(at):
        if n and at[n - 1] != place - 1:
            parts.append(h("p", _gap(place - at[n - 1] - 1), class_="gap"))
        message = chat.messages[place]
        parts.append(_message(message, shown.get(message.local_id), modes, chat))
    if len(known) > len(shown):
        parts.append(h("p", f"{len(known) - len(shown)} more messages are left out", class_="gap"))
    return h("div", parts, class_="chat")


def stamp(message: Message, chat: Chat) -> str:
    """``Tue 2024-03-05 07:51`` in the chat's timezone."""
    return f"{message.sent_at.astimezone(chat.zone):%a %Y-%m-%d %H:%M}"


def _message(message: Message, why: Marked | None, modes: Sequence[str], chat: Chat) -> Element:
    head: list[Element | str] = [
        h("b", h("bdi", message.sender)),
        f" #{message.local_id} · {stamp(message, chat)} ",
    ]
    badges: list[Element] = []
    if why and why.expected:
        badges.append(h("span", "expected", class_="badge gold"))
    for at in why.by if why else ():
        badges.append(h("span", "cited by ", h("bdi", modes[at]), class_=f"badge {mode_class(at)}"))
    kind = "msg" if why is None else "msg expected" if why.expected else "msg cited"
    return h(
        "div",
        h("div", head, badges, class_="who"),
        _words(message, why),
        class_=kind,
        data_id=message.local_id if why else None,
    )


def _words(message: Message, why: Marked | None) -> Element:
    if not message.text:
        caption = f": {message.caption}" if message.caption else ""
        return h("p", h("em", h("bdi", f"[{message.kind}{caption}]")), class_="text")
    spans = why.spans if why else []
    low, high = _window(len(message.text), spans, most=_MOST_CHARACTERS if why else _NEIGHBOUR)
    parts: list[Element | str] = ["…"] if low else []
    edges = sorted({low, high, *(e for s in spans for e in (s.start, s.end) if low < e < high)})
    for start, end in pairwise(edges):
        over = [s for s in spans if s.start <= start and end <= s.end]
        parts.append(_piece(message.text[start:end], start, over))
    if high < len(message.text):
        parts.append("…")
    return h("p", parts, class_="text", dir="auto")


def _piece(text: str, start: int, over: Sequence[Span]) -> Element | str:
    if not over:
        return text
    by = sorted({s.by for s in over if s.by is not None})
    gold = any(s.by is None for s in over)
    inner: Element | str = h("u", text, class_="gold") if gold else text
    if not by:
        return inner
    return h(
        "mark",
        inner,
        class_=" ".join(mode_class(at) for at in by) if len(by) == 1 else "both",
        data_start=start,
        data_by=" ".join(map(str, by)),
    )


def _window(length: int, spans: Sequence[Span], *, most: int) -> tuple[int, int]:
    """The characters that are shown: all, or from before the first mark to behind the last."""
    if length <= most:
        return 0, length
    low = max(0, min((s.start for s in spans), default=0) - _AROUND)
    high = min(length, max((s.end for s in spans), default=0) + _AROUND)
    return low, min(length, max(low + most // 2, min(high, low + most)))


def _gap(count: int) -> str:
    return f"⋮ {count} message{'s' if count != 1 else ''}"
