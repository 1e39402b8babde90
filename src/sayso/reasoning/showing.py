"""Messages as a model reads them: numbered lines in conversation order, each among its neighbours."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from sayso.core.chat import Chat, Message
from sayso.reasoning.fencing import one_line
from sayso.reasoning.grading import citable
from sayso.reasoning.token_estimate import estimate

BESIDE = 2
_SESSION_SECONDS = 6 * 3600
_LONGEST = 1200  # characters of one message
_SHORT = 60
_SKIPPED = "…"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Shown:
    """Lines without a fence; ``numbers[n - 1]`` is the localId of line ``[n]``.

    ``left_out`` are the candidates that did not fit, in the order given.
    """

    text: str
    numbers: tuple[int, ...]
    left_out: tuple[int, ...] = ()
    beside: int = BESIDE

    def local_id(self, n: int) -> int | None:
        """The message with that number, None where no line has it."""
        return self.numbers[n - 1] if 1 <= n <= len(self.numbers) else None


def show(
    chat: Chat,
    candidates: Sequence[int],
    admitted: Collection[int],
    *,
    room: int,
    shuffled: str | None = None,
) -> Shown:
    """The candidates (best first) with up to two neighbours each side out of ``admitted``.

    At most about ``room`` tokens: first the neighbours thin out to one, then candidates are left
    out, last first, then the neighbours, then the text of the one that remains is cut. With
    ``shuffled``, a seed, stretches of conversation stand in a random order.
    """
    everything = len(candidates)
    for beside in (BESIDE, 1):
        shown = _shown(chat, candidates, admitted, beside, shuffled)
        if estimate(shown.text) <= room:
            return shown
    for beside in (1, 0):
        fits, too_many = 0, everything
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            shown = _shown(chat, candidates[:middle], admitted, beside, shuffled)
            fits, too_many = (middle, too_many) if estimate(shown.text) <= room else (fits, middle)
        if fits:
            shown = _shown(chat, candidates[:fits], admitted, beside, shuffled)
            return Shown(shown.text, shown.numbers, tuple(candidates[fits:]), beside)
    first = _shown(chat, candidates[:1], (), 0, shuffled, longest=max(_SHORT, room))
    return Shown(first.text, first.numbers, tuple(candidates[1:]), 0)


def show_all(chat: Chat, local_ids: Sequence[int]) -> Shown:
    """These messages alone, each at its full length, however many tokens that takes."""
    return _shown(chat, local_ids, (), 0, None, longest=None)


def neighbours(chat: Chat, local_id: int, n: int = BESIDE) -> tuple[int, ...]:
    """The localIds of up to ``n`` messages on each side that somebody said something with."""
    return tuple(
        m.local_id for m in chat.around(local_id, n) if m.local_id != local_id and citable(m)
    )


def line(chat: Chat, message: Message, *, longest: int | None = _LONGEST) -> str:
    """When, who and what, on one line; in the chat's timezone."""
    sent = message.sent_at.astimezone(chat.zone)
    said = said_of(message, longest=longest)
    return f"{sent:%Y-%m-%d %H:%M} {one_line(message.sender, _SHORT)}: {said}"


def said_of(message: Message, *, longest: int | None = None) -> str:
    """The message's text and, in brackets, what its picture shows; its kind where it has neither."""
    said = one_line(message.text, longest)
    if message.caption:
        said = f"{said} ({message.kind}: {one_line(message.caption, longest)})".strip()
    return said or f"({message.kind})"


def _shown(
    chat: Chat,
    candidates: Sequence[int],
    admitted: Collection[int],
    beside: int,
    shuffled: str | None,
    longest: int | None = _LONGEST,
) -> Shown:
    taken = set(candidates)
    for local_id in candidates:
        taken.update(i for i in neighbours(chat, local_id, beside) if i in admitted)
    stretches = _stretches(chat, sorted(taken, key=chat.position.__getitem__))
    if shuffled is not None:
        Random(shuffled).shuffle(stretches)
    order = [m for stretch in stretches for m in stretch]
    numbers = {m.local_id: n for n, m in enumerate(order, start=1)}
    lines: list[str] = []
    before: Message | None = None
    for stretch in stretches:
        lines.extend(_break(chat, before, stretch[0]))
        lines.extend(
            f"[{numbers[m.local_id]}] {_with_answered(chat, m, numbers, longest)}" for m in stretch
        )
        before = stretch[-1]
    return Shown("\n".join(lines), tuple(numbers), (), beside)


def _stretches(chat: Chat, local_ids: Sequence[int]) -> list[list[Message]]:
    """Runs of messages with nothing between them, of one session and one day."""
    made: list[list[Message]] = []
    for local_id in local_ids:
        message = chat.by_id[local_id]
        last = made[-1][-1] if made else None
        if (
            last is not None
            and chat.position[local_id] - chat.position[last.local_id] == 1
            and _same_session(chat, last, message)
        ):
            made[-1].append(message)
        else:
            made.append([message])
    return made


def _same_session(chat: Chat, one: Message, other: Message) -> bool:
    apart = abs((other.sent_at - one.sent_at).total_seconds())
    days = {m.sent_at.astimezone(chat.zone).date() for m in (one, other)}
    return apart <= _SESSION_SECONDS and len(days) == 1


def _break(chat: Chat, before: Message | None, after: Message) -> list[str]:
    """What stands between two stretches: the day of a new session, or that messages are skipped."""
    if before is not None and _same_session(chat, before, after):
        return [_SKIPPED]
    sent = after.sent_at.astimezone(chat.zone)
    return [f"== {_DAYS[sent.weekday()]} {sent:%Y-%m-%d} =="]


def _with_answered(
    chat: Chat, message: Message, numbers: dict[int, int], longest: int | None
) -> str:
    """The message's line, and what it was sent in reply to."""
    told = line(chat, message, longest=longest)
    answered = chat.by_id.get(message.reply_to) if message.reply_to is not None else None
    if answered is None:
        return told
    n = numbers.get(answered.local_id)
    to = f"[{n}]" if n else f'{one_line(answered.sender, _SHORT)}: "{_start(answered)}"'
    return f"{told} (in reply to {to})"


def _start(message: Message) -> str:
    return one_line(message.text or message.caption or message.kind, _SHORT)
