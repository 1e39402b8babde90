"""How near a chat comes to everyday topics that nobody asked for.

Cosines differ between chats and between embedders: those of one chat's best messages with a topic that
is not there are those of another's with one that is. Beside what everyday topics reach in the same
chat they tell more.
"""

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.features import pair_nearness
from sayso.retrieval.index import Index

TOPICS = (
    "How did the work develop over time?",
    "How did the health change?",
    "How did the family change over the months?",
    "How did the travel plans develop?",
    "How did the hobby develop?",
    "How did the studies go over time?",
    "How did the friendship develop?",
    "How did the search for a home go?",
    "How did the feelings about food change?",
    "How did the plans for the weekend change?",
    "How did the sports training develop?",
    "How did the money worries develop?",
)
TOPICS_ZH = (
    "工作是怎么发展的？",
    "身体状况有什么变化？",
    "家里的情况有什么变化？",
    "旅行计划是怎么发展的？",
    "爱好是怎么发展的？",
    "学习进展得怎么样？",
    "友谊是怎么发展的？",
    "找房子的事是怎么进展的？",
    "对吃的看法有什么变化？",
    "周末的安排有什么变化？",
    "运动训练进展得怎么样？",
    "钱的烦恼是怎么发展的？",
)
_NEAREST = 10
_LEAST = 0.05  # below that a ratio to it says nothing


def topics(language: str) -> tuple[str, ...]:
    """The topics in the chat's language, in English where there are none in it."""
    return TOPICS_ZH if language == "zh" else TOPICS


def usual_nearness(index: Index, vectors: NDArray[np.float32]) -> float:
    """The mean nearness of the ten messages nearest to each of some topics (topics, dimensions)."""
    nearest = [np.sort(pair_nearness(index, v))[-_NEAREST:].mean() for v in vectors]
    return max(_LEAST, float(np.mean(nearest)))
