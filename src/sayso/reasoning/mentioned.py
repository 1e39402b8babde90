"""A question for who mentioned some words, when first or last, or how often: which words, by whom."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sayso.core.chat import Message
from sayso.core.people import named
from sayso.core.sentences import content_words
from sayso.core.simplified import simplified
from sayso.reasoning.phrase_marks import SAME_WORD
from sayso.reasoning.phrase_words import stem
from sayso.reasoning.phrasing import is_chinese

Wanted = Literal["first", "last", "count"]


@dataclass(frozen=True)
class Mention:
    """What is asked: the end of the chat or how often, by whom (empty: by anybody), which words.

    ``topic`` is as it was asked, without its article.
    """

    wanted: Wanted
    people: tuple[str, ...]
    topic: str


_ORDER = r"(?:very\s+)?(?P<{}>first|earliest|last|latest|most\s+recently|most\s+recent)"
_LATE = r"(?:\s+(?:for\s+the\s+)?(?P<late>first|last)(?:\s+time)?)"
_ABOUT = (
    r"(?:mention(?:s|ed|ing)?|(?:talk|chat)(?:s|t?ed|t?ing)?\s+(?:about|of)"
    r"|sp(?:eaks?|oke|oken|eaking)\s+(?:about|of)|refer(?:s|red|ring)?\s+to|br(?:ings?|ought|inging)\s+up"
    r"|(?:say|says|said|saying|write|writes|wrote|written)\s+(?:(?:any|some)thing\s+)?about)"
)
_PASSIVE = (
    r"(?:mentioned|brought\s+up|(?:talked|written)\s+about|spoken\s+(?:about|of)|referred\s+to)"
)
_VERB = rf"(?:{_ABOUT}\s+(?P<topic>.+?)|br(?:ings?|ought|inging)\s+(?P<up>.+?)\s+up)"
_TIMES = r"how\s+(?:many\s+times|often)"
_DID = r"(?:did|do|does|has|have|had)"
_WAS = r"(?:was|were|is|are|has|have|had)(?:\s+been)?"
_FORMS = (
    rf"(?:when|what)\s+did\s+(?P<who>.+?)\s+(?:{_ORDER.format('order')}\s+)?{_VERB}{_LATE}?",
    rf"when\s+was\s+the\s+{_ORDER.format('order')}\s+time\s+(?:that\s+|when\s+)?(?P<who>.+?)\s+{_VERB}",
    rf"who\s+(?:was\s+(?:the\s+)?)?{_ORDER.format('order')}\s+(?:person\s+|one\s+|of\s+\w+\s+)?(?:to\s+)?{_VERB}",
    rf"who\s+{_VERB}{_LATE}",
    rf"when\s+(?:was|were)\s+(?P<topic>.+?)\s+{_ORDER.format('order')}\s+{_PASSIVE}(?:\s+by\s+(?P<who>.+))?",
    rf"when\s+(?:was|were)\s+(?P<topic>.+?)\s+{_PASSIVE}(?:\s+by\s+(?P<who>.+?))?{_LATE}",
    rf"when\s+was\s+the\s+{_ORDER.format('order')}\s+time\s+(?:that\s+)?(?P<topic>.+?)\s+"
    rf"(?:was\s+{_PASSIVE}(?:\s+by\s+(?P<who>.+))?|came\s+up)",
    rf"when\s+did\s+(?P<topic>.+?)\s+{_ORDER.format('order')}\s+come\s+up",
    rf"(?:when|what|which|where)\s+(?:was|is)\s+(?:the\s+)?{_ORDER.format('order')}\s+"
    r"(?:mention\s+of|message\s+(?:that\s+|which\s+|to\s+)?(?:mention(?:s|ed|ing)?|about))\s+(?P<topic>.+?)"
    r"(?:\s+(?:by|from)\s+(?P<who>.+))?",
    rf"(?P<count>{_TIMES})\s+{_DID}\s+(?P<who>.+?)\s+(?:ever\s+)?{_VERB}",
    rf"(?P<count>{_TIMES})\s+{_WAS}\s+(?P<topic>.+?)\s+(?:been\s+)?{_PASSIVE}(?:\s+by\s+(?P<who>.+))?",
    rf"(?P<count>{_TIMES})\s+{_DID}\s+(?P<topic>.+?)\s+(?:come|came)\s+up",
    rf"(?P<count>how\s+many\s+messages)\s+(?:(?:by|from|of)\s+(?P<who>.+?)\s+)?{_ABOUT}\s+(?P<topic>.+)",
    rf"(?P<count>in\s+how\s+many\s+messages)\s+{_DID}\s+(?P<who>.+?)\s+{_VERB}",
    r"(?P<count>how\s+many\s+mentions)\s+of\s+(?P<topic>.+?)(?:\s+(?:are|were)\s+there)?",
)
_ORDER_HAN = r"(?P<order>第一次|最早|首次|最先|最后一次|最近一次|最后)"
_ABOUT_HAN = r"(?:提到|提起|提及|说到|说起|谈到|谈起|聊到|聊起)(?:了|过)?"
_WHEN_HAN = r"(?:是|在)*(?:什么时候|哪一?天|何时|几号|几月)?(?:是|在)*"
_FORMS_HAN = (
    rf"(?P<topic>.+?){_WHEN_HAN}{_ORDER_HAN}被{_ABOUT_HAN}{_WHEN_HAN}",
    rf"(?P<who>.*?){_WHEN_HAN}{_ORDER_HAN}{_WHEN_HAN}{_ABOUT_HAN}(?P<topic>.+?)(?:的时候)?{_WHEN_HAN}的?",
    rf"(?P<who>.*?)(?:一共|总共)?{_ABOUT_HAN}(?P<count>几次|多少次|几回)(?P<topic>.+)",
    rf"(?P<who>.*?)(?:一共|总共)?{_ABOUT_HAN}(?P<topic>.+?)(?P<count>几次|多少次|几回)",
)
_READ = [re.compile(form, re.IGNORECASE) for form in _FORMS]
_READ_HAN = [re.compile(form) for form in _FORMS_HAN]
_LONGEST = 400  # characters; a question is short, and the forms look ahead
_END = re.compile(r"[\s?!.,;:？！。，呢吗啊呀]+$")
_ANYBODY = re.compile(
    r"(?:we|they|any(?:one|body)|some(?:one|body)|people|everyone|everybody|either\s+of\s+(?:us|them)"
    r"|any\s+of\s+(?:us|them)|谁|我们|咱们|大家|他们|她们|有人)?",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s+(?:in\s+(?:the|this|our)\s+(?:whole\s+)?(?:chat|conversation|group)|here|again|so\s+far"
    r"|in\s+(?:total|all)|altogether|ever|at\s+all)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:the|an?|any|some|his|her|their|its|my|our|your|this|that|these|those)\s+", re.IGNORECASE
)
# "… that she hurt her knee": a sentence is told in other words each time.
_CLAUSE = re.compile(
    r"(?:that\s+\S+\s+\S+|to\s|(?:i|you|he|she|it|we|they)(?:['’]\w+)?\s|how|why|when|where|what|which|who|if|whether|being|having|wanting|going\s+to)\b",
    re.IGNORECASE,
)
# "… she was pregnant", "… the flat was sold": without "that" a verb tells it.
_TELLS = re.compile(
    r"\S\s+(?:(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|should|might|must|got|gets"
    r"|goes|went)(?:n['’]?t)?|that)\s+\S",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?P<name>[^\W\d_][\w’'-]*)\s+(?P<next>[a-z]+)\b")
_BESIDE_NAME = frozenset({"and", "or", "in", "at", "for", "from", "of", "on", "with", "as"})
_ASKS_HAN = re.compile("谁|多少|几|什么|哪|怎|何|吗")
_OWN = re.compile("['’]|的")
# What may stand between names without changing who is meant.
_BETWEEN = re.compile(
    r"(?:did|and|or|both|either|ever|already|actually|really|together|[是在和与跟及或都也到底究竟])*",
    re.IGNORECASE,
)
_NO_LETTER = re.compile(r"[\W_]+")
_TO = re.compile(r"\s+(?:to|with)\s+(?P<whom>[^\W\d_]+)$", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|还是|或者?")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_APOSTROPHE = re.compile("['’]")
_SHORT = 3  # letters; stems of no more may be those of words that begin otherwise
_IRREGULAR = frozenset(stem(word) for word in SAME_WORD.values())
_HAN = re.compile(r"[\u3400-\u9fff]")


def mention_asked(
    question: str, names: Mapping[str, str], owner: str | None = None
) -> Mention | None:
    """What the question asks of mentions; None where it asks for something else.

    ``owner`` is who "I" is. None, too, where the topic is told by a whole sentence or a pronoun,
    and where it is not known who is meant: the words decide nothing then.
    """
    text = _END.sub("", " ".join(question[:_LONGEST].split()))
    while aside := _ASIDE.search(text):
        text = text[: aside.start()]
    for found in _found(text):
        asked = _asked(found, text, names, owner)
        if asked is not None:
            return asked
    return None


def holding(messages: Iterable[Message], topic: str, names: Mapping[str, str]) -> list[Message]:
    """The messages whose text holds all words of the topic, by their stems; in their order.

    Of "raspberries or plums" either will do. Where no message holds the name in it, the rest
    will do as well from who bears it: "Bo's boat" is "my boat" when Bo speaks.
    """
    asked = [m for m in messages if m.text]
    found = [m for m in asked if in_words(m.text, topic)]
    meant = named(f"of {topic}", names)
    bare = meant.rest.removeprefix("of").strip()
    if found or not _OWN.search(topic) or not content_words(bare):
        return found
    return [m for m in asked if m.sender in meant.people and in_words(m.text, bare)]


def in_words(text: str, topic: str) -> bool:
    """Whether the text holds all words of the topic, or all of one of its alternatives."""
    said = _LINK.sub(" ", text)
    return any(each.is_in(said) for each in _alternatives(topic))


@dataclass(frozen=True)
class _Words:
    """Words that a text is to hold: their stems, and letters that a text with them has for certain.

    Chinese, which parts no words, is sought as it stands (``run``).
    """

    stems: frozenset[str]
    letters: tuple[str, ...]
    run: str = ""

    def is_in(self, text: str) -> bool:
        if self.run:
            return self.run in simplified(text).casefold()
        low = _APOSTROPHE.sub("", text.casefold())
        return all(part in low for part in self.letters) and self.stems <= _stems(text)


@lru_cache(maxsize=64)
def _alternatives(topic: str) -> tuple[_Words, ...]:
    found = []
    for each in _OR.split(topic):
        stems = _stems(each)
        if _HAN.search(each):
            found.append(_Words(stems, (), simplified(each).strip().casefold()))
        elif stems:
            found.append(_Words(stems, tuple(s[:-1] for s in sorted(stems) if _begins_so(s))))
    return tuple(found)


def _begins_so(stem_of: str) -> bool:
    """Whether all words of the stem begin like it, but for its end; "went" and "dying" do not."""
    return len(stem_of) > _SHORT and stem_of not in _IRREGULAR


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.removesuffix("'")) for word in content_words(text))


def _found(text: str) -> Iterator[re.Match[str]]:
    if is_chinese(text) or _HAN.search(text):
        text = simplified(text)
        yield from (m for form in _READ_HAN if (m := form.fullmatch(text)))
    yield from (m for form in _READ if (m := form.fullmatch(text)))


def _asked(
    found: re.Match[str], text: str, names: Mapping[str, str], owner: str | None
) -> Mention | None:
    told = found.groupdict()
    wanted = _wanted(told)
    people = people_meant(told.get("who") or "", names, owner)
    span = found.span("up" if told.get("up") else "topic")
    topic = _ARTICLE.sub("", text[slice(*span)].strip())
    told_to = _TO.search(topic)
    if told_to and people_meant(told_to["whom"], names, owner):
        topic = topic[: told_to.start()]
    if wanted is None or people is None or _is_sentence(text[slice(*span)].strip(), names):
        return None
    return Mention(wanted, people, topic) if content_words(topic) else None


def _is_sentence(topic: str, names: Mapping[str, str]) -> bool:
    """Whether the topic is told by a sentence, or is asked for itself."""
    if _CLAUSE.match(topic) or _TELLS.search(topic) or _ASKS_HAN.search(simplified(topic)):
        return True
    subject = _SUBJECT.match(topic)
    if not subject or subject["next"] in _BESIDE_NAME:
        return False
    if subject["name"].casefold() in names:
        return True
    verb = subject["next"] in SAME_WORD or (
        len(subject["next"]) > 4 and subject["next"].endswith("ed")
    )
    return verb and subject["name"][0].isupper()


def _wanted(told: Mapping[str, str | None]) -> Wanted | None:
    if told.get("count"):
        return "count"
    order = (told.get("order") or told.get("late") or "").lower()
    if not order:
        return None
    first = order in ("first", "earliest", "第一次", "最早", "首次", "最先")
    return "first" if first else "last"


def people_meant(who: str, names: Mapping[str, str], owner: str | None) -> tuple[str, ...] | None:
    """The participants that the words name: empty for anybody, None where that cannot be told."""
    who = who.strip()
    if _ANYBODY.fullmatch(who):
        return ()
    if who.lower() in ("i", "me", "我"):
        return (owner,) if owner else None
    # The words before keep a name that is all there is from being given back as the rest.
    meant = named(f"did {who}", names)
    sure = meant.people and _BETWEEN.fullmatch(_NO_LETTER.sub("", meant.rest))
    return meant.people if sure else None
