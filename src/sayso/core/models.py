"""From a question to its answer: questions, plans, candidates, drafts, checked answers."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from sayso.core.chat import Message
from sayso.core.value import Value

Intent = Literal["fact", "when", "list", "count", "first", "last", "arc"]


class Turn(Value):
    """One earlier question of a thread and what was answered; ``cited`` are localIds, in order."""

    question: str
    answer: str
    cited: tuple[int, ...] = ()


class Filter(Value):
    """Hard limits of a search: a message outside them is never returned. Empty fields do not limit.

    ``since`` is inclusive, ``until`` exclusive.
    """

    senders: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None

    def admits(self, message: Message) -> bool:
        """Whether the message is within the limits."""
        return (
            (not self.senders or message.sender in self.senders)
            and (self.since is None or message.sent_at >= self.since)
            and (self.until is None or message.sent_at < self.until)
        )


class Question(Value):
    """What is asked, of which chat, within which limits.

    ``asked_at`` is when, where that is known: "last week" counts from that day in the chat's zone,
    else from the chat's last.
    """

    text: str
    chat_id: str
    limits: Filter = Filter()
    history: tuple[Turn, ...] = ()
    asked_at: AwareDatetime | None = None
    recall: bool = False  # cite more, for a reader who would rather skim than miss
    # Asked again on purpose, for the n-th time from 0: no reply to another time may stand in.
    repeat: int = 0


class Aspect(Value):
    """One side of a question, searched apart: its words, and by whom and when it would be said.

    ``kind`` tells why it was asked: a side of the matter, one person's part, one stretch of time,
    or the message as it would have been written.
    """

    kind: Literal["aspect", "person", "time", "message"]
    text: str
    people: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class Plan(Value):
    """How to look: what kind of answer, by whom, when, and the queries to search with.

    ``people`` are participants' names; ``since`` (inclusive) and ``until`` (exclusive) are the
    window that the question speaks of. People and window favour messages; ``limits`` exclude.
    ``aspects`` are further searches, whose findings are pooled with those of the queries.
    """

    intent: Intent
    queries: tuple[str, ...]
    aspects: tuple[Aspect, ...] = ()
    people: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    limits: Filter = Filter()
    notes: tuple[str, ...] = ()


class Candidate(Value):
    """A message that a search found: score (higher is better, comparable within one search)."""

    chat_id: str
    local_id: int
    score: float
    why: dict[str, float] = Field(default_factory=dict)


class Graded(Value):
    """A candidate with its relevance, a probability in [0, 1], and the reason in words."""

    candidate: Candidate
    relevance: Annotated[float, Field(ge=0, le=1)]
    why: str = ""

    @property
    def local_id(self) -> int:
        """The candidate's localId."""
        return self.candidate.local_id


class Gap(Value):
    """What is still missing and the queries that would look for it; none where nobody has an idea."""

    missing: str
    queries: tuple[str, ...]
    people: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class Verdict(Value):
    """The grader's word on a pool of candidates; ``gap`` is None when the evidence suffices."""

    graded: tuple[Graded, ...]
    gap: Gap | None = None
    why: str = ""


class Citation(Value):
    """A message that a draft leans on, and the words of it (None = the whole text)."""

    local_id: int
    quote: str | None = None


class DraftClaim(Value):
    """One statement and the messages that say so."""

    text: str
    citations: tuple[Citation, ...] = ()


class DraftPhase(Value):
    """One stretch of a development: what changed, told and cited."""

    title: str
    summary: str
    citations: tuple[Citation, ...] = ()


class Draft(Value):
    """What the generator says before its citations are checked."""

    answer: str
    claims: tuple[DraftClaim, ...] = ()
    phases: tuple[DraftPhase, ...] = ()
    abstained: bool = False


class Evidence(Value):
    """A checked citation: ``quote`` is exactly the stored text between ``start`` and ``end``."""

    local_id: int
    sender: str
    sent_at: AwareDatetime
    doc_id: str
    start: int
    end: int
    quote: str


class Claim(Value):
    """A statement with its checked citations."""

    text: str
    evidence: tuple[Evidence, ...] = ()


class Phase(Value):
    """A stretch of a development; ``start`` and ``end`` are the times of its first and last evidence."""

    title: str
    start: AwareDatetime
    end: AwareDatetime
    summary: str
    evidence: tuple[Evidence, ...]


class Unsupported(Value):
    """A citation that did not hold, with the reason."""

    local_id: int
    quote: str | None
    reason: str


class Answer(Value):
    """The answer with what supports it; ``evidence`` has no duplicates and is in message order."""

    text: str
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Claim, ...] = ()
    phases: tuple[Phase, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    abstained: bool = False

    @property
    def local_ids(self) -> tuple[int, ...]:
        """The cited localIds, each once, in message order."""
        return tuple(dict.fromkeys(e.local_id for e in self.evidence))
