from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.chat import Chat, Message, Participant
from sayso.core.citing import resolve
from sayso.core.models import Candidate, Graded, Plan, Question
from sayso.core.seams import Narrating
from sayso.reasoning.arc_choice import Told, absence_marks, best_part, features, only_asks
from sayso.reasoning.arc_phases import parts
from sayso.reasoning.arc_titles import title_of
from sayso.reasoning.arc_words import stem, stems, topic
from sayso.reasoning.arcs import arc_draft
from sayso.weights import Weights, shipped_weights

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
QUESTION = "How did the plan to move develop?"
CUTS = {"arc_most": 5, "arc_least": 2, "arc_unseen": 0.0, "arc_absent": 0.0, "arc_relevance": 0.1}


@pytest.fixture
def move(make_chat):
    """Five days on which the move is spoken of, the last two a few hours apart."""
    days = (0, 9, 20, 45, 45.1)
    texts = (
        "Thinking about a move. No idea where to",
        "saw a flat today, third floor, far too small for two people and a dog and a piano",
        "we signed!",
        "boxes everywhere",
        "keys handed over, boxes gone",
    )
    return make_chat(
        *(("Ana", text, START + timedelta(days=d)) for d, text in zip(days, texts, strict=True))
    )


@pytest.fixture
def measured():
    """What the generator is given for (localId, score, measured features), best first."""

    def made(chat: Chat, question: str, *rows: tuple[int, float, dict[str, float]], people=()):
        graded = tuple(
            Graded(
                candidate=Candidate(chat_id=chat.chat_id, local_id=i, score=s, why=why),
                relevance=0.5,
            )
            for i, s, why in rows
        )
        plan = Plan(intent="arc", queries=(question,), people=people)
        return Narrating(Question(text=question, chat_id=chat.chat_id), chat, plan, graded)

    return made


def weighing(absence: dict[str, float], **relevance: float) -> Weights:
    groups = {
        "arc_relevance": relevance,
        "arc_absence": absence,
        **{
            name: held for name, held in shipped_weights().groups.items() if "relevance" in name[:9]
        },
    }
    return Weights(version=9, fitted_on=(), groups=groups, cuts=CUTS)


def note(text: str, sender: str = "Ana", **more: object) -> Message:
    fields = {"local_id": 1, "sender": sender, "sent_at": START, "text": text} | more
    return Message.model_validate(fields)


def test_a_development_is_told_in_phases_in_order_of_time(move, told):
    relevant = ((3, 0.9), (1, 0.8), (5, 0.7), (2, 0.6), (4, 0.5))
    draft = told(move, QUESTION, "arc", *relevant)

    answer = resolve(draft, move, {1, 2, 3, 4, 5})

    assert [[e.local_id for e in p.evidence] for p in answer.phases] == [[1], [2], [3], [4, 5]]
    assert all(a.end < b.start for a, b in pairwise(answer.phases))
    assert [(p.start, p.end) for p in answer.phases] == [
        (p.evidence[0].sent_at, p.evidence[-1].sent_at) for p in answer.phases
    ]
    assert all(p.title and p.summary for p in answer.phases)
    assert answer.local_ids == (1, 2, 3, 4, 5)


def test_a_phase_is_titled_and_told_by_its_messages(move, told):
    draft = told(move, QUESTION, "arc", *((i, 0.9 - i / 20) for i in (1, 2, 3, 4, 5)))

    assert [p.title for p in draft.phases] == [
        "Ana: Thinking about a move",
        "Ana: Saw a flat today, third floor, far too small for two people",
        "Ana: We signed",
        "Ana: Keys handed over, boxes gone",
    ]
    assert draft.phases[3].summary == (
        "Ana, 16 April 2024: “boxes everywhere”; Ana, 16 April 2024: “keys handed over, boxes gone”"
    )


def test_the_answer_numbers_the_phases_and_gives_the_interval(move, told):
    answer = told(move, QUESTION, "arc", *((i, 0.9) for i in range(1, 6))).answer

    head, *lines = answer.split("\n")
    assert head == "4 stages, from 2 March 2024 to 16 April 2024:"
    assert [line[:2] for line in lines] == ["1.", "2.", "3.", "4."]


def test_a_single_message_is_told_without_counting_stages(move, told):
    draft = told(move, QUESTION, "arc", (3, 0.9))

    assert draft.answer == "1. Ana: We signed — Ana, 22 March 2024: “we signed!”"


def test_a_phase_is_not_titled_by_a_question_where_something_else_is_said(make_chat, told):
    chat = make_chat(
        ("Ben", "how is the move going??", START), ("Ana", "we found a flat by the canal", START)
    )

    (only, *_) = told(chat, QUESTION, "arc", (1, 0.9), (2, 0.2)).phases

    assert "how is" not in only.title


def test_a_phase_without_any_words_still_has_a_title(make_chat, told):
    chat = make_chat(("Ana", "moved", START), ("Ana", "🎉", START + timedelta(days=3)))

    first, second = told(chat, QUESTION, "arc", (1, 0.9), (2, 0.9)).phases

    assert first.title == "Ana: Moved"
    assert second.title == "Ana: 🎉"


def test_notices_of_the_app_and_bare_addresses_tell_nothing(told):
    messages = (
        note("Ana changed the group's name to Move", kind="system"),
        note("https://flats.example/12?a=b", local_id=2),
        note("", local_id=3, kind="deleted"),
        note("we moved", local_id=4),
    )
    people = (Participant(name="Ana"),)
    chat = Chat(chat_id="c", title="c", platform="x", participants=people, messages=messages)

    draft = told(chat, QUESTION, "arc", (1, 0.9), (2, 0.9), (3, 0.9), (4, 0.8))

    assert [c.local_id for p in draft.phases for c in p.citations] == [4]


def test_messages_of_little_relevance_stay_out_of_the_story(move, told):
    draft = told(move, QUESTION, "arc", (1, 0.9), (3, 0.8), (2, 0.001))

    assert [c.local_id for p in draft.phases for c in p.citations] == [1, 3]


def test_a_development_the_marks_say_is_absent_is_abstained_from(move, measured):
    given = measured(move, QUESTION, (1, -1.0, {"cosine": 1.0}), (3, -2.0, {"cosine": 1.0}))

    told_of = arc_draft(given, weighing({"bias": -1.0}, bias=0.5))
    absent = arc_draft(given, weighing({"bias": 1.0}, bias=0.5))

    assert not told_of.abstained
    assert absent.abstained
    assert absent.phases == ()
    assert absent.answer == "I found nothing in this chat that answers this."


def test_nothing_found_is_abstained_from(move, measured):
    assert arc_draft(measured(move, QUESTION), weighing({"bias": -1.0}, bias=1.0)).abstained


def test_the_weights_choose_among_measured_candidates(move, measured):
    rows = [(i, 0.0, {"cosine": 9.0 if i in (2, 4) else -9.0}) for i in range(1, 6)]
    given = measured(move, QUESTION, *rows)

    draft = arc_draft(given, weighing({"bias": -1.0}, cosine=1.0))

    assert [c.local_id for p in draft.phases for c in p.citations] == [2, 4]


def test_the_best_part_is_cut_where_the_expected_f1_is_highest():
    found = [Told(note("x", local_id=i), p) for i, p in enumerate((0.9, 0.8, 0.1, 0.1), 1)]

    # 2·0.9/(1+1.9), 2·1.7/(2+1.9), 2·1.8/(3+1.9): 0.62, 0.87, 0.73.
    assert [t.message.local_id for t in best_part(found, CUTS)] == [1, 2]
    # With three more expected outside of what was found a longer head pays: 0.49, 0.51, 0.52.
    more = CUTS | {"arc_unseen": 3.0}
    assert len(best_part(found, more | {"arc_least": 0})) == 2
    assert len(best_part(found, more | {"arc_least": 3})) == 3
    assert len(best_part(found, CUTS | {"arc_most": 1})) == 1


def test_features_say_who_speaks_where_and_whether_it_only_asks(make_chat, measured):
    chat = make_chat(
        ("Ana", "the move is on"), ("Ben", "when?"), ("Cid", "in May, with two vans"),
        ("Ana", "moved!", START + timedelta(days=2)),
    )  # fmt: skip
    rows = ((1, -1.0, {"own": 0.7}), (2, -2.0, {}), (3, -3.0, {}), (4, -4.0, {}))
    given = measured(chat, QUESTION, *rows, people=("Ana", "Ben"))

    first, second, third, last = features(given, given.graded)

    assert first["own"] == 0.7
    assert (first["named"], second["named"], third["named"]) == (1.0, 1.0, 0.0)
    assert (first["asks"], second["asks"]) == (0.0, 1.0)
    assert first["heard"] == 0.0
    assert third["heard"] == pytest.approx(1.0986, abs=1e-4)  # ln 3: two stand before it
    assert last["near"] == 0.0  # two days from the others
    assert second["near"] == pytest.approx(1 + 0.3679, abs=1e-4)  # e^0 beside, e^-1 beside


def test_the_marks_of_absence_tell_how_much_the_person_speaks_of_the_topic(make_chat, measured):
    chat = make_chat(*(("Ana", "piano practice"),) * 8, ("Ben", "surfing lessons"))
    usual = {"usual_nearness": 0.1}
    rows = (
        (1, -1.0, {"pair_cosine": 0.4, "covered": 0.6, **usual}),
        (9, -2.0, {"covered": 0.8, **usual}),
    )

    def marks(question: str, who: str) -> dict[str, float]:
        given = measured(chat, question, *rows, people=(who,))
        return absence_marks(given, given.graded, shipped_weights())

    spoken = marks("How did the piano practice go?", "Ana")
    assert {name: v for name, v in spoken.items() if not name.startswith("answer_")} == {
        "coverage": 1.0,
        "meaning": 0.2,
        "nearness": pytest.approx(2.0),
        "covered": 0.8,
        "bias": 1.0,
    }
    assert marks("How did the surfing lessons go?", "Ana")["coverage"] == 0.0
    assert marks("How did the surfing lessons go?", "Ben")["coverage"] == pytest.approx(1 / 8)


def test_what_tells_an_answer_that_is_not_there_tells_a_development_too(make_chat, measured):
    chat = make_chat(("Ana", "piano practice"), ("Ben", "surfing lessons"))
    rows = ((2, -1.0, {"by_person": -1.0, "cosine": 0.8}), (1, -2.0, {"by_person": 1.0}))

    def marks(question: str) -> dict[str, float]:
        given = measured(chat, question, *rows, people=("Ana",))
        return absence_marks(given, given.graded, shipped_weights())

    found = marks("How did Ana's surfing lessons go?")
    assert found["answer_ahead_cosine"] == pytest.approx(0.8)  # Ben's is nearer than Ana's
    assert found["answer_best"] == -1.0
    assert found["answer_gap_second"] == 1.0
    assert found["answer_asks_length"] == pytest.approx(0.6)
    # What is asked for tells nothing of a development.
    assert not {n for n in found if n.startswith("answer_asks_")} - {"answer_asks_length"}


def test_the_found_messages_tell_how_much_people_write_at_once(make_chat, measured):
    chat = make_chat(("Ana", "piano"), ("Ben", "surfing lessons, bread, a tent and two bicycles"))

    def usual(*ids: int) -> float:
        given = measured(chat, QUESTION, *((i, -1.0, {}) for i in ids))
        (same,) = {row["usual_length"] for row in features(given, given.graded)}
        return same

    assert usual(1) == pytest.approx(0.6931, abs=1e-4)  # ln 2: one word
    assert usual(2) > usual(1)
    assert usual(1, 2) == pytest.approx((usual(1) + usual(2)) / 2)


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("when?", True), ("Really?? 🙈", True), ("谁去？", True),
        ("We moved. And you?", False), ("we moved", False), ("", False),
    ],
)  # fmt: skip
def test_only_a_message_that_is_one_question_only_asks(text, only):
    assert only_asks(note(text)) is only


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I'm planning on taking a cooking class today!", "Ana is planning on taking a cooking class today"),
        ("Haha, yes! I've quit my job", "Ana has quit their job"),
        ("I will move in May", "Ana will move in May"),
        ("I signed the lease.", "Ana signed the lease"),
        ("I was sick, but now I'm fine", "Ana: I was sick, but now I'm fine"),
        ("we are moving", "Ana: We are moving"),
        ("Hey Ben! Thanks, the flat is ours 😀", "Ana: The flat is ours"),
        ("ok", "Ana: Ok"),
        (
            "The landlord called this morning to say that the kitchen would be done by the end of "
            "the month at the latest",
            "Ana: The landlord called this morning to say that the kitchen would be done",
        ),
        ("我终于搬家了，太累了！", "Ana终于搬家了，太累了"),
        ("哈哈，新家真好", "Ana：新家真好"),
        ("我们终于决定搬家了因为房东又要涨租金而且楼上每天晚上都在装修吵得谁都睡不着", "Ana：我们终于决定搬家了因为房东又要涨租金而且楼上每天"),
    ],
)  # fmt: skip
def test_a_title_is_a_short_phrase_told_of_its_sender(text, title):
    assert title_of(note(text), QUESTION) == title


def test_a_picture_is_titled_by_what_it_shows():
    photo = note("", kind="photo", caption="a photo of a van full of boxes")

    assert title_of(photo, QUESTION) == "A photo of a van full of boxes"


def test_forms_of_a_word_share_a_stem_and_framing_words_are_no_topic(make_chat):
    assert {stem(w) for w in ("baking", "bakes", "bake", "baked")} == {"bak"}
    assert stems("The cats’ food isn't Ana's") == {"cat", "food", "ana"}
    assert stems("阁楼的漏雨") == {"阁楼", "漏雨"}

    about = topic("How did the baking develop over time?", make_chat(("Ana", "I baked")), ())

    assert dict(about.spoken) == {"bak": 1}


def test_a_topic_is_counted_in_the_messages_of_the_people_asked_about(make_chat):
    chat = make_chat(("Ana", "yoga"), ("Ben", "yoga, yoga"), ("Ben", "piano"))

    assert topic("yoga", chat, ("Ana",)).spoken == {"yoga": 1}
    assert topic("yoga", chat, ()).spoken == {"yoga": 2}
    assert topic("", chat, ()).coverage == 1.0


@given(st.lists(st.integers(0, 24 * 40), min_size=2, max_size=14).map(sorted))
def test_a_time_line_falls_into_two_to_five_parts_that_lose_nothing(hours):
    messages = [
        Message(local_id=i, sender="Ana", sent_at=START + timedelta(hours=h), text="x")
        for i, h in enumerate(hours, 1)
    ]

    found = parts(messages)

    assert [m for part in found for m in part] == messages
    assert all(found)
    assert 2 <= len(found) <= 5


def test_of_equal_words_the_widest_silences_part():
    hours = (0, 1, 200, 201, 203, 900)
    messages = [
        Message(local_id=i, sender="Ana", sent_at=START + timedelta(hours=h), text="the move")
        for i, h in enumerate(hours, 1)
    ]

    assert [[m.local_id for m in part] for part in parts(messages)] == [[1, 2], [3, 4, 5], [6]]


def test_the_talk_turning_to_something_new_parts_within_a_day():
    texts = ("flat viewing", "flat viewing again", "boat trip", "boat trip again")
    hours = (0, 0.1, 5, 5.1)
    messages = [
        Message(local_id=i, sender="Ana", sent_at=START + timedelta(hours=h), text=t)
        for i, (h, t) in enumerate(zip(hours, texts, strict=True), 1)
    ]

    assert [[m.local_id for m in part] for part in parts(messages)] == [[1, 2], [3, 4]]
