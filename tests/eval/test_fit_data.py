from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from eval.cases import ArcCase, QaCase, ReadyCase
from eval.fit_data import asked, groups_of
from sayso.core.chat import Chat, Message, Participant
from sayso.retrieval.features import NAMES, SCREEN
from sayso.retrieval.index import build_index
from tests.retrieval.conftest import WordBags

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)


def chat_of(chat_id: str, *people: str, texts: tuple[str, ...] = ("a red kayak", "ok")) -> Chat:
    return Chat(
        chat_id=chat_id,
        title=chat_id,
        platform="invented",
        participants=tuple(Participant(name=p) for p in people),
        messages=tuple(
            # localIds are no row numbers.
            Message(
                local_id=10 * (i + 1),
                sender=people[i % len(people)],
                sent_at=START + timedelta(minutes=i),
                text=text,
            )
            for i, text in enumerate(texts)
        ),
    )


def ready(dataset: str, chat: Chat, **case: object) -> ReadyCase:
    fields = {"case_id": "q", "chat": chat.chat_id, "question": "Who has a kayak?"} | case
    return ReadyCase(QaCase.model_validate(fields), chat, dataset)


def grouped(*chats: tuple[str, Chat]) -> dict[str, str]:
    return groups_of([ready(dataset, chat) for dataset, chat in chats])


def test_chats_that_share_a_person_are_one_group_and_others_are_their_own():
    found = grouped(
        ("realtalk", chat_of("a", "Ana", "Bo")),
        ("realtalk", chat_of("b", "Cleo", "Dan")),
        ("realtalk", chat_of("c", "BO", "Eve")),
    )

    assert found == {
        "realtalk/a": "realtalk/a",
        "realtalk/b": "realtalk/b",
        "realtalk/c": "realtalk/a",
    }


def test_a_chat_that_links_two_groups_makes_them_one():
    found = grouped(
        ("realtalk", chat_of("a", "Ana", "Bo")),
        ("realtalk", chat_of("b", "Cleo", "Dan")),
        ("realtalk", chat_of("c", "Dan", "Bo")),
        ("realtalk", chat_of("d", "Eve", "Flo")),
    )

    assert found == {
        "realtalk/a": "realtalk/a",
        "realtalk/b": "realtalk/a",
        "realtalk/c": "realtalk/a",
        "realtalk/d": "realtalk/d",
    }


def test_the_order_of_the_cases_changes_no_group():
    chats = [
        ("realtalk", chat_of("a", "Ana", "Bo")),
        ("realtalk", chat_of("b", "Bo", "Cleo")),
        ("realtalk", chat_of("c", "Cleo", "Dan")),
    ]

    assert grouped(*chats) == grouped(*reversed(chats))


def test_names_are_no_link_between_data_sets_nor_within_one_of_invented_people():
    found = grouped(
        ("realtalk", chat_of("a", "Ana", "Bo")),
        ("mine", chat_of("a", "Ana", "Bo")),
        ("locomo", chat_of("x", "Ana", "Bo")),
        ("locomo", chat_of("y", "Ana", "Bo")),
    )

    assert found == {key: key for key in ("realtalk/a", "mine/a", "locomo/x", "locomo/y")}


@pytest.fixture
def gather():
    """The cases as numbers; ``opened`` tells which chats were indexed."""

    def made(*cases: ReadyCase, opened: list[str] | None = None):
        bags = WordBags()

        def index_of(chat: Chat):
            if opened is not None:
                opened.append(chat.chat_id)
            return build_index(chat, bags)

        return asked(cases, index_of, bags)

    return made


def test_the_gold_is_row_numbers_in_order(gather):
    chat = chat_of("a", "Ana", "Bo", texts=("tea", "a red kayak", "ok", "my kayak"))

    (found,) = gather(ready("mine", chat, evidence=[40, 20], category="multi-hop"))

    assert found.gold.tolist() == [1, 3]
    assert (found.case_id, found.dataset, found.group) == ("q", "mine", "mine/a")
    assert (found.category, found.answerable) == ("multi-hop", True)


def test_every_message_has_cheap_features_and_some_have_all(gather):
    chat = chat_of("a", "Ana", "Bo", texts=("tea", "a red kayak", "ok", "my kayak"))

    (found,) = gather(ready("mine", chat, evidence=[20]))

    assert found.cheap.shape == (4, len(SCREEN))
    every = found.detailed(np.arange(4))
    assert every.shape == (4, len(NAMES))
    assert np.array_equal(every[:, : len(SCREEN)], found.cheap)
    assert found.detailed(np.asarray([1, 3])) == pytest.approx(every[[1, 3]], abs=1e-6)


def test_a_question_without_an_answer_has_no_gold_and_stays(gather):
    (found,) = gather(ready("mine", chat_of("a", "Ana", "Bo"), answerable=False))

    assert found.gold.tolist() == []
    assert not found.answerable


def test_an_arc_has_the_gold_of_all_its_phases(gather):
    chat = chat_of("a", "Ana", "Bo", texts=("tea", "a red kayak", "ok", "my kayak"))
    case = ArcCase.model_validate(
        {
            "case_id": "arc", "chat": "a", "question": "How did the kayak plan develop?",
            "phases": [{"title": "one", "evidence": [20]}, {"title": "two", "evidence": [40]}],
        }
    )  # fmt: skip

    (found,) = gather(ReadyCase(case, chat, "mine"))

    assert found.gold.tolist() == [1, 3]


def test_a_case_whose_evidence_is_not_in_the_chat_is_left_out(gather):
    assert gather(ready("mine", chat_of("a", "Ana", "Bo"), evidence=[999])) == []


def test_a_chat_is_indexed_once_for_all_its_cases(gather):
    opened: list[str] = []
    one, other = chat_of("a", "Ana", "Bo"), chat_of("b", "Ana", "Bo")

    found = gather(
        ready("mine", one, evidence=[10]),
        ready("mine", other, evidence=[10]),
        ready("mine", one, evidence=[10], case_id="q2"),
        opened=opened,
    )

    assert opened == ["a", "b"]
    assert [f.case_id for f in found] == ["q", "q", "q2"]
    assert [f.group for f in found] == ["mine/a"] * 3


def test_the_same_chat_id_in_two_data_sets_is_two_chats(gather):
    opened: list[str] = []

    found = gather(
        ready("mine", chat_of("a", "Ana"), evidence=[10]),
        ready("yours", chat_of("a", "Ana", texts=("tea", "no", "a kayak")), evidence=[30]),
        opened=opened,
    )

    assert opened == ["a", "a"]
    assert [f.gold.tolist() for f in found] == [[0], [2]]


def test_a_question_that_speaks_to_nothing_in_the_chat_is_left_out(gather):
    chat = chat_of("a", "Ana", "Bo")

    assert gather(ready("mine", chat, question="Which zeppelin?", evidence=[10])) == []
