"""What a close reading adds to a candidate: whether some words of it would answer the question.

The agent's grader reads the most relevant candidates so. Where it has a reader, these are the few that
may well be evidence, and each is also read together with the question, as one text. That takes longer than
all the rest of a question, and tells evidence from what only shares its words.
"""

import math
from collections.abc import Mapping, Sequence

from sayso.core.chat import Chat, Message
from sayso.core.models import Candidate, Plan
from sayso.core.seams import Reader
from sayso.reasoning.phrases import Found, best_phrase
from sayso.reasoning.relevance import BEFORE_READING, PAIR, READ, group, relevance_told
from sayso.weights import TOGETHER, Weights

MOST_READ = 14
# Each takes a reading by all layers. Measured on groups not fitted on: see the README's "Why".
MOST_TOGETHER = 9
_FEWEST_TOGETHER = 2  # one alone is told from nothing
# What is read: from a chance of 8 % up of being evidence, or from a quarter of the best one's. What is less
# relevant is hardly ever cited after a reading either, and one clear hit needs none.
_LIKELY, _OF_THE_BEST = 0.08, 1 / 4
_LEAST, _MOST = -6.0, 10.0
_NOT_TOGETHER = (0.0,) * len(TOGETHER)
_MOSTLY = math.log(0.5)
_STANDS_OUT = 0.7  # from the mean of what is read, in standard deviations


def read_closely(
    question: str,
    plan: Plan,
    chat: Chat,
    pool: Sequence[Candidate],
    relevances: Sequence[float],
    weights: Weights,
    reader: Reader | None = None,
) -> tuple[list[Candidate], tuple[float, ...]]:
    """The pool and its relevances, those of the most relevant after a close reading.

    What is read has the numbers of :data:`READ` among its ``why``, and its relevance before. Weights
    that know nothing of it change nothing. Nothing is read together with the question without a
    ``reader``, or where the embedder does not read the chat or gives words no vectors: no weights are
    fitted for that; more are read for their words there.
    """
    kind = group("", pool)
    name = f"relevance{kind}_read"
    if not _knows(weights, kind):
        return list(pool), tuple(relevances)
    most = read_first(relevances)
    scores: Sequence[float] = ()
    if reader is not None and not kind:
        most = read_with_question(relevances)
        if not most:
            return list(pool), tuple(relevances)
        asked = plan.queries[0] if plan.queries else question
        scores = reader.read(asked, [whole_text(chat.by_id[pool[i].local_id]) for i in most])
    people = names_in(chat)
    found = [found_in(question, chat.by_id[pool[i].local_id], people, weights) for i in most]
    told = dict(zip(most, read_features(found, scores), strict=True))
    pair = len(chat.participants) == PAIR
    again = relevance_told(question, plan, pool, weights.groups[name], told, pair=pair)
    read = [marked(c, told[i], relevances[i]) if i in told else c for i, c in enumerate(pool)]
    return read, tuple(again.get(i, p) for i, p in enumerate(relevances))


def _knows(weights: Weights, kind: str) -> bool:
    """Whether the weights hold what is needed after a reading."""
    group, cut = f"relevance{kind}_read", f"recall_relevance{kind}_read"
    return group in weights.groups and cut in weights.cuts


def read_first(relevances: Sequence[float]) -> list[int]:
    """Which of a pool are read, most relevant first."""
    return sorted(range(len(relevances)), key=lambda i: (-relevances[i], i))[:MOST_READ]


def read_with_question(relevances: Sequence[float]) -> list[int]:
    """Which of a pool are read together with the question, most relevant first.

    None where no other is likely, nor comes near the best.
    """
    most = read_first(relevances)[:MOST_TOGETHER]
    bar = min(_LIKELY, _OF_THE_BEST * relevances[most[0]]) if most else 0.0
    likely = [i for i in most if relevances[i] >= bar]
    return likely if len(likely) >= _FEWEST_TOGETHER else []


def whole_text(message: Message) -> str:
    """What is read of a message together with a question: its text and its caption."""
    return f"{message.text} {message.caption}" if message.caption else message.text


def names_in(chat: Chat) -> list[str]:
    """The participants' names, which a question says where a message says "I"."""
    return [name for p in chat.participants for name in (p.name, *p.aliases)]


def found_in(
    question: str, message: Message, people: Sequence[str], weights: Weights
) -> Found | None:
    """The best phrase of a message, or of its caption where it has no text; None without words."""
    text = message.text if message.text.strip() else message.caption or ""
    return best_phrase(question, text, people=people, weights=weights)


def read_features(
    found: Sequence[Found | None], together: Sequence[float] = ()
) -> list[dict[str, float]]:
    """What was found in the messages that are read, one beside the others; by :data:`READ`.

    ``together`` is what they are worth read with the question, where they are.
    """
    worth = [_bounded(one.worth) if one else _LEAST for one in found]
    if not worth:
        return []
    mean, best = math.fsum(worth) / len(worth), max(worth)
    spread = math.sqrt(math.fsum((w - mean) ** 2 for w in worth) / len(worth)) + 1e-6
    beside = _beside_each_other(together)
    rows = []
    for place, (one, value) in enumerate(zip(found, worth, strict=True)):
        told = (
            value,
            (value - mean) / spread,
            max(value - best, _LEAST),
            value - _bounded(one.second) if one else 0.0,
            math.log1p(one.choices) if one else 0.0,
        )
        together_told = beside[place] if place < len(beside) else _NOT_TOGETHER
        rows.append(dict(zip(READ, (*told, *together_told), strict=True)))
    return rows


def _beside_each_other(together: Sequence[float]) -> list[tuple[float, ...]]:
    """Of each that is read with the question, by :data:`TOGETHER`: what it is worth, also beside the
    best of them, its share (log of a softmax), and that it was read so.
    """
    if not together:
        return []
    best = max(together)
    total = best + math.log(math.fsum(math.exp(one - best) for one in together))
    return [(one, one - best, one - total, 1.0) for one in together]


def marked(candidate: Candidate, told: Mapping[str, float], before: float) -> Candidate:
    """The candidate with what its reading told among its features, and its relevance before."""
    why = {name: round(told[name], 4) for name in READ} | {BEFORE_READING: round(before, 6)}
    return candidate.model_copy(update={"why": {**candidate.why, **why}})


def unmarked(candidate: Candidate) -> Candidate:
    """The candidate as if it had not been read closely."""
    if BEFORE_READING not in candidate.why:
        return candidate
    told = {*READ, BEFORE_READING}
    return candidate.model_copy(
        update={"why": {name: v for name, v in candidate.why.items() if name not in told}}
    )


def in_words(candidate: Candidate) -> str:
    """What the reading told of a candidate, empty where that is nothing much."""
    if candidate.why.get("together_share", 0.0) > _MOSTLY and candidate.why.get("together_read"):
        return "reads as the answer"
    standing = candidate.why.get("phrase_standard", 0.0)
    if standing >= _STANDS_OUT:
        return "has words that would answer"
    return "has hardly any words that would answer" if standing <= -_STANDS_OUT else ""


def _bounded(worth: float) -> float:
    return min(max(worth, _LEAST), _MOST)
