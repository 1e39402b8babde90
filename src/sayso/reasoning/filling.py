"""What every step tells a model of the chat and the thread, and what that takes."""

from collections.abc import Mapping

from sayso.core.chat import Chat, Participant
from sayso.core.models import Filter, Question
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.prompts import Prompt
from sayso.reasoning.token_estimate import estimate

_TURNS = 6
_ASKED, _ANSWERED = 300, 600
_PEOPLE = 40


def shared(question: Question, chat: Chat, names: Mapping[str, str]) -> dict[str, str]:
    """The blocks ``chat`` and ``history``, not fenced yet; no history is an empty block.

    ``names`` as of :func:`sayso.core.people.known_names`: a question may use a nickname.
    """
    about = _about(chat, question.limits, names)
    if question.asked_at is not None:
        about += f"\nThe question was asked on {question.asked_at.astimezone(chat.zone):%Y-%m-%d}"
    return {"chat": about, "history": _history(question)}


def without_messages(prompt: Prompt, values: Mapping[str, str], blocks: Mapping[str, str]) -> int:
    """Tokens of a request in which no message is shown yet."""
    inside, marker = fenced({**blocks, "messages": "-"})
    system, user = prompt.filled({**values, **inside, "marker": marker})
    return estimate(system) + estimate(user)


def _about(chat: Chat, limits: Filter, names: Mapping[str, str]) -> str:
    people = [_called(p, names) for p in chat.participants]
    more = f" and {len(people) - _PEOPLE} more" if len(people) > _PEOPLE else ""
    lines = [f"People: {', '.join(people[:_PEOPLE])}{more}"]
    if chat.messages:
        first, last = (
            f"{m.sent_at.astimezone(chat.zone):%Y-%m-%d}"
            for m in (chat.messages[0], chat.messages[-1])
        )
        lines.append(f"Messages: {len(chat.messages)}, from {first} to {last}")
    lines += _limited(chat, limits)
    return "\n".join(lines)


def _called(person: Participant, names: Mapping[str, str]) -> str:
    """The person's name, other names, and nicknames that were learned from how they are addressed."""
    own = [name.casefold() for name in (person.name, *person.aliases)]
    learned = [
        name
        for name, who in names.items()
        if who == person.name and not any(name in given for given in own)
    ]
    also = [f"also {', '.join(one_line(a, 60) for a in person.aliases)}"] if person.aliases else []
    also += [f"perhaps called {', '.join(one_line(n, 60) for n in learned)}"] if learned else []
    return one_line(person.name, 60) + (f" ({'; '.join(also)})" if also else "")


def _limited(chat: Chat, limits: Filter) -> list[str]:
    said = [f"by {', '.join(one_line(s, 60) for s in limits.senders)}"] if limits.senders else []
    for word, moment in (("from", limits.since), ("before", limits.until)):
        if moment is not None:
            said.append(f"{word} {moment.astimezone(chat.zone):%Y-%m-%d %H:%M}")
    return [f"Only messages {', '.join(said)} are searched"] if said else []


def _history(question: Question) -> str:
    lines = []
    for turn in question.history[-_TURNS:]:
        lines.append(f"Question: {one_line(turn.question, _ASKED)}")
        lines.append(f"Answer: {one_line(turn.answer, _ANSWERED)}")
    return "\n".join(lines)
