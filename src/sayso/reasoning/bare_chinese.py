"""A Chinese follow-up that is a question word and little else: 为什么？, 在哪里？, 还有谁？"""

import re

_BARE = re.compile(
    r"(?:这|那|它|他们|她们|他|她)?(?:件事|事)?(?:是|有|花了?)?"
    r"(?P<asks>什么时候|哪天|哪一天|几号|几点|在?(?:哪里|哪儿)|在哪|为什么|为何|为啥|怎么会|多久|多少钱?"
    r"|谁|怎么回事)(?:了|的|去的|发生)?(?:的?事)?的?"
)
# Those that stand in a sentence where any of them may stand.
_ADVERBS = re.compile(
    r"什么时候|哪一天|哪天|几号|几点|在?(?:哪里|哪儿)|为什么|为何|为啥|怎么会|怎么(?!样|办|回事)|如何"
)
_MORE = re.compile(r"还有(?:谁|什么|哪些|别的)?(?:吗)?")


def is_bare(asking: str) -> bool:
    """Whether nothing is said of what is asked about, or a pronoun alone."""
    return _BARE.fullmatch(asking) is not None


def asks_for_more(asking: str) -> bool:
    """Whether it is asked what else there was."""
    return _MORE.fullmatch(asking) is not None


def asked_otherwise(question: str, asking: str) -> str | None:
    """The question with the new question word in the place of its own: why, not when.

    None where the two do not stand in the same place of a sentence.
    """
    bare, places = _BARE.fullmatch(asking), list(_ADVERBS.finditer(question))
    if bare is None or len(places) != 1 or not _ADVERBS.fullmatch(bare["asks"]):
        return None
    return question[: places[0].start()] + bare["asks"] + question[places[0].end() :]
