"""What a development is about, and how much the chat and its people speak of it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sayso.core.chat import Chat, Message
from sayso.core.stopwords import STOPWORDS

# Words that ask for a development and say nothing of what developed; as :func:`stem` leaves them.
_FRAMING = """
change evolve develop development unfold progress shift turn play go went get settle resolve come
came along become became begin began start end happen time day week month year chat conversation
course first last latest update recent eventually finally point period during around toward january
february march april may june july august september october november december spring summer autumn
winter plan idea thing way talk say said tell told mention describe effort involve involvement
attitude view opinion stance feeling thought thinking story journey relationship trouble question
new handle process sort work try recover recovery learn people go doe
"""
# Pairs of Han characters that hold one of these are mostly two halves of different words.
_HAN_LINKS = frozenset(
    "的了是在和与对从到把被让这那哪个些么吗呢吧着过们我你他她它也都就还不没以后最来去很"
)
_HAN_FRAMING = """
怎样 如何 经历 阶段 变化 发展 一步 步步 步变 变成 过程 情况 事情 件事 开始 现在 时候 几月 态度 行动 起初
彻底 解决 发现
"""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:['’][^\W_{_HAN}]+)*")
_ENDINGS = ("ies", "ing", "ed", "es", "s", "e", "y", "i")
_ENOUGH = 8  # who names a thing in so many messages speaks of it


def stem(word: str) -> str:
    """A small word's head that its forms share: "baking", "bakes" and "bake" give "bak".

    Rougher than a stemmer, so that a chat can be searched for it as it stands.
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


@lru_cache(maxsize=4096)  # choosing, parting and titling read the same messages
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry content; a run of Han characters gives its pairs."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if word[0] >= "\u3400":
            pairs = (word[i : i + 2] for i in range(max(1, len(word) - 1)))
            found.update(p for p in pairs if _HAN_LINKS.isdisjoint(p))
            continue
        whole = word.replace("’", "'").removesuffix("'s")
        bare = whole.replace("'", "")
        if STOPWORDS.isdisjoint((whole, bare)):
            found.add(stem(bare))
    return frozenset(found)


FRAMING = frozenset(map(stem, _FRAMING.split())) | frozenset(_HAN_FRAMING.split())


@dataclass(frozen=True)
class Topic:
    """The words asked about: how rare each is in the chat, and how often the people say it.

    ``spoken`` counts the messages of the people asked about.
    """

    rarity: dict[str, float]
    spoken: dict[str, int]

    @property
    def coverage(self) -> float:
        """How much of the topic the people speak of, in [0, 1]; a rare word counts for more.

        A word in eight of their messages is spoken of in full, in one for an eighth. 1 without words.
        """
        told = {w: min(1.0, self.spoken[w] / _ENOUGH) for w in self.rarity}
        return self.weighed(told) if told else 1.0

    def weighed(self, values: dict[str, float]) -> float:
        """The mean of a value a word, by rarity."""
        total = sum(self.rarity.values())
        return sum(r * values.get(w, 0.0) for w, r in self.rarity.items()) / total if total else 0.0


def topic(query: str, chat: Chat, people: Sequence[str]) -> Topic:
    """What the query is about; ``people`` are those whose messages count, all where it is empty."""
    asked = stems(query)
    words = sorted(asked - FRAMING) or sorted(asked)
    starts = {w: _at_start(w) for w in words}
    everywhere, theirs = dict.fromkeys(words, 0), dict.fromkeys(words, 0)
    counted = set(people)
    for message in chat.messages:
        text = words_of(message).casefold()
        for word in words:
            # The plain search is a hundred times faster and misses nothing.
            if word in text and starts[word].search(text):
                everywhere[word] += 1
                theirs[word] += not counted or message.sender in counted
    n = len(chat.messages)
    rarity = {w: math.log1p((n - d + 0.5) / (d + 0.5)) for w, d in everywhere.items()}
    return Topic(rarity, theirs)


def words_of(message: Message) -> str:
    """The text and the caption."""
    return f"{message.text} {message.caption}" if message.caption else message.text


def _at_start(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) if word[0] >= "\u3400" else rf"(?<![^\W_]){re.escape(word)}")
