from datetime import UTC, datetime, timedelta

import pytest

from sayso.core.chat import Chat, Message
from sayso.reasoning.replied import with_reply

ASKED = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
FERRY = "what time does the ferry leave?"


def after(hours: float) -> datetime:
    return ASKED + timedelta(hours=hours)


@pytest.fixture
def cited_with_reply(graded):
    """The localIds cited where these were, all of the chat having been retrieved."""

    def made(chat, cited, intent="fact", most=12, found=None, people=()) -> list[int]:
        pool = graded(*((i, 0.1) for i in found or chat.by_id))
        given = graded(*((i, 0.9) for i in cited))
        made = with_reply(chat, given, pool, intent, most=most, people=people)
        return [g.local_id for g in made]

    return made


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        pytest.param(FERRY, "half 7", id="a question"),
        pytest.param("Great! What time does the ferry leave?", "half 7", id="after a greeting"),
        pytest.param("what time does the ferry leave?!", "half 7", id="and amazed"),
        pytest.param("what time does the ferry leave?? 🙈", "half 7", id="with a picture"),
        pytest.param("(what time does the ferry leave?)", "half 7", id="in brackets"),
        pytest.param("the ferry?? or the bus?", "ferry, half 7", id="two questions"),
        pytest.param("what time does the ferry leave", "half 7", id="without a mark"),
        pytest.param("who gets the shed key then", "Walt. it's already on his hook", id="then"),
        pytest.param("渡轮几点开？", "七点半", id="Chinese"),
        pytest.param("متى تغادر العبارة؟", "السابعة", id="Arabic"),
        pytest.param(FERRY, "6:30. You?", id="asked back after it is told"),
        pytest.param("where are you from?", "Bremen, you?", id="asked back in one sentence"),
        pytest.param(FERRY, "x" * 80, id="just short enough"),
    ],
)
def test_the_reply_to_a_bare_question_stands_before_it(asked, reply, make_chat, cited_with_reply):
    chat = make_chat(("Ana", asked), ("Bo", reply), ("Ana", "then we need a taxi"))

    assert cited_with_reply(chat, [1]) == [2, 1]
    assert cited_with_reply(chat, [1, 3]) == [2, 1, 3]


@pytest.mark.parametrize(
    ("said", "cited"),
    [
        pytest.param([("Ana", "the ferry leaves at half 7"), ("Bo", "ok")], [1], id="it tells"),
        pytest.param([("Ana", "We took the early ferry to Korsholm. Did you?"), ("Bo", "no")], [1],
                     id="it tells and asks"),
        pytest.param([("Ana", "boats are dear. When is it?"), ("Bo", "half 7")], [2, 1],
                     id="two words first are a greeting"),
        pytest.param([("Ana", "ferries are dear here lately. When is it?"), ("Bo", "half 7")], [1],
                     id="more are not"),
        pytest.param([("Ana", "What time?\nferry tomorrow"), ("Bo", "half 7")], [1],
                     id="it asks and tells"),
        pytest.param([("Ana", "https://ferry.example/?"), ("Bo", "half 7")], [1], id="a link"),
        pytest.param([("Ana", FERRY), ("Ana", "half 7, found it")], [1],
                     id="the same person goes on"),
        pytest.param([("Ana", FERRY), ("Bo", "which ferry?")], [1], id="asked back"),
        pytest.param([("Ana", FERRY), ("Bo", "x" * 81)], [1], id="a long story"),
        pytest.param([("Ana", FERRY, ASKED), ("Bo", "half 7", after(5.98))], [2, 1],
                     id="within six hours"),
        pytest.param([("Ana", FERRY, ASKED), ("Bo", "half 7", after(6.02))], [1], id="later"),
        pytest.param([("Ana", FERRY), ("Bo", "half 7")], [1, 2], id="cited already"),
        pytest.param([("Ana", FERRY)], [1], id="nobody replied"),
        pytest.param([("Ana", FERRY), ("Bo", "which ferry is it")], [1], id="asked back without a mark"),
        pytest.param([("Ana", "what a ferry"), ("Bo", "half 7")], [1], id="no question"),
        pytest.param([("Ana", "")], [], id="nothing cited"),
    ],
)  # fmt: skip
def test_it_does_so_only_where_the_reply_tells_it(said, cited, make_chat, cited_with_reply):
    asked = [i for i in cited if i != 2] if cited == [2, 1] else cited

    assert cited_with_reply(make_chat(*said), asked) == cited


def test_each_question_that_is_cited_gets_its_reply(make_chat, cited_with_reply):
    chat = make_chat(
        ("Ana", "the ferry is late"), ("Bo", "when is it?"), ("Ana", "half 7"), ("Bo", "how long does it take"),
        ("Ana", "an hour"),
    )  # fmt: skip

    assert cited_with_reply(chat, [1, 2, 4]) == [1, 3, 2, 5, 4]
    assert cited_with_reply(chat, [1, 2, 4], people=("Ana",)) == [1, 3, 2, 5, 4]


def test_behind_the_first_only_the_people_asked_about_reply(make_chat, cited_with_reply):
    chat = make_chat(("Ana", "soup again"), ("Bo", "do you like it?"), ("Ana", "I do"))

    assert cited_with_reply(chat, [1, 2], people=("Bo",)) == [1, 2]
    assert cited_with_reply(chat, [2, 1], people=("Bo",)) == [3, 2, 1]


def test_one_reply_is_cited_once(make_chat, cited_with_reply):
    chat = make_chat(("Ana", FERRY), ("Bo", "half 7"))

    assert cited_with_reply(chat, [1, 2]) == [1, 2]


def test_a_reply_that_was_not_retrieved_is_not_cited(make_chat, cited_with_reply):
    chat = make_chat(("Ana", FERRY), ("Bo", "half 7"))

    assert cited_with_reply(chat, [1], found=[1]) == [1]


@pytest.mark.parametrize("between", [" ", "https://photos.example/1"], ids=["empty", "a link"])
def test_what_says_nothing_between_them_is_passed_over(between, make_chat, cited_with_reply):
    chat = make_chat(("Ana", FERRY), ("Cy", between), ("Bo", "half 7"))

    assert cited_with_reply(chat, [1]) == [3, 1]


def test_a_marked_reply_goes_before_the_next_message(make_chat, cited_with_reply):
    chat = make_chat(("Ana", "lunch?"), ("Ana", FERRY), ("Bo", "can't, sorry"), ("Bo", "half 7"))
    replies = {3: 1, 4: 2}
    messages = tuple(
        m.model_copy(update={"reply_to": replies.get(m.local_id)}) for m in chat.messages
    )

    def of(*held: Message) -> Chat:
        return Chat.model_validate({**dict(chat), "messages": held})

    assert cited_with_reply(of(*messages), [2]) == [4, 2]
    # What replies to another question is no reply to this one.
    assert cited_with_reply(of(*messages[:3]), [2]) == [2]


@pytest.mark.parametrize("intent", ["count", "first", "last", "arc"])
def test_messages_are_counted_and_ordered_without_it(intent, make_chat, cited_with_reply):
    chat = make_chat(("Ana", FERRY), ("Bo", "half 7"))

    assert cited_with_reply(chat, [1], intent=intent) == [1]


def test_a_time_in_the_question_is_not_hidden_by_a_reply_without_one(make_chat, cited_with_reply):
    sure = make_chat(("Ana", "shall we go to the cinema tomorrow?"), ("Bo", "sure"))
    sunday = make_chat(("Ana", "shall we go to the cinema tomorrow?"), ("Bo", "no, on Sunday"))

    assert cited_with_reply(sure, [1], intent="when") == [1]
    assert cited_with_reply(sunday, [1], intent="when") == [2, 1]


def test_no_more_is_cited_than_may_be(make_chat, cited_with_reply):
    chat = make_chat(("Ana", FERRY), ("Bo", "half 7"), ("Ana", "so early"))

    assert cited_with_reply(chat, [1, 3], most=2) == [2, 1]


def test_an_answer_begins_with_the_reply(make_chat, told):
    chat = make_chat(("Ana", FERRY), ("Bo", "half 7"))

    draft = told(chat, "What time does the ferry leave?", "fact", (1, 0.9), (2, 0.01))

    cited = [c.local_id for claim in draft.claims for c in claim.citations]
    assert cited == [2, 1]
    assert "half 7" in draft.answer.splitlines()[1]


@pytest.mark.parametrize(
    ("asked", "reply", "intent", "cited"),
    [
        ("who got to the lake first?", "Cleo did, by bike", "first", [2, 1]),
        ("who got to the lake?", "Cleo did, by bike", "first", [1]),
        ("how many are coming?", "twelve", "count", [2, 1]),
        ("are they coming?", "twelve", "count", [1]),
    ],
)
def test_a_reply_tells_which_was_first_or_how_many_where_the_same_was_asked(
    asked, reply, intent, cited, make_chat, cited_with_reply
):
    chat = make_chat(("Ana", asked), ("Bo", reply))

    assert cited_with_reply(chat, [1], intent) == cited


@pytest.mark.parametrize(
    ("reply", "cited"), [("half 7", [2, 1]), ("noon", [2, 1]), ("no idea", [1])]
)
def test_a_question_for_the_hour_of_a_day_is_answered_by_the_hour(
    reply, cited, make_chat, cited_with_reply
):
    chat = make_chat(("Ana", "what time do we meet tomorrow?"), ("Bo", reply))

    assert cited_with_reply(chat, [1], "when") == cited
