import pytest

from sayso.core.models import Question, Turn
from sayso.core.people import known_names
from sayso.reasoning.following import understood


@pytest.fixture
def chat(make_chat):
    return make_chat(("Lena", "my knee hurts"), ("Jonah", "oh no"), ("Lena", "all well again"))


def read(chat, *questions: str, cited: tuple[int, ...] = (1,)):
    *before, text = questions
    history = tuple(Turn(question=q, answer="", cited=cited) for q in before)
    return understood(Question(text=text, chat_id="c", history=history), chat, known_names(chat))


@pytest.mark.parametrize(
    ("before", "follow_up", "meant"),
    [
        ("When did Lena hurt her knee?", "and Jonah?", "When did Jonah hurt her knee?"),
        ("When did Lena hurt her knee?", "Jonah?", "When did Jonah hurt her knee?"),
        ("When did Lena hurt her knee?", "Why?", "Why: Lena hurt knee?"),
        ("When did Lena hurt her knee?", "how did she get home?", "how did Lena get home?"),
        ("What did Lena do in May 2023?", "and the year before?", "What did Lena do in May 2022?"),
        ("What happened on the first trip?", "what about the second time?", "What happened on the second trip?"),
        ("When did Lena hurt her knee?", "Did Jonah buy the kayak?", "Did Jonah buy the kayak?"),
    ],
)  # fmt: skip
def test_a_follow_up_is_read_as_the_question_it_stands_for(chat, before, follow_up, meant) -> None:
    assert read(chat, before, follow_up).text == meant


def test_a_follow_up_of_a_follow_up_keeps_both(chat) -> None:
    found = read(chat, "What did Lena do in May 2023?", "and the year before?", "and Jonah?")

    assert found.text == "What did Jonah do in May 2022?"


def test_who_said_that_looks_at_what_was_cited(chat) -> None:
    limits = read(chat, "When did Lena hurt her knee?", "who said that?").limits

    assert limits.senders == ("Lena",)
    assert limits.since == chat.by_id[1].sent_at
    assert not limits.admits(chat.by_id[2])
