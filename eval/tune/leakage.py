"""Leakage: a prompt that names a person, a place or a phrase of the cases knows the answers.

Only what the current prompt does not say already counts against a candidate; what that one
says is told apart, since it helps both sides alike.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from eval.cases import ArcCase, QaCase, ReadyCase
from eval.gold import truth_of
from sayso.core.people import known_names
from sayso.core.stopwords import STOPWORDS
from sayso.core.time_words import MONTHS, WEEKDAYS

# So many words in a row, of which so many say what it is about, are nobody's by chance.
PHRASE, _TELLING = 5, 2
# Scripts without spaces: so many characters in a row.
_RUN = 8
_ANSWER = 2  # words of a case's answer that tell, standing together

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"(?:^|[.!?…:;\n\"“”«»(\[]\s*)$")

Kind = Literal["person", "place or name", "phrase", "answer"]


@dataclass(frozen=True)
class Leak:
    """What a prompt took from the cases: its words, and the case or chat that they are of."""

    kind: Kind
    words: str
    of: str


class Known:
    """What the cases and their chats could give away; built once for many prompts."""

    def __init__(self, cases: Sequence[ReadyCase]) -> None:
        self._cases = tuple(cases)

    def leaks(self, text: str, current: str = "") -> tuple[Leak, ...]:
        """What of the text is the cases' own and not said by ``current``; each once."""
        said = self._found(current) if current else {}
        return tuple(leak for words, leak in self._found(text).items() if words not in said)

    def _found(self, text: str) -> dict[str, Leak]:
        words = _words(text)
        small = [word.casefold() for word in words]
        found: dict[str, Leak] = {}
        for word, low in zip(words, small, strict=True):
            name = self._names.get(low)
            # A nickname may be a word as well ("Will"): in small letters it is one.
            if name is not None and (word != low or not word.isascii()):
                found[low] = Leak(name[0], word, name[1])
        for length, phrases in self._phrases.items():
            for at in range(len(small) - length + 1):
                where = phrases.get(tuple(small[at : at + length]))
                if where is not None:
                    phrase = " ".join(words[at : at + length])
                    found[phrase.casefold()] = Leak(where[0], phrase, where[1])
        return _longest_only(found)

    @cached_property
    def _names(self) -> Mapping[str, tuple[Kind, str]]:
        found: dict[str, tuple[Kind, str]] = {}
        for chat in {id(r.chat): r.chat for r in self._cases}.values():
            texts = [message.text for message in chat.messages]
            texts += [r.case.question for r in self._cases if r.chat is chat]
            for name in _proper_names(texts):
                found.setdefault(name, ("place or name", chat.chat_id))
            people = {n for p in chat.participants for n in (p.name, *p.aliases)}
            for name in (*people, *known_names(chat)):
                for word in _words(name):
                    low = word.casefold()
                    if len(low) > 1 and low not in _EVERYDAY:
                        found[low] = ("person", chat.chat_id)
        return found

    @cached_property
    def _phrases(self) -> Mapping[int, Mapping[tuple[str, ...], tuple[Kind, str]]]:
        """By length: stretches of questions and gold messages, and answers, with their case."""
        found: dict[int, dict[tuple[str, ...], tuple[Kind, str]]] = {}
        for ready in self._cases:
            texts = [ready.case.question]
            texts += [
                ready.chat.by_id[i].text
                for i in truth_of(ready.case, ready.chat).expected.local_ids
            ]
            if isinstance(ready.case, ArcCase):
                texts += [phase.title for phase in ready.case.phases]
            for text in texts:
                for gram in _grams([w.casefold() for w in _words(text)]):
                    found.setdefault(len(gram), {})[gram] = ("phrase", ready.case.case_id)
            answer = _answer(ready)
            if answer:
                found.setdefault(len(answer), {}).setdefault(answer, ("answer", ready.case.case_id))
        return found


_EVERYDAY = frozenset(STOPWORDS) | frozenset(MONTHS) | frozenset(WEEKDAYS)


def _words(text: str) -> list[str]:
    """Words as they stand; in scripts without spaces every character is one."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if _UNSPACED.search(word):
            found += [c for c in word if not c.isspace()]
        else:
            found.append(_POSSESSIVE.sub("", word))
    return found


def _grams(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    for at in range(len(words)):
        length = _RUN if _UNSPACED.match(words[at]) else PHRASE
        gram = tuple(words[at : at + length])
        if len(gram) == length and _telling(gram) >= _TELLING:
            yield gram


def _telling(words: Iterable[str]) -> int:
    return len({w for w in words if w not in STOPWORDS and not w.isdigit()})


def _answer(ready: ReadyCase) -> tuple[str, ...] | None:
    """A case's answer, if it is short and says enough to be recognised."""
    if not isinstance(ready.case, QaCase) or ready.case.answer is None:
        return None
    words = tuple(w.casefold() for w in _words(str(ready.case.answer)))
    return words if len(words) <= PHRASE and _telling(words) >= _ANSWER else None


def _proper_names(texts: Iterable[str]) -> set[str]:
    """Words that have a capital within sentences and are never written small."""
    capital: set[str] = set()
    small: set[str] = set()
    for text in texts:
        for match in _WORD.finditer(text):
            word = _POSSESSIVE.sub("", match.group())
            if word == word.lower():
                small.add(word)
            elif _is_capitalised(word) and not _SENTENCE_END.search(text[: match.start()][-3:]):
                capital.add(word.casefold())
    return {word for word in capital - small if word not in _EVERYDAY}


def _is_capitalised(word: str) -> bool:
    return len(word) > 2 and word[0].isupper() and word[1:].islower()


def _longest_only(found: Mapping[str, Leak]) -> dict[str, Leak]:
    """Overlapping stretches of one case are told once."""
    kept: dict[str, Leak] = {}
    last: Leak | None = None
    for words, leak in found.items():
        if leak.kind == "phrase" and last is not None and last.of == leak.of:
            ours, theirs = words.split(), last.words.casefold().split()
            if ours[:-1] == theirs[-(len(ours) - 1) :]:
                joined = Leak("phrase", f"{last.words} {leak.words.split()[-1]}", leak.of)
                kept.pop(last.words.casefold(), None)
                kept[joined.words.casefold()] = last = joined
                continue
        kept[words] = leak
        last = leak if leak.kind == "phrase" else None
    return kept
