"""What is wrong with a call of a tool, in the words of its arguments: an assistant knows no flags."""

import re
from collections.abc import Collection, Iterable
from typing import Any

from pydantic import ValidationError

_LONGEST_SHOWN = 80
_ARGUMENTS = {"--from": "senders", "--since": "since", "--until": "until", "QUESTION": "question"}
_FLAGS = re.compile(r"(?<!\S)(?:" + "|".join(_ARGUMENTS) + r")(?!\S)")


def as_arguments(text: str) -> str:
    """The text of an error of the command line, with arguments in place of flags."""
    return _FLAGS.sub(lambda flag: _ARGUMENTS[flag.group()], text)


def unknown_arguments(tool: str, given: Iterable[str], known: Collection[str]) -> str | None:
    """Which of the arguments the tool does not take; None where it takes them all.

    One that is let by would be a limit that does not hold.
    """
    others = [name for name in given if name not in known]
    if not others:
        return None
    takes = f"; it takes {', '.join(known)}" if known else " and no other argument"
    return f"{tool} takes no {', '.join(f'{name!r:.80}' for name in others)}{takes}"


def wrong_arguments(tool: str, error: ValidationError) -> str:
    """What is wrong with the arguments, each with what was given."""
    return f"{tool}: " + "; ".join(_fault(fault) for fault in error.errors())


def _fault(fault: Any) -> str:  # pydantic's ErrorDetails
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"{name} is missing"
    shown = repr(fault["input"])
    cut = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    return f"{name}: {fault['msg']}, found {cut}"
