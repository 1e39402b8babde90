from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.chats.store import read_chat
from sayso.core.chat import Chat
from sayso.core.citing import resolve
from sayso.core.models import Filter, Plan, Question
from sayso.core.people import known_names
from sayso.core.seams import GENERATOR, GRADER, Q3, Q4, Grading, Narrating
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.reasoning.surveying import survey
from sayso.reasoning.time_aside import without_time
from sayso.weights import shipped_weights

SHIPPED = Path(__file__).parents[2] / "arc_data" / "chats" / "lena_and_jonah.jsonl"
LAST_FEBRUARY = datetime(2024, 2, 29, 9, tzinfo=UTC)
MARCH = datetime(2024, 3, 3, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def shipped() -> Chat:
    return read_chat(SHIPPED)


@pytest.fixture
def allotment(make_chat) -> Chat:
    """Six messages by Pete, Obi and Callum, two of them in February, three of them photos."""
    chat = make_chat(
        ("Pete", "raspberries are in. Netting next", LAST_FEBRUARY),
        ("Obi", "", LAST_FEBRUARY),
        ("Pete", "the netting", MARCH),
        ("Callum", "Donnie ate raspberry jam", MARCH),
        ("Callum", "ask Donnie’s brother", MARCH),
        ("Pete", "", MARCH),
    )
    photos = {2, 3, 6}
    return Chat.model_validate(
        {
            **dict(chat),
            "messages": tuple(
                m.model_copy(update={"kind": "photo"}) if m.local_id in photos else m
                for m in chat.messages
            ),
        }
    )


def found(question: str, chat: Chat, **limits):
    asked = Question(text=question, chat_id="c", limits=Filter(**limits))
    return survey(asked, chat, known_names(chat))


def shown(question: str, chat: Chat, **limits) -> list[int]:
    return [m.local_id for m in found(question, chat, **limits).shown]


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("When did Lena last mention the tortoise?", [482]),
        ("When did Lena first mention the flat?", [127]),
        ("Who first mentioned the tortoise?", [38]),
        ("How many times did Lena mention the tortoise?", [38, 40, 50, 482]),
        ("How many photos did Jonah send?", [23, 84, 350, 387]),
    ],
)
def test_all_of_a_chat_is_read_for_the_words_or_the_kind(question, cited, shipped):
    assert shown(question, shipped) == cited


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Who first mentioned raspberries?",
            "The first message that mentions “raspberries”: Pete, 29 February 2024: “raspberries are in.”",
        ),
        (
            "Who last mentioned raspberries?",
            "The last message that mentions “raspberries”: Callum, 3 March 2024: “Donnie ate raspberry jam”",
        ),
        (
            "How many times did Callum mention Donnie?",
            "I count 2 messages from Callum that mention “Donnie”:\n"
            "- Callum, 3 March 2024: “Donnie ate raspberry jam”\n"
            "- Callum, 3 March 2024: “ask Donnie’s brother”",
        ),
        (
            "How often did Pete mention raspberries?",
            "I count one message from Pete that mentions “raspberries”:\n"
            "- Pete, 29 February 2024: “raspberries are in.”",
        ),
        (
            "How many photos did Pete send?",
            "I count 2 photos from Pete:\n- Pete, 3 March 2024: “the netting” [photo]\n"
            "- Pete, 3 March 2024: [photo]",
        ),
        (
            "How many photos did Obi send in February?",
            "I count one photo from Obi (February 2024):\n- Obi, 29 February 2024: [photo]",
        ),
        ("When did Obi send a photo?", "29 February 2024. Obi, 29 February 2024: [photo]"),
        ("Who sent the first photo?", "The first that I found: Obi, 29 February 2024: [photo]"),
        (
            "How many messages did Pete write?",
            "I count 3 messages from Pete; the first and the last of them:\n"
            "- Pete, 29 February 2024: “raspberries are in.”\n- Pete, 3 March 2024: [photo]",
        ),
        (
            "Who sent the most photos?",
            "Pete sent the most photos, 2 of 3:\n- Pete, 3 March 2024: “the netting” [photo]\n"
            "- Pete, 3 March 2024: [photo]",
        ),
        (
            "Who sent the most messages in February?",
            "Pete and Obi sent the most messages (February 2024), 1 each of 2; the first of each:\n"
            "- Pete, 29 February 2024: “raspberries are in.”\n- Obi, 29 February 2024: [photo]",
        ),
        (
            "How many photos did Obi send in December?",
            "I found no photo from Obi (December 2023) in this chat.",
        ),
        (
            "How many photos did Obi send between 29 February and 1 March?",
            "I count one photo from Obi (29 February 2024 to 1 March 2024):\n"
            "- Obi, 29 February 2024: [photo]",
        ),
        ("How many videos did Pete send?", "I found no video from Pete in this chat."),
        (
            "When did Obi last mention raspberries?",
            "I found no message from Obi in this chat that mentions “raspberries”.",
        ),
    ],
)  # fmt: skip
def test_an_answer_says_what_was_counted_and_shows_it(question, answer, allotment):
    assert found(question, allotment).answer == answer


def test_an_answer_in_chinese(make_chat):
    chat = make_chat(("小明", "房子看了", MARCH), ("小雨", "房子太贵了", MARCH))

    first = found("谁最先提到房子？", chat).answer
    count = found("小雨发了多少条消息？", chat).answer

    assert first == "最早提到“房子”的消息：小明（2024年3月3日）：“房子看了”"
    assert count == "小雨的消息共 1 条：\n- 小雨（2024年3月3日）：“房子太贵了”"


def test_the_limits_of_the_question_hold(allotment):
    assert shown("How many photos are there?", allotment, since=MARCH) == [3, 6]
    assert shown("How many photos are there?", allotment, senders=("Obi",)) == [2]
    assert shown("Who first mentioned raspberries?", allotment, since=MARCH) == [4]
    nothing = found("How many photos did Pete send?", allotment, until=MARCH)
    assert nothing.answer == "I found no photo from Pete within the limits given."


def test_no_more_is_shown_than_usual_and_the_answer_says_so(make_chat):
    chat = make_chat(*((("Ana", "soup again"),) * 14))

    survey_ = found("How many times did Ana mention soup?", chat)

    assert [m.local_id for m in survey_.shown] == list(range(1, 13))
    assert survey_.answer.startswith(
        "I count 14 messages from Ana that mention “soup”; the first 12 of them:\n"
    )


def test_files_whose_kind_an_export_leaves_out_are_told_of(allotment):
    bare = {m.local_id: {"kind": "file", "text": ""} for m in allotment.messages[4:]}
    messages = tuple(m.model_copy(update=bare.get(m.local_id, {})) for m in allotment.messages)
    chat = Chat.model_validate({**dict(allotment), "messages": messages})

    some = found("How many photos did Pete send?", chat).answer
    none = found("How many photos did Callum send?", chat).answer

    assert some.startswith(
        "I count one photo from Pete; files whose kind the export does not tell: 1:"
    )
    assert none == (
        "I found no photo from Callum in this chat. Files whose kind the export does not tell: 1."
    )


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("When did Pete first mention strawberries?", id="words nobody used"),
        pytest.param("When did Obi first mention raspberry netting?", id="several words"),
        pytest.param("What did Pete plant?", id="another question"),
        pytest.param("How many documents are there?", id="documents may be elsewhere"),
        pytest.param("How many locations are there?", id="so may locations"),
        pytest.param("How many photos did Pete send by 1 March?", id="up to a day"),
        pytest.param("How many photos did Pete send from 1 March?", id="from a day on"),
        pytest.param("How many photos did Pete send since December?", id="a time that reaches in"),
        pytest.param(
            "How many photos did Pete send between February and April?", id="beyond the chat"
        ),
        pytest.param("从3月1日起Pete发了多少张照片？", id="from a day on in Chinese"),
        pytest.param("到3月1日为止Pete发了多少张照片？", id="up to a day in Chinese"),
    ],
)
def test_a_search_answers_what_words_do_not_decide(question, allotment):
    assert found(question, allotment) is None


@pytest.mark.parametrize(("grader", "generator"), [(GRADER, GENERATOR), (Q3, Q4)])
def test_both_modes_cite_what_no_search_found(grader, generator, allotment):
    reasoner = ExtractiveReasoner(shipped_weights())
    asked = Question(text="How many photos did Pete send?", chat_id="c")
    plan = Plan(intent="count", queries=("photos",))

    verdict = reasoner.think(grader, Grading(asked, allotment, plan, (), 0)).value
    draft = reasoner.think(generator, Narrating(asked, allotment, plan, verdict.graded)).value
    answer = resolve(draft, allotment, {g.local_id for g in verdict.graded})

    assert verdict.gap is None
    assert answer.local_ids == (3, 6)
    assert not answer.unsupported
    assert not answer.abstained


def test_where_nothing_is_found_the_answer_abstains_with_the_reason(allotment):
    reasoner = ExtractiveReasoner(shipped_weights())
    asked = Question(text="How many videos did Pete send?", chat_id="c")
    plan = Plan(intent="count", queries=("videos",))

    draft = reasoner.think(GENERATOR, Narrating(asked, allotment, plan, ())).value

    assert draft.abstained
    assert draft.answer == "I found no video from Pete in this chat."


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How many photos did Pete send in March?", "How many photos did Pete send"),
        ("How many photos did Pete send last week?", "How many photos did Pete send"),
        ("In March, how many photos did Pete send?", "how many photos did Pete send?"),
        ("When did Pete last mention jam before April?", "When did Pete last mention jam"),
        ("Pete在三月发了多少张照片？", "Pete发了多少张照片？"),
        ("从三月到五月Pete发了多少张照片？", "Pete发了多少张照片？"),
        ("How many photos did Pete send between March and May?", "How many photos did Pete send"),
        ("How many photos did Pete send from 1 to 9 March?", "How many photos did Pete send"),
        ("How many photos did Pete send by 20 March?", None),
        ("How many photos did Pete send by the end of March?", None),
        ("How many photos did Pete send from 20 March?", None),
        ("How many photos did Pete send except in March?", None),
        ("从3月20日起Pete发了多少张照片？", None),
        ("到3月20日为止Pete发了多少张照片？", None),
        ("When did Pete first mention the trip in March?", None),
        ("Who first mentioned Christmas?", None),
        ("Who sent photos between March and May and on 3 June?", None),
        ("How many photos did Pete send?", None),
    ],
)
def test_a_time_that_stands_aside_is_taken_out_of_the_question(question, left):
    assert without_time(question) == left
