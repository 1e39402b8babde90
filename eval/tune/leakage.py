"""Leakage: a prompt that names a person, a place or a phrase of the cases knows the answers.

Only what the current prompt does not say already counts against a candidate; what that one
says is told apart, since it helps both sides alike. Places whose script has no capitals are found
within phrases and answers alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from eval.cases import ArcCase, QaCase, ReadyCase
from eval.gold import truth_of
from eval.tune.leak import Kind, Leak
from eval.tune.names import Names
from eval.tune.wording import Word, is_unspaced, words
from sayso.core.stopwords import STOPWORDS
from sayso.core.time_words import NUMBERS, UNITS

# So many words in a row, of which so many say what it is about, are nobody's by chance.
PHRASE, _TELLING = 5, 2
# Scripts without spaces: so many characters in a row.
_RUN = 8
_ANSWER = 2  # words of a case's answer that tell, standing together


class Known:
    """What the cases and their chats could give away; built once for many prompts."""

    def __init__(self, cases: Sequence[ReadyCase]) -> None:
        self._cases = tuple(cases)

    def leaks(self, text: str, current: str = "") -> tuple[Leak, ...]:
        """What of the text is the cases' own and not said by ``current``; each once."""
        said = self._found(current) if current else {}
        return tuple(leak for key, leak in self._found(text).items() if key not in said)

    def _found(self, text: str) -> dict[str, Leak]:
        """By what each is known by: a name, or the words of a phrase."""
        found = self._names.found(text)
        said = words(text)
        phrases: list[tuple[int, int, Kind, str]] = []
        for length, known in self._phrases.items():
            for at in range(len(said) - length + 1):
                where = known.get(tuple(word.key for word in said[at : at + length]))
                if where is not None:
                    phrases.append((at, at + length, *where))
        for start, end, kind, of in _joined(phrases):
            stretch = said[start:end]
            found[_text(stretch, key=True)] = Leak(kind, _text(stretch), of)
        return found

    @cached_property
    def _names(self) -> Names:
        return Names(self._cases)

    @cached_property
    def _phrases(self) -> Mapping[int, Mapping[tuple[str, ...], tuple[Kind, str]]]:
        """By length: stretches of questions and gold messages, and answers, with their case."""
        found: dict[int, dict[tuple[str, ...], tuple[Kind, str]]] = {}
        for ready in self._cases:
            for text in _told(ready):
                for gram in _grams([word.key for word in words(text)]):
                    found.setdefault(len(gram), {})[gram] = ("phrase", ready.case.case_id)
            answer = _answer(ready)
            if answer:
                found.setdefault(len(answer), {}).setdefault(answer, ("answer", ready.case.case_id))
        return found


def _told(ready: ReadyCase) -> list[str]:
    """The texts of a case that no prompt may repeat."""
    gold = truth_of(ready.case, ready.chat).expected.local_ids
    texts = [ready.case.question, *(ready.chat.by_id[i].text for i in gold)]
    if isinstance(ready.case, ArcCase):
        texts += [phase.title for phase in ready.case.phases]
    return texts


def _grams(keys: Sequence[str]) -> Iterable[tuple[str, ...]]:
    for at in range(len(keys)):
        length = _RUN if is_unspaced(keys[at]) else PHRASE
        gram = tuple(keys[at : at + length])
        if len(gram) == length and _telling(gram) >= _TELLING:
            yield gram


def _telling(keys: Iterable[str]) -> int:
    return len({key for key in keys if key not in STOPWORDS and not key.isdigit()})


def _answer(ready: ReadyCase) -> tuple[str, ...] | None:
    """A case's answer, if it is short and says enough to be recognised."""
    if not isinstance(ready.case, QaCase) or ready.case.answer is None:
        return None
    keys = tuple(word.key for word in words(str(ready.case.answer)))
    longest = 2 * _RUN if any(map(is_unspaced, keys)) else PHRASE
    told = [key for key in keys if key not in NUMBERS and key not in UNITS]  # "four months"
    return keys if len(keys) <= longest and _telling(told) >= _ANSWER else None


def _joined(found: Iterable[tuple[int, int, Kind, str]]) -> list[tuple[int, int, Kind, str]]:
    """Stretches of a kind that overlap are told as one, of the case that it begins with."""
    kept: list[tuple[int, int, Kind, str]] = []
    for start, end, kind, of in sorted(found, key=lambda one: (one[2], one[0], -one[1])):
        if kept and kept[-1][2] == kind and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]), kind, kept[-1][3])
        else:
            kept.append((start, end, kind, of))
    return sorted(kept)


def _text(stretch: Sequence[Word], *, key: bool = False) -> str:
    """The words in a row; characters of a script without spaces stand side by side."""
    text = ""
    for word in stretch:
        apart = bool(text) and not (is_unspaced(word.key) and is_unspaced(text[-1]))
        text += " " * apart + (word.key if key else word.text)
    return text
