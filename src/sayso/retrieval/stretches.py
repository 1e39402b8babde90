"""Which messages an embedder reads together, so that a short one is read as what it is said to.

Runs of a chat follow from its texts and sessions alone, without the embedder's tokens: they are looked
for before anything is embedded.
"""

import itertools
from collections.abc import Sequence

from sayso.retrieval.embedder import Stretch

# Characters that are read together, and of one text in them; some for each, so that a hundred times "ok"
# are not one run. English has a token for every four, and the model takes 256.
_TOGETHER, _OF_ONE, _BETWEEN = 400, 256, 8
_BEFORE = 3  # texts before a run; of these the last words are read


def stretches(texts: Sequence[str], session: Sequence[int]) -> list[Stretch]:
    """The texts in runs that are read together, each within its session and with what was said before it.

    A run ends with the session, or where it is long enough: what is added to a chat changes its last run.
    """
    begins: list[int] = []
    length = 0
    for at, text in enumerate(texts):
        size = min(len(text), _OF_ONE) + _BETWEEN
        if not begins or session[at] != session[at - 1] or length + size > _TOGETHER:
            begins.append(at)
            length = 0
        length += size
    return [
        Stretch(_before(texts, session, begin), tuple(texts[begin:end]))
        for begin, end in itertools.pairwise([*begins, len(texts)])
    ]


def _before(texts: Sequence[str], session: Sequence[int], begin: int) -> str:
    near = range(max(0, begin - _BEFORE), begin)
    return "\n".join(texts[at] for at in near if session[at] == session[begin])
