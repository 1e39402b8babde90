import pytest

from sayso.core.asking_when import asks_when
from sayso.retrieval.asking import asks_name, asks_number, asks_where, statement


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("Where did go with his family?", "I go with my family", id="where did"),
        pytest.param("When did buy the red kayak?", "I buy the red kayak", id="when did"),
        pytest.param("Who teaches violin?", "I teaches violin", id="who"),
        pytest.param("What kind of music does like?", "I music does like", id="what kind of"),
        pytest.param("In which city was born?", "I city was born", id="preposition first"),
        pytest.param("Has finished her thesis?", "I finished my thesis", id="yes or no"),
        pytest.param("What's the name of her dog?", "I the name of my dog", id="what's"),
        pytest.param("Why didn't like the soup?", "I like the soup", id="why didn't"),
        pytest.param("How did hurt herself", "I hurt myself", id="no question mark"),
        pytest.param("WHERE DID GO?", "I GO", id="capitals"),
        pytest.param("the red kayak", "I the red kayak", id="no question"),
        pytest.param("小明什么时候去北京？", "I 小明什么时候去北京", id="Chinese"),
        pytest.param("When?", "When?", id="nothing left"),
        pytest.param("?", "?", id="a mark alone"),
        pytest.param("", "", id="empty"),
    ],
)
def test_a_question_is_turned_towards_its_answer(question, expected):
    assert statement(question) == expected


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
