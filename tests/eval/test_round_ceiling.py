import pytest

from eval.cases import QaCase, ReadyCase
from eval.round_ceiling import also, best_cut, ceiling
from sayso.core.models import Candidate, Plan
from sayso.weights import shipped_weights


def test_the_best_cut_is_the_head_with_the_highest_f1():
    # heads of [5, 1, 2]: 0, 1/2 (one of two, two cited), 4/5
    assert best_cut([5, 1, 2], {1, 2}) == pytest.approx(0.8)
    assert best_cut([1, 5, 2], {1}) == 1.0
    assert best_cut([], {1}) == 0.0


def test_a_seeds_words_stand_behind_the_questions():
    seeded = also(Plan(intent="fact", queries=("the kayak",)), ("paddle", "river"))

    assert seeded.queries == ("the kayak paddle river",)


class Library:
    """A retriever that finds the message a word of the search names."""

    def __init__(self, shelf: dict[str, int]) -> None:
        self.shelf = shelf
        self.asked: list[str] = []

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        self.asked.append(plan.queries[0])
        found = [i for word, i in self.shelf.items() if word in plan.queries[0].casefold()]
        return tuple(
            Candidate(chat_id="trip", local_id=i, score=1.0 / (n + 1)) for n, i in enumerate(found)
        )


def test_a_seed_that_only_an_oracle_would_choose_is_the_ceiling(chat):
    # The question finds "Take mine" alone; its words as a seed find what broke.
    library = Library({"broke": 5, "take": 4})
    case = QaCase(case_id="trip#q1", chat="trip", question="What broke?", evidence=("D2:1",))

    found = ceiling(ReadyCase(case, chat), library, shipped_weights())

    assert library.asked[:2] == ["What broke?", "What broke? take"]
    assert found.one_search == 0.0
    assert found.best_cut == 0.0
    assert found.best_seed > 0.0
    assert found.first_seed == found.best_seed
