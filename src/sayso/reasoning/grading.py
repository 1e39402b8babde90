"""The extractive grader: measured features → the probability that a message is evidence."""

import re
from collections.abc import Sequence

from sayso.core.chat import Chat, Message
from sayso.core.models import Candidate, Gap, Graded, Plan, Verdict
from sayso.core.seams import Grading, Reader
from sayso.core.sentences import content_words
from sayso.reasoning.reading_closely import in_words, read_closely, read_with_question
from sayso.reasoning.relevance import BEFORE_READING, PAIR, group, relevance
from sayso.weights import Weights

_STRONG = 0.35
# Measured: for arcs, lists and counts a second search brought more strangers than parts.
_WIDE = frozenset({"first", "last"})
_SEEDS = 2
_HEARD = 3  # a person is heard who has one of so many messages, or of as many as are named
_SEED_WORDS = 12
_NEVER_CITED = frozenset({"system", "deleted"})
_BARE_LINK = re.compile(r"\s*(?:https?://|www\.)\S+\s*")


def grade(
    given: Grading, weights: Weights, *, closely: bool = False, reader: Reader | None = None
) -> Verdict:
    """Every candidate that can be cited, most relevant first, and what is still missing.

    ``closely``: the most relevant are read for words that answer, which a development has not, and
    by the ``reader`` together with the question; where one stands out, none is.
    """
    pool = [c for c in given.pool if citable(given.chat.by_id[c.local_id])]
    chances = relevance(
        given.question.text,
        given.plan,
        pool,
        weights.groups[group("relevance", pool)],
        pair=len(given.chat.participants) == PAIR,
    )
    closely = closely and given.plan.intent != "arc"
    if closely:
        pool, chances = read_closely(
            given.question.text, given.plan, given.chat, pool, chances, weights, reader
        )
    grades = [
        Graded.unchecked(candidate=c, relevance=p, why=_reason(c))
        for c, p in zip(pool, chances, strict=True)
    ]
    grades.sort(key=lambda g: (-g.relevance, given.chat.position[g.local_id]))
    gap, unworthy = _gap(given, grades, weights)
    why = gap.missing if gap else unworthy if grades else "nothing to grade"
    read = sum(BEFORE_READING in c.why for c in pool)
    if read:
        with_question = sum(bool(c.why.get("together_read")) for c in pool)
        beside = f", {with_question} together with the question" if with_question else ""
        why = f"{read} read for words that answer{beside}; {why}"
    elif closely and reader is not None and len(pool) > 1 and not read_with_question(chances):
        why = f"no other comes near the first, so none was read closely; {why}"
    return Verdict.unchecked(graded=tuple(grades), gap=gap, why=why)


def citable(message: Message) -> bool:
    """Whether a person said something with it: no system line, nothing deleted, no bare link."""
    if message.kind in _NEVER_CITED or _BARE_LINK.fullmatch(message.text):
        return False
    return bool(message.text.strip() or message.caption)


def _gap(given: Grading, grades: Sequence[Graded], weights: Weights) -> tuple[Gap | None, str]:
    """What one more search could bring, or None; each round asks for something else.

    Only searches of a kind that raised F1 where it was measured (``second_round`` holds the mean
    gain of each kind, shrunk towards 0). The text says why nothing more is searched for.
    """
    plan, chat = given.plan, given.chat
    best = grades[0].relevance if grades else 0.0
    wants = {
        "missing_person": _missing_person(plan, chat, grades),
        "by_order": _more_of_the_same(plan, chat, grades)
        if plan.intent in _WIDE and best > 0
        else None,
        "without_window": _without_window(plan, best),
    }
    gains = weights.groups.get("second_round", {})
    wanted = [(want, gains.get(kind, 0.0)) for kind, want in wants.items() if want is not None]
    worth = [want for want, gain in wanted if gain > 0]
    if given.round < len(worth):
        return worth[given.round], ""
    unheard = wants["missing_person"]
    if unheard in worth and given.round:
        return Gap(missing=f"{unheard.missing}, also after another search", queries=()), ""
    left = [want.missing for want, gain in wanted if gain <= 0]
    if not left:
        return None, "the evidence held suffices"
    return None, f"{'; '.join(left)}; but a second search for that has not paid where measured"


def _missing_person(plan: Plan, chat: Chat, grades: Sequence[Graded]) -> Gap | None:
    if len(plan.people) < 2:
        return None
    best = grades[: max(_HEARD, len(plan.people))]
    heard = {chat.by_id[g.local_id].sender for g in best}
    missing = next((p for p in plan.people if p not in heard), None)
    if missing is None:
        return None
    return Gap(
        missing=f"nothing yet from {missing}",
        queries=plan.queries,
        people=(missing,),
        since=plan.since,
        until=plan.until,
    )


def _more_of_the_same(plan: Plan, chat: Chat, grades: Sequence[Graded]) -> Gap | None:
    """Search with the words of what was found: lists and stories go on in other words."""
    queries = []
    for g in grades[:_SEEDS]:
        seed = content_words(chat.by_id[g.local_id].text)[:_SEED_WORDS]
        if seed and plan.queries:
            queries.append(f"{plan.queries[0]} {' '.join(seed)}")
    if not queries:
        return None
    return Gap(
        missing=f"a {plan.intent} may have more parts than the first hits",
        queries=tuple(queries),
        people=plan.people,
        since=plan.since,
        until=plan.until,
    )


def _without_window(plan: Plan, best: float) -> Gap | None:
    if best >= _STRONG or (plan.since is None and plan.until is None):
        return None
    return Gap(
        missing="nothing strong within the time asked about",
        queries=plan.queries,
        people=plan.people,
    )


def _reason(candidate: Candidate) -> str:
    """The two or three marks that speak loudest, in words."""
    why = candidate.why
    said = []
    if why.get("own", 0) > 0.4:
        said.append("shares the question's words")
    elif why.get("window", 0) > 0.5:
        said.append("stands among messages that share them")
    if why.get("cosine", 0) > 2.5:
        said.append("means much the same")
    if why.get("by_person", 0) > 0:
        said.append("by the person asked about")
    elif why.get("by_person", 0) < 0:
        said.append("by somebody else")
    if why.get("near_date", 0) >= 1:
        said.append("in the time asked about")
    if told := in_words(candidate):
        said.append(told)
    return ", ".join(said) or "little speaks for it"
