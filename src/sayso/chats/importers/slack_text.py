"""Slack's markup as the words one reads: mentions, channels, links, and the three escapes."""

import re
from collections.abc import Mapping

_MARKUP = re.compile(r"<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>")
_ESCAPED = re.compile(r"&(lt|gt|amp);")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&"}


def plain(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The text as it was shown, by names of people and channels by their ids.

    A link with words of its own is those words. Done at import, so that offsets point into it.
    """
    if "<" in text:
        text = _MARKUP.sub(lambda found: _shown(found, people, channels), text)
    return _ESCAPED.sub(lambda found: _CHARACTERS[found[1]], text) if "&" in text else text


def _shown(found: re.Match[str], people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    sign, target, label = found.groups()
    match sign:
        case "@":
            return f"@{people.get(target) or label or target}"
        case "#":
            return f"#{label or channels.get(target) or target}"
        case "!":
            return label or f"@{target.partition('^')[0]}"
    return label or target
