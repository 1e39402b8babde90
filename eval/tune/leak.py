"""What a prompt may take from the cases."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["person", "place or name", "phrase", "answer"]


@dataclass(frozen=True)
class Leak:
    """What a prompt took from the cases: its words, and the case or chat that they are of."""

    kind: Kind
    words: str
    of: str
