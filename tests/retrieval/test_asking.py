import pytest

from sayso.core.asking_when import asks_when
from sayso.retrieval.asking import asks_name, asks_number, asks_where


@pytest.mark.parametrize(
    ("question", "when", "name", "where", "number"),
    [
        pytest.param("When did Ana move?", True, False, False, False, id="when"),
        pytest.param("What date is the wedding?", True, True, False, False, id="what date"),
        pytest.param("How long did it take?", True, False, False, True, id="how long"),
        pytest.param("Who is Ana's sister?", False, True, False, False, id="who"),
        pytest.param("Where does she live?", False, True, True, False, id="where"),
        pytest.param("Which cities did they see?", False, True, True, False, id="which cities"),
        pytest.param("How many cats are there?", False, False, False, True, id="how many"),
        pytest.param("Whenever did the whole thing", False, False, False, False, id="inside a word"),
        pytest.param("小明什么时候去？", True, True, False, False, id="Chinese when"),
        pytest.param("他住在哪里？", False, True, True, False, id="Chinese where"),
        pytest.param("有多少人？", False, False, False, True, id="Chinese how many"),
        pytest.param("", False, False, False, False, id="empty"),
    ],
)  # fmt: skip
def test_a_question_tells_what_it_asks_for(question, when, name, where, number):
    asked = (asks_when(question), asks_name(question), asks_where(question), asks_number(question))

    assert asked == (when, name, where, number)
