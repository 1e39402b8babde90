"""Questions that the whole chat decides and no search: what was mentioned or sent, read message by message.

The first message that holds a word, and how many photos there are, cannot be told from the best
candidates of a search.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sayso.core.chat import Chat, Message
from sayso.core.days import DayRange
from sayso.core.models import (
    Candidate,
    Citation,
    Draft,
    DraftClaim,
    Filter,
    Graded,
    Question,
    Verdict,
)
from sayso.core.people import named
from sayso.core.sentences import content_words
from sayso.core.time_expressions import find_times, resolve_on_timeline
from sayso.reasoning.choosing import MOST, MOST_WIDE
from sayso.reasoning.grading import citable
from sayso.reasoning.mentioned import Mention, holding, mention_asked
from sayso.reasoning.phrasing import days_words, phrases_for
from sayso.reasoning.planning import days_meant, moments
from sayso.reasoning.reaching import reaching
from sayso.reasoning.survey_lines import day_of, line_of, quote
from sayso.reasoning.survey_words import SurveyWords, words_for
from sayso.reasoning.tallied import (
    ELSEWHERE,
    UNNAMED,
    Sort,
    Sought,
    Tally,
    amount,
    is_unnamed,
    tally_asked,
)
from sayso.reasoning.time_aside import without_time

_MARK = "surveyed"
_YEAR = timedelta(days=366)


@dataclass(frozen=True)
class Survey:
    """What the whole chat has for a question: the messages to cite, and the text of the answer.

    ``shown`` is in the order of the answer; with none of them the answer tells what is missing.
    ``topic`` holds the words that were sought, empty where none were.
    """

    shown: tuple[Message, ...]
    answer: str
    topic: str = ""


@dataclass(frozen=True)
class _Asked:
    """A question with its limits, the names and the days it speaks of apart from its words."""

    question: Question
    chat: Chat
    names: Mapping[str, str]
    text: str
    days: DayRange | None

    @property
    def words(self) -> SurveyWords:
        return words_for(self.question.text)

    @property
    def most(self) -> int:
        return MOST_WIDE if self.question.recall else MOST

    @property
    def where(self) -> str:
        """Where nothing was found: limits that the question did not say itself leave out the rest."""
        return self.words.here if self.question.limits == Filter() else self.words.within_limits

    def admitted(self, people: Sequence[str]) -> list[Message]:
        """What the question's limits, the people and the days let through, in message order."""
        since, until = moments([self.days], self.chat) if self.days else (None, None)
        within = Filter(senders=tuple(people), since=since, until=until)
        limits = self.question.limits
        return [m for m in self.chat.messages if limits.admits(m) and within.admits(m)]

    def of(self, people: Sequence[str]) -> str:
        """Whose messages and of which days, as the answer says it; empty where all are."""
        whose = people or self.question.limits.senders
        said = self.words.whose.format(who=self.words.joined(whose)) if whose else ""
        if self.days:
            said += self.words.days.format(days=days_words(self.days, self.question.text))
        return said


def survey(question: Question, chat: Chat, names: Mapping[str, str]) -> Survey | None:
    """What all messages within the question's limits tell; None where they do not decide it.

    ``names`` are the chat's, casefolded, as :func:`sayso.core.people.known_names` gives them.
    """
    for asked in _readings(question, chat, names):
        pair = len(chat.participants) == 2
        tally = tally_asked(asked.text, names, chat.owner, pair=pair)
        if tally is not None:
            return _tallied(tally, asked)
        mention = mention_asked(asked.text, names, chat.owner)
        if mention is not None:
            return _mentioned(mention, asked)
    return None


def surveyed(verdict: Verdict, found: Survey | None, chat: Chat) -> Verdict:
    """The verdict with what a survey cites before all else, and no further search."""
    if found is None or not found.shown:
        return verdict
    cited = {m.local_id for m in found.shown}
    marked = tuple(
        Graded(
            candidate=Candidate(
                chat_id=chat.chat_id, local_id=m.local_id, score=0.0, why={_MARK: 1.0}
            ),
            relevance=1.0,
            why="found by reading the whole chat",
        )
        for m in found.shown
    )
    rest = tuple(g for g in verdict.graded if g.local_id not in cited)
    return Verdict(graded=(*marked, *rest), why="the whole chat was read for this")


def is_surveyed(graded: Sequence[Graded]) -> bool:
    """Whether a survey decides the question: no model can read as much."""
    return any(_MARK in g.candidate.why for g in graded)


def survey_draft(found: Survey, chat: Chat, question: Question) -> Draft:
    """The survey's answer, each message of it a claim."""
    claims = []
    for message in found.shown:
        text = line_of(message, found.topic, chat, question)
        citation = Citation(local_id=message.local_id, quote=quote(message, found.topic)[0])
        claims.append(DraftClaim(text=text, citations=(citation,)))
    return Draft(answer=found.answer, claims=tuple(claims), abstained=not claims)


def _readings(question: Question, chat: Chat, names: Mapping[str, str]) -> list[_Asked]:
    """The question without the days that it is limited to, then as it stands."""
    whole = _Asked(question, chat, names, question.text.strip(), None)
    rest = named(whole.text, names).rest  # without the names: April writes at any time
    limited = without_time(whole.text) if find_times(rest) else None
    if limited is None:
        return [whole]
    days = days_meant(rest, chat, question.asked_at) or _days_before(rest, chat)
    return [replace(whole, text=limited, days=days), whole] if days else [whole]


def _days_before(rest: str, chat: Chat) -> DayRange | None:
    """The days of the one time that is named where the chat has none of them: in the year before it."""
    times = find_times(rest)
    if len(times) != 1 or not chat.messages:
        return None
    first, last = chat.days[0], chat.days[-1]
    around = resolve_on_timeline(times[0], first - _YEAR, last + _YEAR)
    past = [days for days in around if days.last < first]
    if not past or any(days.first <= last and days.last >= first for days in around):
        return None
    # "Since December" is no time outside the chat.
    reached = reaching(rest, times[0], past[-1], DayRange(first - _YEAR, last))
    return past[-1] if reached == past[-1] else None


def _mentioned(mention: Mention, asked: _Asked) -> Survey | None:
    said = [m for m in asked.admitted(mention.people) if citable(m)]
    found = holding(said, mention.topic, asked.names)
    words, of = asked.words, asked.of(mention.people)
    if not found:
        # Other words may say the same, unless it is one word that somebody else used.
        alone = len(content_words(mention.topic)) == 1
        if not alone or not holding(asked.chat.messages, mention.topic, asked.names):
            return None
        return Survey(
            (),
            words.unmentioned.format(of=of, where=asked.where, topic=mention.topic),
            mention.topic,
        )
    if mention.wanted == "count":
        what = words.mentions(len(found)).format(n=len(found), of=of, topic=mention.topic)
        return _listed(what, found, asked, mention.topic)
    message = found[0] if mention.wanted == "first" else found[-1]
    line = line_of(message, mention.topic, asked.chat, asked.question)
    template = words.first_mention if mention.wanted == "first" else words.last_mention
    answer = template.format(of=of, topic=mention.topic, said=line)
    return Survey((message,), answer, mention.topic)


def _tallied(tally: Tally, asked: _Asked) -> Survey | None:
    sent = asked.admitted(tally.people)
    found = [m for m in sent if amount(m, tally.sort)]
    unnamed = sum(map(is_unnamed, sent)) if tally.sort in UNNAMED else 0
    words, of = asked.words, asked.of(tally.people)
    if not found and tally.sort in ELSEWHERE:
        return None
    if not found:
        answer = words.unsent.format(of=of, where=asked.where, one=words.sorts[tally.sort].one)
        return Survey((), answer + (words.but_unnamed.format(n=unnamed) if unnamed else ""))
    if tally.sought == "most":
        return _most(tally.sort, found, asked)
    if tally.sought in ("first", "last") or (tally.sought == "when" and len(found) == 1):
        return _one(tally.sought, found, asked)
    n = sum(amount(m, tally.sort) for m in found)
    what = words.sorts[tally.sort].counted(n).format(n=n, of=of)
    what += words.within.format(n=len(found)) if n > len(found) else ""
    what += words.and_unnamed.format(n=unnamed) if unnamed else ""
    return _listed(words.count.format(what=what), found, asked, ends=tally.sort == "message")


def _one(sought: Sought, found: Sequence[Message], asked: _Asked) -> Survey:
    """The first or the last of them, or the day of the only one."""
    message = found[-1] if sought == "last" else found[0]
    template = getattr(phrases_for(asked.question.text), sought)
    line = line_of(message, "", asked.chat, asked.question)
    when = day_of(message, asked.chat, asked.question)
    return Survey((message,), template.format(said=line, when=when))


def _most(sort: Sort, found: Sequence[Message], asked: _Asked) -> Survey:
    """Who sent the most, with what they sent; of several who sent as many the first of each."""
    sent: Counter[str] = Counter()
    for message in found:
        sent[message.sender] += amount(message, sort)
    most, total = max(sent.values()), sum(sent.values())
    who = [name for name, n in sent.items() if n == most]
    words = asked.words
    template = words.most if len(who) == 1 else words.most_each
    what = template.format(
        who=words.joined(who), many=words.sorts[sort].many, n=most, total=total, of=asked.of(())
    )
    if len(who) == 1:
        theirs = [m for m in found if m.sender == who[0]]
        return _listed(what, theirs, asked, ends=sort == "message")
    return _listed(what, [next(m for m in found if m.sender == name) for name in who], asked)


def _listed(
    what: str, found: Sequence[Message], asked: _Asked, topic: str = "", *, ends: bool = False
) -> Survey:
    """The head and a line for each message: all of them, or else the first, or the first and the last."""
    words, shown = asked.words, tuple(found)
    if ends and len(shown) > 2:
        what, shown = what + words.the_ends, (shown[0], shown[-1])
    elif len(shown) > asked.most:
        what, shown = what + words.the_first.format(n=asked.most), shown[: asked.most]
    lines = [line_of(m, topic, asked.chat, asked.question) for m in shown]
    return Survey(shown, "\n".join([what + words.colon, *(f"- {x}" for x in lines)]), topic)
