"""Which participants a question names: by name, alias, nickname learned from the chat, or loosely.

A name that nobody bears names nobody; it never limits a search.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher

from sayso.core.chat import Chat
from sayso.core.chinese_names import called, longer_words
from sayso.core.nicknames import addressed, is_fond, thanked
from sayso.core.stopwords import STOPWORDS, STOPWORDS_BY_LANGUAGE
from sayso.core.time_words import MONTHS, SEASONS, WEEKDAYS, words

# Scripts that stand beside Latin letters without a space: a name ends where they begin ("Tom什么时候").
UNSPACED = "\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NAME = re.compile(
    rf"[^\W\d_{UNSPACED}](?:[^\W{UNSPACED}]|[.’'-])*[^\W_{UNSPACED}]|[^\W\d_{UNSPACED}]|[{UNSPACED}]+"
)
_LOOSE = 0.75
# Katey is Kate, and Halloween is no Hall.
_LONGER = 2
# "Jan" is nobody's short name while it can be a month, and "The" is not Theo.
_NEVER_LOOSE = STOPWORDS | MONTHS.keys() | WEEKDAYS.keys()
# In small letters "tom" is Tom, but "van", "ben" and "mia" are words somewhere.
_LEAST_SMALL = 3
_SHORT_WORDS = frozenset().union(*STOPWORDS_BY_LANGUAGE.values())
# The Boss is not named by "the", nor José de la Cruz by "la".
_ARTICLES = words("a an the my our der die das el los las les il")
_PARTICLES = _ARTICLES | words("and of de del della di da do dos du la le lo van von vom zu")
# No name follows these: "the new kit" is not Kit's …
_ARTICLE_BEFORE = re.compile(
    r"(?:^|\W)(?:(?:the|an?|every|each|any|these|those)(?:\s+(?:new|old|other|same|first|second|third|last"
    r"|next|best|main|whole|big|small|little|local|indoor|outdoor|red|green|blue|white|black))?"
    r"|my|your|our|his|her|their|its)\s+$",
    re.IGNORECASE,
)
# … and what only resembles a name is none after these, "zur Halle"; a name may well be: "der Tom".
_LIKE_ARTICLE_BEFORE = re.compile(
    r"(?:^|\W)(?:[dm]?eine[rmn]?|d(?:er|ie|as|em|en|es)|zu[mr]|[ai]m|ins|beim|el|los|las?|les?|una?|une|des)"
    r"\s+$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"\s+([^\W\d_])(?![\w'’])\.?(?:['’]s)?")
# "Will we …" begins with a verb, "Will and Bo …" and "Will's …" with a name.
_VERB_FOLLOWED = re.compile(r"\s+(?!(?:and|or|und|et|y)\b)\w")
_OPENS = re.compile(r"(?:^|[.!?])\s*$")
_MODALS = frozenset({"will", "may"})
_NAME_FOLLOWS = re.compile(r"\b(?:did|does|has|had|is|was|about|with|from|for)\s+$", re.IGNORECASE)
_DATES = MONTHS.keys() | WEEKDAYS.keys() | SEASONS.keys()
_DATE_BEFORE = re.compile(
    r"(?:\b(?:in|since|until|till|during|last|next|this|early|late|mid|(?:the\s+)?(?:end|start|middle|"
    r"beginning|whole|all)(?:\s+of)?|(?:"
    + "|".join(sorted(MONTHS))
    + r")\s+(?:and|or|to|until|till|through))"
    r"|\d(?:st|nd|rd|th)?(?:\s+of)?)[\s-]+$",
    re.IGNORECASE,
)
_BACK = 24  # characters
_DATE_AFTER = re.compile(r"\s+(?:the\s+)?\d")
# Scripts that part words with spaces end before here; Chinese or Korean names stand inside a run.
_SPACED = "\u0590"
_LIKE_A_PLURAL = re.compile(r"([\w.'’ -]*?[^\W\d_]s)(?:['’]s?)?", re.IGNORECASE)
_SOMEBODY = "somebody"


@dataclass(frozen=True)
class Named:
    """The participants named, in the order of the question, and the question without their names.

    ``surely`` are those of them whose name it is, and not merely like one that nobody bears.
    ``neutral`` is the question with a word for somebody in place of the names that end like a
    plural ("What did Mattias …").
    """

    people: tuple[str, ...]
    rest: str
    neutral: str
    surely: tuple[str, ...]


def known_names(chat: Chat) -> dict[str, str]:
    """Every name, alias and part of a name that means one participant, casefolded, to that name.

    Nicknames are learned where two people talk: a capitalised word that one of them uses to
    address somebody at least twice means the other. Who is thanked right after a message by a
    name like its sender's is that sender.
    """
    return {name: next(iter(who)) for name, who in bearers(chat).items() if len(who) == 1}


def bearers(chat: Chat) -> dict[str, set[str]]:
    """Every name that :func:`known_names` may know, casefolded, to all who bear it."""
    owners: dict[str, set[str]] = defaultdict(set)
    for person in chat.participants:
        for name in (person.name, *person.aliases):
            for part in parts_of(name):
                owners[part].add(person.name)
    for nickname, person_name in addressed(chat, owners.keys()).items():
        owners.setdefault(nickname, {person_name})
    borne = {
        p.name: frozenset(q for n in (p.name, *p.aliases) for q in parts_of(n))
        for p in chat.participants
    }
    for nickname, meant in (*_called(chat).items(), *thanked(chat, borne, _is_like).items()):
        owners.setdefault(nickname, meant)
    return dict(owners)


def named(question: str, names: Mapping[str, str]) -> Named:
    """Who is named, all of them where several share a name, and what is left of the question."""
    people: dict[str, None] = {}
    surely: dict[str, None] = {}
    cut: list[tuple[int, int]] = []
    for full in sorted((n for n in names if " " in n or not n.isascii()), key=len, reverse=True):
        for match in re.finditer(standing(full), question, flags=re.IGNORECASE):
            if not any(s < match.end() and match.start() < e for s, e in cut):
                cut.append(match.span())
                people.setdefault(names[full])
                surely.setdefault(names[full])
    for match in _NAME.finditer(question):
        if any(s < match.end() and match.start() < e for s, e in cut):
            continue
        if _means_otherwise(question, match):
            continue
        word, end = re.sub(r"['’]s?$", "", match.group()), match.end()
        before = question[max(0, match.start() - _BACK) : match.start()]
        article = bool(_ARTICLE_BEFORE.search(before))
        found = _bearers(word, names, article=article)
        sure = bool(found)
        if not found and not article and before and not _LIKE_ARTICLE_BEFORE.search(before):
            found = _alike(word, names)
        initial = _INITIAL.match(question, end) if len(found) > 1 else None
        if initial and (meant := _with_initial(initial[1], found)):
            found, end = meant, initial.end()
        if found:
            people.update(dict.fromkeys(found))
            surely.update(dict.fromkeys(found if sure else ()))
            cut.append((match.start(), end))
    rest = neutral = question
    for start, end in sorted(cut, reverse=True):
        rest = rest[:start] + " " + rest[end:]
        if plural := _LIKE_A_PLURAL.fullmatch(question, start, end):
            neutral = neutral[:start] + _SOMEBODY + neutral[plural.end(1) :]
    rest = re.sub(r"\s+", " ", rest).strip()
    return Named(tuple(people), rest or question, neutral, tuple(surely))


def parts_of(name: str) -> set[str]:
    """A name and what of it is a name by itself, casefolded."""
    found = [word.casefold() for word in _NAME.findall(name)]
    if len(found) > 1:
        # Le and Do are names where they stand first.
        found = [w for i, w in enumerate(found) if w not in (_PARTICLES if i else _ARTICLES)]
    return {part for part in (name.casefold(), *found) if len(part) > 1}


def _called(chat: Chat) -> dict[str, set[str]]:
    """What else people may be called, casefolded, and who."""
    found: dict[str, set[str]] = defaultdict(set)
    for person in chat.participants:
        for name in (person.name, *person.aliases):
            for nickname in also_called(name):
                found[nickname].add(person.name)
    return found


def also_called(name: str) -> set[str]:
    """What else a name may be said as, casefolded: half of one with a hyphen, 小明, Zoe."""
    double = [word for word in name.casefold().split() if "-" in word]
    halves = {half for word in double for half in word.split("-") if len(half) > 2}
    plain = {_unaccented(part) for part in parts_of(name)}
    return set(called(name)) | halves | plain


def _unaccented(name: str) -> str:
    """The name as it is typed where the keyboard has no accents: Zoë is Zoe."""
    parted = unicodedata.normalize("NFD", name)
    return unicodedata.normalize("NFC", "".join(c for c in parted if not unicodedata.combining(c)))


def _means_otherwise(question: str, word: re.Match[str]) -> bool:
    """Whether a word that may be a name is a verb at the start of a sentence, or part of a date."""
    folded = word.group().casefold()
    # The pattern looks back from each word: no further than a date may reach.
    before, after = question[max(0, word.start() - _BACK) : word.start()], word.end()
    if folded in _DATES and (_DATE_BEFORE.search(before) or _DATE_AFTER.match(question, after)):
        return True
    if folded in _MODALS and word.group().islower():
        alone = not before.strip() and not _VERB_FOLLOWED.match(question, after)
        return not alone and not _NAME_FOLLOWS.search(before)
    opens = folded in STOPWORDS and _OPENS.search(before)
    return bool(opens and _VERB_FOLLOWED.match(question, after))


def standing(name: str) -> str:
    """A pattern that finds the name: a word of its own, where its script parts words.

    A Chinese name is not found where a common word begins with it: no 小龙 in 小龙虾.
    """
    if max(name) >= _SPACED:
        longer = "|".join(longer_words(name))
        return re.escape(name) + (f"(?!{longer})" if longer else "")
    return rf"(?<![^\W{UNSPACED}]){re.escape(name)}(?![^\W{UNSPACED}])"


def _bearers(word: str, names: Mapping[str, str], *, article: bool) -> list[str]:
    """Whose name the word is: all of them where several share it, as either may be meant.

    A name in small letters is taken too: people type so; but no common word, nor after an article.
    """
    folded = word.casefold()
    if not (word[0].isupper() or folded in _MODALS or not (_is_word(folded) or article)):
        return []
    if folded in names:
        return [names[folded]]
    found = dict.fromkeys(who for name, who in names.items() if folded in name.split())
    return list(found) if len(found) > 1 else []


def _alike(word: str, names: Mapping[str, str]) -> list[str]:
    """The one whose name the word is like: cut short, a little longer, or misspelt."""
    folded = word.casefold()
    if not word[0].isupper() or len(folded) < 3 or folded in _NEVER_LOOSE:
        return []
    close = {
        who
        for name, who in names.items()
        if len(name) > 2
        and (
            (len(folded) >= 3 and name.startswith(folded))
            or (len(name) >= 4 and folded.startswith(name) and len(folded) <= len(name) + _LONGER)
            # Ana is in Joana, but they are two names; who mistypes a short one starts it right.
            or (
                (len(name) > 3 or name[0] == folded[0])
                and SequenceMatcher(None, folded, name).ratio() >= _LOOSE
            )
        )
    }
    return list(close) if len(close) == 1 else []


def _is_word(folded: str) -> bool:
    """Whether a name in small letters rather is the word that it looks like."""
    if len(folded) <= _LEAST_SMALL:
        return len(folded) < _LEAST_SMALL or folded in _SHORT_WORDS or folded in _NEVER_LOOSE
    return folded in STOPWORDS


def _with_initial(letter: str, people: Sequence[str]) -> list[str]:
    """The one of them whose further name begins so: "Ana Q" where there are two Anas."""
    found = [who for who in people if any(p.startswith(letter) for p in who.split()[1:])]
    return found if letter.isupper() and len(found) == 1 else []


def _is_like(word: str, names: Set[str]) -> bool:
    """Whether the word is like one of the names of one person, or a fond form of it."""
    return bool(_alike(word, dict.fromkeys(names, ""))) or is_fond(word, names)
