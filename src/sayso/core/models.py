"""The values that pass between the rooms: chats, questions, plans, candidates, answers, trails.

All are frozen and refuse unknown keys. Files carry them in camelCase; both camelCase and
snake_case are read. Datetimes are aware. Message order is (sent_at, local_id) everywhere.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

Kind = Literal[
    "text", "photo", "video", "voice", "sticker", "file", "location", "contact",
    "call", "poll", "link", "system", "deleted", "other",
]  # fmt: skip
Intent = Literal["fact", "when", "list", "count", "first", "last", "arc"]
ModeName = Literal["agent", "oneshot"]
TimezoneOrigin = Literal["export", "named", "assumed"]
StopReason = Literal[
    "enough evidence", "no new evidence", "round budget", "time budget", "token budget",
    "call budget", "nothing found", "single pass",
]  # fmt: skip


class Value(BaseModel):
    """Base of every value: frozen, closed, camelCase outside and snake_case inside."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Message(Value):
    """One message as it was sent; ``text`` is never altered, offsets point into it."""

    local_id: Annotated[int, Field(ge=1)]
    sender: str
    sent_at: AwareDatetime
    text: str
    kind: Kind = "text"
    reply_to: int | None = None
    source_id: str | None = None
    caption: str | None = None

    @property
    def order(self) -> tuple[datetime, int]:
        """The sort key of message order."""
        return (self.sent_at, self.local_id)


class Participant(Value):
    """A person of the chat and the other names they go by. Reads and writes a bare string."""

    name: str
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:  # pydantic hands over whatever the file held
        return {"name": given} if isinstance(given, str) else given

    @model_serializer(mode="plain")
    def _to_name(self) -> str | dict[str, Any]:
        return {"name": self.name, "aliases": list(self.aliases)} if self.aliases else self.name


class ChatHeader(Value):
    """What is known of a chat beside its messages."""

    chat_id: str
    title: str
    platform: str
    timezone: str = "UTC"
    timezone_origin: TimezoneOrigin = "export"
    participants: tuple[Participant, ...] = ()


class Chat(ChatHeader):
    """A chat with its messages in message order."""

    messages: tuple[Message, ...] = ()

    @cached_property
    def by_id(self) -> dict[int, Message]:
        """Messages by localId."""
        return {m.local_id: m for m in self.messages}

    @cached_property
    def by_source_id(self) -> dict[str, Message]:
        """Messages by the platform's own id, where there is one."""
        return {m.source_id: m for m in self.messages if m.source_id is not None}

    @cached_property
    def position(self) -> dict[int, int]:
        """Position in message order by localId."""
        return {m.local_id: i for i, m in enumerate(self.messages)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Participants' names in the order of the header."""
        return tuple(p.name for p in self.participants)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The chat's timezone."""
        return ZoneInfo(self.timezone)

    def around(self, local_id: int, n: int) -> tuple[Message, ...]:
        """The message and up to ``n`` neighbours on each side, in message order."""
        at = self.position[local_id]
        return self.messages[max(0, at - n) : at + n + 1]


class Turn(Value):
    """One earlier question of a thread and what was answered."""

    question: str
    answer: str


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
    """What is asked, of which chat, within which limits."""

    text: str
    chat_id: str
    limits: Filter = Filter()
    history: tuple[Turn, ...] = ()
    recall: bool = False  # cite more, for a reader who would rather skim than miss


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
    """What is still missing and the queries that would look for it."""

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


class Usage(Value):
    """What a step or an answer cost.

    ``model_calls`` were answered by a model, ``cache_hits`` from the cache and cost nothing;
    ``retries`` are calls that had to be made again. Tokens are the server's own count, of which
    ``cached_tokens`` were prompt tokens at its cheaper rate. ``seconds`` is time spent waiting
    for the model. ``cost`` is in the currency of the configured prices, None without prices.
    """

    model_calls: int = 0
    cache_hits: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        costs = [u.cost for u in (self, other) if u.cost is not None]
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            cache_hits=self.cache_hits + other.cache_hits,
            retries=self.retries + other.retries,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            seconds=self.seconds + other.seconds,
            cost=sum(costs) if costs else None,
        )


class StepRecord(Value):
    """One step of a trail: its name, prompt, cost, and in words what it changed.

    ``raw`` holds replies of a model that could not be used, as they came.
    """

    name: str
    changed: str
    milliseconds: float
    prompt_digest: str | None = None
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    fell_back: bool = False


class Round(Value):
    """One visit to the retriever: the plan it searched with and what it found, best first."""

    plan: Plan
    candidates: tuple[Candidate, ...]


class Trail(Value):
    """What either mode returns: everything that led to the answer.

    ``ranking`` is the merged ranking before grading, best first, at most 50; ``graded`` is
    ordered by relevance.
    """

    question: Question
    mode: str
    plan: Plan
    ranking: tuple[Candidate, ...]
    rounds: tuple[Round, ...]
    graded: tuple[Graded, ...]
    answer: Answer
    steps: tuple[StepRecord, ...]
    stop_reason: StopReason
    model: str | None = None

    @property
    def usage(self) -> Usage:
        """The steps' usage added up."""
        return sum((s.usage for s in self.steps), Usage())


def in_message_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages by (sent_at, local_id)."""
    return tuple(sorted(messages, key=lambda m: m.order))
