"""Which language a chat is mostly in, from its scripts and function words."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from sayso.core.stopwords import STOPWORDS_BY_LANGUAGE

SAMPLE = 2000
MIXED = "mixed"
OTHER = "other"

NAMES: Mapping[str, str] = {
    "en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "es": "Spanish",
    "de": "German", "fr": "French", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "sv": "Swedish", "da": "Danish", "no": "Norwegian", "fi": "Finnish", "pl": "Polish",
    "cs": "Czech", "hu": "Hungarian", "ro": "Romanian", "tr": "Turkish", "id": "Indonesian",
    "vi": "Vietnamese", "ru": "Russian", "uk": "Ukrainian", "ar": "Arabic", "fa": "Persian",
    "he": "Hebrew", "el": "Greek", "hi": "Hindi", "th": "Thai",
    MIXED: "in several languages", OTHER: "in another language",
}  # fmt: skip

# Enough to tell these from the rest; too few to drop from a search.
_TELLING = {
    "sv": "och är jag inte det att som för har med på en ett du kan vad hur när till var så också men vi mig",
    "da": "og er jeg ikke det at som for har med på en et du kan hvad hvordan når til var så også men vi mig af",
    "no": "og er jeg ikke det at som for har med på en et du kan hva hvordan når til var så også men vi meg av",
    "fi": "ja on ei se että olen oli niin mutta kun minä sinä mitä missä milloin vai nyt kyllä tai ole hän",
    "pl": "i w na się nie że jest to z do jak co już tak ale ja ty mam czy kiedy gdzie dla po od jestem był",
    "cs": "a je se na že to v s do jak co už tak ale já ty mám kdy kde pro po od jsem byl bylo není",
    "hu": "a az és nem hogy van egy ez is meg de már csak mi volt mikor hol én te igen kell most",
    "ro": "și este nu că la de pe cu în o un ce am ai are sunt mai dar când unde pentru din eu tu să",
    "tr": "ve bir bu da de ne çok için ama var yok ben sen mi mı mu evet hayır daha gibi zaman nerede",
    "id": "dan yang di ke ini itu tidak aku kamu saya ada dengan untuk sudah kapan apa gak ya juga bisa mau",
    "vi": "và là của không có được cho một này đó tôi bạn anh em đi rồi khi nào gì với thì mà cũng ở",
}
_SCRIPTS = (
    ("kana", "\u3040-\u30ff"),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"),
    ("ko", "\u1100-\u11ff\uac00-\ud7af"),
    ("cyrillic", "\u0400-\u052f"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f"),
    ("he", "\u0590-\u05ff"),
    ("el", "\u0370-\u03ff"),
    ("hi", "\u0900-\u097f"),
    ("th", "\u0e00-\u0e7f"),
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
)
_LETTER = re.compile("|".join(f"(?P<{name}>[{chars}])" for name, chars in _SCRIPTS))
_ASCII_LETTER = re.compile("[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
# A character of these scripts says about as much as this many Latin letters.
_WEIGHT = {"kana": 2.0, "han": 3.0, "ko": 2.0, "th": 1.2}
_UKRAINIAN = frozenset("іїєґ")
_PERSIAN = frozenset("پچژگ")
_LONGEST = 400
_MAIN = 0.65
_FEW_WORDS = 40
_TELLING_SHARE = 0.12
_STRAY = 0.15

_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in (
    *STOPWORDS_BY_LANGUAGE.items(),
    *((name, frozenset(listed.split())) for name, listed in _TELLING.items()),
):
    for _word in _words:
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)


def language_of(texts: Sequence[str]) -> str:
    """The main language of a chat's messages, a key of :data:`NAMES`.

    At most :data:`SAMPLE` texts are read, evenly spread. A language is the main one where it has
    two thirds of the messages that tell theirs, else the chat is ``mixed``; Latin letters without
    the function words of any language known here are ``other``. Where nothing tells, ``en``.
    """
    step = max(1, -(-len(texts) // SAMPLE))
    by_script: Counter[str] = Counter()
    latin: list[str] = []
    letters: Counter[str] = Counter()
    for text in islice(texts, 0, None, step):
        part = text[:_LONGEST].casefold()
        script = _script(part, letters)
        if script == "latin":
            latin.append(part)
        elif script:
            by_script[script] += 1
    votes = Counter({_refined(s, letters): n for s, n in by_script.items()})
    votes.update(_spread(latin))
    if not votes:
        return "en"
    language, most = min(votes.items(), key=lambda item: (-item[1], item[0]))
    return language if most >= _MAIN * votes.total() else MIXED


def reads_english(text: str) -> bool:
    """Whether a text, such as one query, is for a reader of English.

    That is Latin letters with at most twice as many function words of another language as of
    English: the title of a Spanish song makes no Spanish question.
    """
    part = text[:_LONGEST].casefold()
    if _script(part, Counter()) != "latin":
        return False
    hits = _hits(set(_WORD.findall(part)))
    most = max(hits.values(), default=0)
    return most < 2 or 2 * hits["en"] >= most


def reads(languages: frozenset[str] | None, language: str) -> bool:
    """Whether a reader of ``languages`` (None: all) reads a chat mainly in ``language``.

    A mixed chat is read as far as it goes.
    """
    return languages is None or language == MIXED or language in languages


@lru_cache(maxsize=1000)
def reads_query(languages: frozenset[str] | None, query: str) -> bool:
    """Whether a reader of ``languages`` (None: all) reads one query; asked at each step of it."""
    if languages is None or ("en" in languages and reads_english(query)):
        return True
    return language_of((query,)) in languages - {"en"}


def _script(text: str, letters: Counter[str]) -> str:
    """The script with the most to say, empty where there is no letter; adds to ``letters``."""
    if text.isascii():
        return "latin" if _ASCII_LETTER.search(text) else ""
    found: Counter[str] = Counter()
    for match in _LETTER.finditer(text):
        name = match.lastgroup or ""
        found[name] += 1
        if name in ("cyrillic", "arabic"):
            letters[match.group()] += 1
    if not found:
        return ""
    letters.update({n: found[n] for n in ("kana", "han") if found[n]})
    if found["kana"]:
        found["han"] += found.pop("kana")  # one text is Japanese or Chinese, not half of each
    return max(found, key=lambda name: (found[name] * _WEIGHT.get(name, 1.0), name))


def _refined(script: str, letters: Counter[str]) -> str:
    """The language that a script stands for here, all of the chat's letters considered."""
    if script == "han":
        return "ja" if letters["kana"] > 0.1 * letters["han"] else "zh"
    if script == "cyrillic":
        return "uk" if any(letters[c] for c in _UKRAINIAN) else "ru"
    if script == "arabic":
        return "fa" if any(letters[c] for c in _PERSIAN) else "ar"
    return script


def _spread(texts: Sequence[str]) -> Counter[str]:
    """Texts in Latin letters by language; "ok" and "haha" are of none."""
    votes: Counter[str] = Counter()
    words = telling = 0
    for text in texts:
        found = _WORD.findall(text)
        hits = _hits(found)
        words += len(found)
        telling += sum(w in _LANGUAGES_OF for w in found)
        most = max(hits.values(), default=0)
        best = [language for language, n in hits.items() if n == most]
        # "no" is a word in many languages: a text that leaves it open says nothing.
        if len(best) == 1:
            votes[best[0]] += 1
    if words >= _FEW_WORDS and telling < _TELLING_SHARE * words:
        return Counter({OTHER: len(texts)})
    # Stray words of other languages among the short texts are no second language.
    least = _STRAY * max(votes.values(), default=0)
    return Counter({language: n for language, n in votes.items() if n >= least})


def _hits(words: Iterable[str]) -> Counter[str]:
    return Counter(language for word in words for language in _LANGUAGES_OF.get(word, ()))
