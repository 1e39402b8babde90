"""Among more than two, who is spoken of tells what is about somebody."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.retrieval.index import build_surface
from sayso.retrieval.spoken_of import among_many, spoken_of
from sayso.weights import OF_PEOPLE

START = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
SAID = (
    ("Ana Sol", "Bo rented a kayak", 0),
    ("Bo", "yes, Bo did", 0),
    ("Ana Roth", "with Ana's paddle?", 0),
    ("Cleo", "ask ana sol", 0),
    ("Cleo", "who knows", 1),
)


@pytest.fixture
def found(make_chat):
    """What is told of every message when somebody is asked about."""

    def told(*people: str, said: tuple = SAID) -> dict[str, list[float]]:
        chat = make_chat(
            *((who, text, START + timedelta(days=day)) for who, text, day in said),
        )
        surface = build_surface(chat)
        named = [who in people for who in surface.senders]
        by = np.where(named, 1, -1)[surface.sender].astype(np.float32)
        if not any(named) or all(named):
            by[:] = 0
        every = spoken_of(surface, people, by, np.arange(len(said)))
        assert tuple(every) == OF_PEOPLE
        return {name: column.round(3).tolist() for name, column in every.items()}

    return told


def test_others_say_a_name_and_who_bears_it_does_not(found):
    assert found("Bo")["says_name"] == [1, 0, 0, 0, 0]


def test_a_name_that_two_bear_counts_half_for_each_and_a_whole_name_wholly(found):
    assert found("Ana Sol")["says_name"] == [0, 0, 0.5, 1, 0]
    assert found("Ana Roth")["says_name"] == [0, 0, 0, 0.5, 0]


def test_of_several_people_each_is_spoken_of_and_speaks_of_the_others(found):
    assert found("Ana Sol", "Bo")["says_name"] == [1, 0, 0.5, 1, 0]


def test_what_is_beside_counts_within_the_session(found):
    told = found("Cleo", said=(*SAID, ("Bo", "so says Cleo", 1), ("Ana Sol", "hm", 1)))

    assert told["says_name"] == [0, 0, 0, 0, 0, 1, 0]
    assert told["says_name_beside"] == [0, 0, 0, 0, 1, 0, 1]
    assert told["person_beside"] == [0, 0, 1, 0, 0, 1, 0]
    assert told["person_near"] == [0, 1, 0, 0, 0, 0, 1]
    assert told["person_in_session"] == pytest.approx([0.25] * 4 + [1 / 3] * 3, abs=0.001)


def test_of_some_messages_is_told_what_is_told_of_all(make_chat):
    surface = build_surface(make_chat(*((who, text) for who, text, _ in SAID)))
    by = np.asarray([1, -1, -1, -1, -1], dtype=np.float32)

    every, some = (
        spoken_of(surface, ("Ana Sol",), by, np.asarray(rows)) for rows in (range(5), (1, 3))
    )

    for name in OF_PEOPLE:
        assert some[name].tolist() == every[name][[1, 3]].tolist()


@pytest.mark.parametrize(
    "people",
    [
        pytest.param(("Zoe",), id="nobody of the chat"),
        pytest.param(("Ana Sol", "Ana Roth", "Bo", "Cleo"), id="all of them"),
        pytest.param((), id="nobody"),
    ],
)
def test_who_is_told_from_nobody_tells_nothing(people, found):
    assert {v for column in found(*people).values() for v in column} == {0}


def test_where_two_write_nothing_is_told(found):
    two = tuple(line for line in SAID if line[0] in ("Ana Sol", "Bo"))

    assert {v for column in found("Bo", said=two).values() for v in column} == {0}


def test_a_name_in_characters_is_found_within_a_run_of_them(found):
    said = (("李小明", "我租了船", 0), ("王芳", "小明租了一条船", 0), ("张伟", "小王不去", 0))

    assert found("李小明", said=said)["says_name"] == [0, 1, 0]


def test_a_name_of_which_no_term_is_left_names_nobody(found):
    said = (("J", "we went", 0), ("Bo", "J went", 0), ("Cleo", "who went", 0))

    assert found("J", said=said)["says_name"] == [0, 0, 0]


def test_more_than_two_are_many(make_chat):
    def of(*who: str) -> bool:
        return among_many(build_surface(make_chat(*((w, "hello") for w in who))))

    assert not of("Ana")
    assert not of("Ana", "Bo", "Ana")
    assert not of("", "Ana", "Bo")  # WhatsApp's notices on Android
    assert of("Ana", "Bo", "Cleo")
