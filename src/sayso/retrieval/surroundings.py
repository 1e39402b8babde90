"""What a message is read among, so that a short one is read as what it is said to.

It follows from a chat's texts and sessions alone, without the embedder's tokens: it is looked for before
anything is embedded.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

from sayso.retrieval.embedder import Among, ContextEmbedder, Embedder, Encoded, Progress

# Texts to either side, and characters of all of them, the last text whole. English has a token for every
# four; who embeds cuts by tokens.
_TEXTS, _CHARACTERS = 8, 200


class ChatTexts:
    """A chat's texts as an embedder reads them.

    ``among`` are the texts among others; None where the embedder reads each by itself.
    """

    def __init__(self, texts: Sequence[str], session: Sequence[int], embedder: Embedder) -> None:
        """``session`` numbers that of each text."""
        self._texts, self._embedder = texts, embedder
        self._context = embedder if isinstance(embedder, ContextEmbedder) else None
        self.among = None if self._context is None else surroundings(texts, session)

    def encoded(self, rows: Sequence[int], progress: Progress | None) -> Encoded:
        """The vectors of some of the texts."""
        if self._context is None or self.among is None:
            return self._embedder.encode([self._texts[i] for i in rows], progress)
        return self._context.encode_among([self.among[i] for i in rows], progress)


def surroundings(texts: Sequence[str], session: Sequence[int]) -> list[Among]:
    """Each text among those said right before and after it in its session.

    What is added to a chat changes what the last few are read among, what is taken out its neighbours.
    """
    found = []
    for at, text in enumerate(texts):
        before = _near(texts, session, at, range(at - 1, -1, -1))
        after = _near(texts, session, at, range(at + 1, len(texts)))
        found.append(Among(tuple(before)[::-1], text, tuple(after)))
    return found


def _near(
    texts: Sequence[str], session: Sequence[int], at: int, others: Iterable[int]
) -> Iterator[str]:
    length = 0
    for other in itertools.islice(others, _TEXTS):
        if session[other] != session[at] or length >= _CHARACTERS:
            return
        yield texts[other]
        length += len(texts[other])
