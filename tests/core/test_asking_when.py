import pytest

from sayso.core.asking_when import asks_when


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana move?",
        "Do you know when Ana moved?",
        "Since when does Ben run?",
        "Where did they go, and when?",
        "Ana's birthday is when?",
        "What a day! When did it end?",
        "How long did it take when he was ill?",
        "What day was it?",
        "安娜什么时候搬家的?",
        "安娜什麼時候搬家的?",
        "我們幾點見?",
        "Wann kommt Ana an?",
        "Seit wann wohnt sie da?",
        "¿Cuándo llega Ana?",
        "Quand est-ce que Ana arrive ?",
    ],
)
def test_a_time_is_asked_for(question):
    assert asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did he share a photo of when mentioning rest?",
        "How did she feel when he left?",
        "Who helps Ana when she is tired?",
        "Where did Ben go?",
        "安娜搬到哪里?",
    ],
)
def test_when_in_another_question_asks_for_no_time(question):
    assert not asks_when(question)
