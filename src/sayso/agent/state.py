"""What the graph's nodes read and add to."""

import operator
from typing import Annotated, TypedDict

from sayso.core.models import Answer, Gap, Graded, Plan, Question
from sayso.core.trail import Round, StepRecord, StopReason


class State(TypedDict, total=False):
    """The graph's state. Only ``rounds`` and ``steps`` grow; the rest is replaced."""

    question: Question
    plan: Plan
    search: Plan
    rounds: Annotated[list[Round], operator.add]
    graded: tuple[Graded, ...]
    gap: Gap | None
    stop_reason: StopReason
    answer: Answer
    steps: Annotated[list[StepRecord], operator.add]
