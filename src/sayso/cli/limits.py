"""``--from``, ``--since`` and ``--until``: the hard limits of a question."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click

from sayso.core.chat import Chat
from sayso.core.models import Filter
from sayso.core.people import bearers
from sayso.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])  # any command's function


class DayType(click.ParamType[date]):
    """A day as YYYY-MM-DD."""

    name = "DATE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> date:  # click hands over a string, or a default that is already a day
        """The day; a usage error for anything else."""
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no date; write it as YYYY-MM-DD", param, ctx)


def limit_options(command: F) -> F:
    """The three options, as ``senders``, ``since`` and ``until``."""
    for option in (
        click.option("--until", type=DayType(), help="Only messages up to this day, inclusive."),
        click.option("--since", type=DayType(), help="Only messages from this day on."),
        click.option(
            "--from", "senders", multiple=True, metavar="NAME",
            help="Only messages of this person (repeatable).",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


@dataclass(frozen=True)
class Limits:
    """The limits as they were typed; which messages they mean depends on the chat."""

    senders: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        if self.since and self.until and self.since > self.until:
            raise click.UsageError(f"--since {self.since} is after --until {self.until}")

    def within(self, chat: Chat) -> Filter:
        """The limits in this chat's names and timezone; raises InputError for an unknown name."""
        return Filter(
            senders=tuple(dict.fromkeys(s for name in self.senders for s in resolve(name, chat))),
            since=_midnight(self.since, chat.zone),
            until=None if self.until is None else _midnight(_day_after(self.until), chat.zone),
        )


def resolve(name: str, chat: Chat) -> tuple[str, ...]:
    """Whom the name means: a name or alias as it stands, else the one with such a word in it, else
    the one whose words begin so, else the one who is called so.

    Raises InputError when it means several, or nobody; that lists the people.
    """
    known = {p.name: (p.name, *p.aliases) for p in chat.participants}
    known |= {m.sender: (m.sender,) for m in chat.messages if m.sender and m.sender not in known}
    exact = [who for who, names in known.items() if _folded(name) in map(_folded, names)]
    found = (
        exact
        or [who for who, names in known.items() if _begins(f"{name} ", names)]
        or [who for who, names in known.items() if _begins(name, names)]
        or sorted(bearers(chat).get(_folded(name), ()))
    )
    if len(found) == 1 or exact:
        return tuple(found)
    if found:
        several = " or ".join(map(repr, found))
        raise InputError(
            f"--from {name!r} means {several} in chat {chat.chat_id}; give more of the name"
        )
    people = ", ".join(_listed(who, names) for who, names in known.items())
    raise InputError(f"--from {name!r} is nobody in chat {chat.chat_id}; people: {people}")


def _begins(name: str, names: Sequence[str]) -> bool:
    """Whether words of a name begin so; with a space at its end, whether they are these."""
    sought = _folded(name)
    end = " " if name.endswith(" ") else ""
    return bool(sought) and any(f" {sought}{end}" in f" {_folded(known)} " for known in names)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _listed(who: str, names: Sequence[str]) -> str:
    others = [name for name in names if name != who]
    return f"{who} ({', '.join(others)})" if others else who


def _midnight(day: date | None, zone: ZoneInfo) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=zone)


def _day_after(day: date) -> date | None:
    return None if day == date.max else day + timedelta(days=1)
