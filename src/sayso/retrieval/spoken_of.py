"""Who is spoken of, where more than two people write.

What somebody did is told there by others as often as by themselves, and by who answers them. Where
two write the other one's name is an address, and beside either there is always the other.
"""

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.index import Surface
from sayso.retrieval.lexical import Lexicon
from sayso.weights import OF_PEOPLE

Floats = NDArray[np.float32]

_PAIR = 2


def among_many(surface: Surface) -> bool:
    """Whether more than two people write. What nobody sends, as a notice of the app, is by no one."""
    return sum(map(bool, surface.senders)) > _PAIR


def spoken_of(
    surface: Surface, people: tuple[str, ...], by_person: Floats, rows: NDArray[np.int64]
) -> dict[str, Floats]:
    """Of the messages ``rows`` what :data:`OF_PEOPLE` names, by name; each of shape (rows,).

    The share of a name of the ``people`` that the message says, in [0, 1], and the sum of that over the
    two beside it; how many of the two beside it, and of the two next to these, are by one of them (0 to
    2); and which share of the session is. ``by_person`` is above 0 for each message by one of the people.
    All zero where it tells nobody from the others, and where no more than two people write.
    """
    if not (among_many(surface) and by_person.any()):
        return {name: np.zeros(len(rows), dtype=np.float32) for name in OF_PEOPLE}
    sessions = surface.lexicon.sessions
    by = (by_person > 0).astype(np.float32)
    says = _says(surface, people)
    lengths = np.diff(sessions.begins, append=sessions.size)
    share = np.asarray(np.add.reduceat(by, sessions.begins) / lengths, dtype=np.float32)
    return {
        "says_name": says[rows],
        "says_name_beside": sessions.shifted(says, (-1, 1))[rows],
        "person_beside": sessions.shifted(by, (-1, 1))[rows],
        "person_near": sessions.shifted(by, (-2, 2))[rows],
        "person_in_session": share[sessions.number[rows]],
    }


def _says(surface: Surface, people: tuple[str, ...]) -> Floats:
    """The largest share of a name of one of the people that each message says; whose name it is does not
    say it.
    """
    says = np.zeros(surface.lexicon.size, dtype=np.float32)
    for number, who in enumerate(surface.senders):
        if who not in people:
            continue
        for name, share in surface.names[number].items():
            docs = _where(surface.lexicon, name)
            others = docs[surface.sender[docs] != number]
            says[others] = np.maximum(says[others], np.float32(share))
    return says


def _where(lexicon: Lexicon, name: tuple[str, ...]) -> NDArray[np.int32]:
    """The messages that have all of the terms."""
    found = None
    for term in name:
        at = lexicon.vocabulary.get(term)
        if at is None:
            return np.zeros(0, dtype=np.int32)
        docs = lexicon.docs[lexicon.starts[at] : lexicon.starts[at + 1]]
        found = docs if found is None else np.intersect1d(found, docs, assume_unique=True)
    return np.zeros(0, dtype=np.int32) if found is None else found
