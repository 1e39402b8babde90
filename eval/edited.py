"""Cases whose words were edited since: what a span marked may not stand there any more."""

from collections.abc import Sequence

from eval.cases import GivenSpan, QaCase, ReadyCase
from eval.gold import quoted_at, resolve
from sayso.core.chat import Message

_SHOWN = 3


def edit_notes(cases: Sequence[ReadyCase]) -> tuple[str, ...]:
    """In words: spans whose quote moved or is gone, and spans in edited texts that quote nothing."""
    moved: list[str] = []
    gone: list[str] = []
    unsure: list[str] = []
    for ready in cases:
        for span, message in _spans(ready):
            place = quoted_at(span, message.text)
            told = f"{ready.case.case_id} (#{message.local_id})"
            if place is None:
                gone.append(told)
            elif place != (span.start, span.end):
                moved.append(told)
            elif span.quote is None and message.revisions:
                unsure.append(told)
    return tuple(
        f"{_counted(found)} {what}: {_shown(found)}"
        for found, what in (
            (moved, "stands elsewhere in its message now and is taken from there"),
            (gone, "quotes words that its message no longer has, and is left out"),
            (unsure, "marks a text that was edited since, without a quote to tell by"),
        )
        if found
    )


def _spans(ready: ReadyCase) -> list[tuple[GivenSpan, Message]]:
    """The case's spans beside the messages that they are in."""
    spans = ready.case.spans if isinstance(ready.case, QaCase) else ()
    named = [(span, resolve((span.message,), ready.chat).local_ids) for span in spans]
    return [(span, ready.chat.by_id[ids[0]]) for span, ids in named if len(ids) == 1]


def _counted(found: Sequence[str]) -> str:
    return "1 span" if len(found) == 1 else f"{len(found)} spans, each of which"


def _shown(found: Sequence[str]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{', '.join(found[:_SHOWN])}{more}"
