"""The reasoner without a model: plans by words, grades by measured features, answers by quoting."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from sayso.core.chat import Chat
from sayso.core.models import Draft, Question, Verdict
from sayso.core.people import known_names
from sayso.core.seams import (
    GENERATOR,
    GRADER,
    PLANNER,
    Q1,
    Q3,
    Q4,
    G,
    Grading,
    Narrating,
    Planning,
    R,
    Reader,
    Reply,
    Step,
)
from sayso.errors import ConfigurationError, ReasoningError
from sayso.reasoning.following import followed, noted
from sayso.reasoning.grading import grade
from sayso.reasoning.narrating import narrate
from sayso.reasoning.planning import plan
from sayso.reasoning.relevance import ANSWERABLE, READ, RELEVANCE
from sayso.reasoning.surveying import Survey, survey, survey_draft, surveyed
from sayso.weights import Weights


class ExtractiveReasoner:
    """Answers every step from the chat alone; the same input gives the same reply.

    By the ``reader`` the agent's grader reads some messages together with the question. Raises
    ConfigurationError for weights that lack what relevance goes by.
    """

    def __init__(self, weights: Weights, reader: Reader | None = None) -> None:
        for kind in ("", "_vectors", "_lexical"):
            weights.of(f"relevance{kind}", (*RELEVANCE, "bias"))
            weights.of(f"answerable{kind}", (*ANSWERABLE, "bias"))
        for group in ("relevance_read", "relevance_vectors_read", "relevance_lexical_read"):
            if group in weights.groups:
                _of_this_version(group, weights)
        self._weights = weights
        self._reader = reader
        # Steps are told apart by name; their types were checked where they are declared.
        self._thinking: dict[str, Callable[[Any], Any]] = {
            PLANNER.name: lambda given: plan(given, self._names(given.chat)),
            Q1.name: lambda given: plan(given, self._names(given.chat)),
            GRADER.name: lambda given: self._grade(given, closely=True),
            Q3.name: lambda given: self._grade(given, closely=False),
            GENERATOR.name: self._narrate,
            Q4.name: self._narrate,
        }
        self._known: tuple[Chat, Mapping[str, str]] | None = None
        self._surveyed: tuple[Chat, Question, Survey | None] | None = None

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if step.name not in self._thinking:
            known = ", ".join(sorted(self._thinking))
            raise ReasoningError(
                f"the extractive reasoner has no step {step.name!r}; it has {known}"
            )
        # Each of the given knows its chat and its question; what that leans on is read in here.
        read = followed(cast("Planning", given), self._names(cast("Planning", given).chat))
        value = self._thinking[step.name](read)
        return Reply(cast("R", noted(value, read) if read is not given else value))

    def _grade(self, given: Grading, *, closely: bool) -> Verdict:
        """What was found, graded; first what the whole chat has where that decides the question."""
        found = self._survey(given)
        closely = closely and found is None
        verdict = grade(given, self._weights, closely=closely, reader=self._reader)
        return surveyed(verdict, found, given.chat)

    def _narrate(self, given: Narrating) -> Draft:
        found = self._survey(given)
        if found is None:
            return narrate(given, self._weights)
        return survey_draft(found, given.chat, given.question)

    def _survey(self, given: Grading | Narrating) -> Survey | None:
        """What the whole chat tells of the question: both steps ask, the last is kept."""
        known = self._surveyed
        if known is None or known[0] is not given.chat or known[1] != given.question:
            found = survey(given.question, given.chat, self._names(given.chat))
            # Set at once, as the names are.
            known = self._surveyed = (given.chat, given.question, found)
        return known[2]

    def _names(self, chat: Chat) -> Mapping[str, str]:
        """The chat's names; reading them takes a pass over the chat, so the last are kept."""
        known = self._known
        if known is None or known[0] is not chat:
            # Set at once and read from the local name: other threads may ask about other chats.
            known = self._known = (chat, known_names(chat))
        return known[1]


def _of_this_version(group: str, weights: Weights) -> None:
    """Raises ConfigurationError where a close reading goes by more than it is told, or by less."""
    known = (*RELEVANCE, *READ, "bias")
    weights.of(group, known)
    unknown = sorted(set(weights.groups[group]) - set(known))
    if unknown:
        raise ConfigurationError(
            f"the weights (version {weights.version}) have {len(unknown)} {group} weights that mean "
            f"nothing here, as {unknown[0]!r}; refit them with python -m eval.fit"
        )
