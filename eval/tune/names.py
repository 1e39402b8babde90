"""The people, places and other names of the chats, and where a text says one of them.

A name is found whatever its case, accents and endings ("lena", "Lenas", "Léna"), and within words it
is written onto. In small letters only where it is no word besides ("will", "rose"); at the head of
a sentence, where everything has a capital, neither.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from eval.cases import ReadyCase
from eval.tune.also_words import ALSO_WORDS
from eval.tune.common_words import common_words
from eval.tune.leak import Kind, Leak
from eval.tune.wording import Word, has_case, is_unspaced, key_of, pieces, visible, words
from sayso.core.chat import Chat
from sayso.core.language import NAMES as LANGUAGES
from sayso.core.people import known_names
from sayso.core.stopwords import STOPWORDS
from sayso.core.time_words import HOLIDAYS, MONTHS, WEEKDAYS

_EVERYDAY = frozenset(STOPWORDS) | frozenset(MONTHS) | frozenset(WEEKDAYS)
# So much longer may a name be under an ending; one that ends in a vowel may change that for these.
_ENDING = 3
_STEM = 3
_FOR_VOWEL = frozenset(("", "a", "e", "i", "o", "u", "y", "ie", "ii", "ou", "oy", "om", "em", "ei", "ois",
                        "ы", "и", "у", "ю", "е", "я", "ои", "ою", "еи", "ею"))  # fmt: skip
# Greek masculine names lose their last consonant.
_VOWEL = re.compile(r"[aeiouyаяоеиισαηο]$")
# A name is mostly written large; some people type it small now and then.
_MOSTLY = 3


class Names:
    """The names of these chats; built once for many texts."""

    def __init__(self, cases: Sequence[ReadyCase]) -> None:
        chats = {id(r.chat): r.chat for r in cases}.values()
        seen = {c.chat_id: _Seen([m.text for m in c.messages]) for c in chats}
        asked = {c.chat_id: [r.case.question for r in cases if r.chat is c] for c in chats}
        self._people = {c.chat_id: _people(c) for c in chats}
        self._small = {chat_id: one.small for chat_id, one in seen.items()}
        self._words = ALSO_WORDS | _EVERYDAY
        self._named: dict[str, tuple[Kind, str]] = {}
        for chat in chats:
            spoken_of = seen[chat.chat_id].names | _Seen(asked[chat.chat_id]).names
            for key in spoken_of - seen[chat.chat_id].mostly_small - _not_names():
                self._named.setdefault(key, ("place or name", chat.chat_id))
        for chat_id, people in self._people.items():
            for key in people:
                self._named[key] = ("person", chat_id)
        self._long = sorted(
            (k for k, (kind, _) in self._named.items() if kind == "person" and has_case(k)),
            key=len, reverse=True,
        )  # fmt: skip
        self._inside = [
            k for k, (kind, _) in self._named.items() if kind == "person" and _inside(k)
        ]

    def found(self, text: str) -> dict[str, Leak]:
        """The names that a text says, by what each is known by."""
        found: dict[str, Leak] = {}
        for whole in words(text):
            for word in pieces(whole):
                name = self._name_of(word)
                if name is not None:
                    kind, of = self._named[name]
                    found.setdefault(name, Leak(kind, word.text, of))
        folded = key_of(visible(text))
        for name in self._inside:
            if name in folded:
                found.setdefault(name, Leak("person", name, self._named[name][1]))
        return found

    def _name_of(self, word: Word) -> str | None:
        """The name that a word is, in whatever form; None where it is or may be none."""
        plain = word.key if word.key in self._named else word.key.removesuffix("s")
        if plain in self._named:
            return plain if self._means(plain, word) else None
        if word.first or not word.capital or not has_case(word.text):
            return None
        return next((name for name in self._long if _is_form_of(word.key, name)), None)

    def _means(self, name: str, word: Word) -> bool:
        """Whether the word can mean nothing but the name."""
        if word.capital and not word.first:
            return True
        if name in self._words or any(
            # What people of other chats write small is a word, whoever bears it here.
            name in small
            for of, small in self._small.items()
            if name not in self._people[of]
        ):
            return False
        if word.capital:
            return True
        # Half of the places are words besides (the States, a Bridge), so only rare ones are taken.
        is_person = self._named[name][0] == "person"
        return len(name) >= _STEM and (is_person or name not in common_words())


class _Seen:
    """How words are written in some texts: ``names`` large within sentences, ``small`` not."""

    def __init__(self, texts: Iterable[str]) -> None:
        large: Counter[str] = Counter()
        small: Counter[str] = Counter()
        for text in texts:
            for word in words(text):
                if not word.capital:
                    small[word.key] += 1
                elif not word.first and _looks_like_a_name(word.text):
                    large[word.key] += 1
        self.small = frozenset(small)
        self.mostly_small = frozenset(k for k, n in small.items() if n * _MOSTLY > large[k])
        self.names = frozenset(large)


def _looks_like_a_name(word: str) -> bool:
    if len(word) < _STEM or not has_case(word):
        return False
    return word.isupper() or (word[0].isupper() and not word.isupper())


def _people(chat: Chat) -> frozenset[str]:
    """What each person is called, by its words; in scripts without spaces by the whole name."""
    names = {n for p in chat.participants for n in (p.name, *p.aliases)} | set(known_names(chat))
    found = set()
    for name in names:
        if is_unspaced(name):
            found |= {key_of(part) for part in name.split()}
        else:
            found |= {word.key for word in words(name)}
    return frozenset(key for key in found if len(key) > 1 and not _is_date(key))


def _is_date(key: str) -> bool:
    return key in MONTHS or key in WEEKDAYS or key.isdigit()


def _inside(name: str) -> bool:
    """Whether a name is looked for within words: where letters have no size, words are joined freely."""
    return not has_case(name) and len(name) >= (2 if is_unspaced(name) else _STEM)


def _is_form_of(key: str, name: str) -> bool:
    """Whether a word can be the name under an ending."""
    if len(name) > _STEM and key.startswith(name):
        return len(key) <= len(name) + _ENDING
    stem = _VOWEL.sub("", name)
    return (
        stem != name
        and len(stem) >= _STEM
        and key.startswith(stem)
        and key.removeprefix(stem) in _FOR_VOWEL
    )


def _not_names() -> frozenset[str]:
    """Words with a capital that belong to nobody: days, holidays, languages."""
    said = " ".join((*HOLIDAYS, *LANGUAGES.values()))
    return _EVERYDAY | {word.key for word in words(said)}
