"""A question for what was said at a time, or first, and about nothing: "What did Ana say on the 2nd?"."""

import re

from sayso.core.sentences import content_words
from sayso.core.simplified import simplified
from sayso.core.time_expressions import find_times
from sayso.core.time_words import words

# Doing is none of it: "last week I was in Lisbon" answers what Ana did, and is said a week later.
_SAYING = words(
    "say says said saying write wrote written send sent message messages text texts texted texting"
    " tell told talk talked talking speak spoke spoken post posted chat chatted chatting discuss"
    " discussed mention mentioned latest"
)
_BESIDE = words("first last recent recently earliest time ever thing things")
# Of a time that is named: the last conversation is more than the last message.
_TALK = words("topic topics subject subjects discussion discussions conversation conversations")
_ORDER = words("first last latest recent recently earliest")
_FROM_SOMEBODY = re.compile(r"^(?:is there |was there )?(?:any|some|every)?thing\b.*\bfrom\b", re.I)
_SHORTENED = re.compile(r"['’](?:s|re|ll|d|ve|m)\b|(?<=\bwhat)s\b|(?<=\bwho)s\b", re.IGNORECASE)
_SAYING_HAN = re.compile(r"(?:说|讲|聊|写|谈|提|发(?!生|现|烧|展))(?:了|过|到|的)*|消息|信息|留言")
_BESIDE_HAN = re.compile(
    r"大家|我们|咱们|他们|她们|什么|哪些|最后|最早|最先|最近|首先|第一|[一条个句次话天都还先谁啥在是的了过有和跟吗呢]"
)


def only_saying(rest: str) -> bool:
    """Whether the question, without the names in it, asks for what was said, sent or written alone.

    A time that it names and the words for first and last are no topic.
    """
    times = find_times(rest)
    for mention in reversed(times):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    rest = simplified(rest)
    if _SAYING_HAN.search(rest):
        return not content_words(_BESIDE_HAN.sub(" ", _SAYING_HAN.sub(" ", rest)))
    told = content_words(_SHORTENED.sub("", rest))
    if not told:
        return _FROM_SOMEBODY.search(rest) is not None
    saying = _SAYING | _TALK if times and _ORDER.isdisjoint(told) else _SAYING
    return not saying.isdisjoint(told) and all(w in saying or w in _BESIDE for w in told)
