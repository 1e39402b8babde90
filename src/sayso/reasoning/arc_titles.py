"""Titles and summaries of phases, out of the messages' own words."""

import re
from collections.abc import Mapping, Sequence
from datetime import tzinfo

from sayso.core.chat import Message
from sayso.core.sentences import sentences
from sayso.reasoning.arc_choice import only_asks
from sayso.reasoning.arc_words import stems, words_of
from sayso.reasoning.phrasing import day_words, is_chinese, said_by

_MOST_LETTERS = 70
_MOST_HAN = 24
_LEAST_WORDS = 3
_ENOUGH_WORDS = 8  # beyond, a longer sentence says no more for a title
_QUOTED = 3
_OPENING = re.compile(
    r"^(?:(?:oh|ah|aw+|wow|haha+|lol|lmao|omg|hey|hi|hello|yes|yeah|yep|no|nope|ok|okay|well|so|but|and|also|"
    r"anyways?|btw|honestly|actually|absolutely|sure|certainly|thanks|thank you|good morning|"
    r"i mean|you know|for sure|of course|gr8|great)(?:\s+[A-Z]\w+)?[\s,.!…:-]+)+",
    re.IGNORECASE,
)
_OPENING_HAN = re.compile(
    r"^(?:哈+|嗯+|哦+|啊+|对+|好的?|行|那|其实|不过|然后|所以|唉+|诶)[，,。！!、\s]+"
)
_CLAUSE = re.compile(
    r"[,;:—–…]\s|\s(?:but|because|cause|cuz|so|although|though|which|while|and|with|for)\s", re.I
)
_CLAUSE_HAN = re.compile("[，,；;：:]")
_ENDS = " \t\n,;:.…!！?？。，；：—–-~\"“”'‘’("
_HANGING_WORDS = """
a an the this that these those my your his her its our their some any no and or but nor so if as
than then of in on at by for with from to into about over under between is are was were be been
being am do does did have has had will would can could should may might must who which what when
where how very really too also just more most not i we you he she they
"""
_HANGING = frozenset(_HANGING_WORDS.split())
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+")
# What "I" says of oneself, and how it reads of somebody; other verbs stay in the past or as they are.
_OF_ONESELF = (
    (re.compile(r"^(?:i['’]?m|i am)\b\s*", re.I), "is "),
    (re.compile(r"^(?:i['’]ve|ive|i have)\b\s*(?=\w+(?:ed|en|ne|de|ght|t)\b|been\b|had\b)", re.I), "has "),
    (re.compile(r"^(?:i['’]ll|i will)\b\s*", re.I), "will "),
    (re.compile(r"^i(?=\s+(?:was|had|did|will|would|can|could|might|may|must|should|finally|just|also|already|"
                r"\w{2,}ed|went|got|made|took|bought|found|told|said|saw|came|gave|felt|knew|left|lost|met|"
                r"quit|ran|sent|spent|started|thought|tried|won|wrote|broke|began|ate|drank|put|let|cut)\b)\s+", re.I), ""),
)  # fmt: skip
_OF_OTHERS = re.compile(r"\b(?:i|me|we|us|you|your|our|i['’]\w+)\b", re.I)
_MINE = {"my": "their", "mine": "theirs", "myself": "themselves"}
_MINE_WORD = re.compile(r"\b(?:my|mine|myself)\b", re.I)


def lead_of(messages: Sequence[Message], relevance: Mapping[int, float], question: str) -> Message:
    """The message that stands for a phase: one that says something, nearest to the question."""
    asked = stems(question)

    def standing(message: Message) -> tuple[bool, bool, float, int]:
        words = stems(words_of(message))
        near = relevance[message.local_id] * (1 + 0.5 * bool(asked & words))
        return (not only_asks(message), len(words) >= _LEAST_WORDS, near, -message.local_id)

    return max(messages, key=standing)


def title_of(lead: Message, question: str) -> str:
    """A short phrase of what the message says, told of its sender; empty for one without words."""
    sentence = _telling(lead, question)
    if not sentence:
        return ""
    if is_chinese(sentence):
        return _title_han(lead.sender, sentence)
    short = _cut(_EMOJI.sub(" ", _OPENING.sub("", sentence)).strip(_ENDS) or sentence)
    if not lead.text.strip():
        return _capital(short)
    for pattern, verb in _OF_ONESELF:
        told, found = pattern.subn(verb, short, count=1)
        if found and not _OF_OTHERS.search(told):
            theirs = _MINE_WORD.sub(lambda m: _MINE[m.group().lower()], told)
            return f"{lead.sender} {theirs}"
    return f"{lead.sender}: {_capital(short)}"


def summary_of(
    messages: Sequence[Message],
    lead: Message,
    relevance: Mapping[int, float],
    zone: tzinfo,
    question: str,
) -> str:
    """What the phase's best messages say, at most three, in order of time."""
    speaking = [m for m in messages if words_of(m).strip() and not only_asks(m)] or [lead]
    best = sorted(speaking, key=lambda m: (m is not lead, -relevance[m.local_id], m.order))
    chosen = sorted(best[:_QUOTED], key=lambda m: m.order)
    days = [day_words(m.sent_at.astimezone(zone), question) for m in chosen]
    said = [
        said_by(m, _telling(m, question), day, question)
        for m, day in zip(chosen, days, strict=True)
    ]
    return ("；" if is_chinese(question) else "; ").join(said)


def _telling(message: Message, question: str) -> str:
    """The sentence that shares most with the question and is none itself; the longer of equals."""
    text = message.text if message.text.strip() else message.caption or ""
    asked = stems(question)
    found = [" ".join(text[a:b].split()) for a, b in sentences(text)]
    told = [s for s in found if not s.endswith(("?", "？"))] or found
    said = [stems(_OPENING.sub("", s)) for s in told]
    ranked = [
        (len(asked & words), min(len(words), _ENOUGH_WORDS), -i, sentence)
        for i, (words, sentence) in enumerate(zip(said, told, strict=True))
    ]
    return max(ranked)[3] if ranked else ""


def _cut(sentence: str) -> str:
    """The head of a sentence too long for a title.

    It ends at a clause where one ends in its second half, else at a word, and never at a word that
    leaves the reader hanging.
    """
    if len(sentence) <= _MOST_LETTERS:
        return sentence.rstrip(_ENDS)
    clauses = [m.start() for m in _CLAUSE.finditer(sentence, 0, _MOST_LETTERS + 1)]
    if clauses and 2 * clauses[-1] >= _MOST_LETTERS:
        return sentence[: clauses[-1]].rstrip(_ENDS)
    words = sentence[: _MOST_LETTERS + 1].split(" ")[:-1]
    while len(words) > _LEAST_WORDS and words[-1].strip(_ENDS).casefold() in _HANGING:
        words.pop()
    return " ".join(words).rstrip(_ENDS) or sentence[:_MOST_LETTERS]


def _title_han(sender: str, sentence: str) -> str:
    said = _EMOJI.sub("", _OPENING_HAN.sub("", sentence)).strip(_ENDS) or sentence
    short = ""
    for clause in filter(None, _CLAUSE_HAN.split(said)):
        joined = f"{short}，{clause}" if short else clause
        if len(joined) > _MOST_HAN:
            break
        short = joined
    short = (short or said[:_MOST_HAN]).strip(_ENDS)
    if short.startswith("我") and not short.startswith("我们"):
        return sender + short.removeprefix("我")
    return f"{sender}：{short}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
