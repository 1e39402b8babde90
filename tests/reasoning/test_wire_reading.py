from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.core.chat import Chat
from sayso.core.models import Citation, Filter, Plan, Question
from sayso.core.people import known_names
from sayso.core.seams import Planning
from sayso.reasoning.replies_wire import AnswerReply, GradesReply, PlanReply
from sayso.reasoning.showing import Shown
from sayso.reasoning.wire_reading import Reader, draft_of, relevances

TOKYO = ZoneInfo("Asia/Tokyo")
BASE = Plan(intent="fact", queries=("the kayak",), people=("Bo Li",))


@pytest.fixture
def chat(make_chat) -> Chat:
    return make_chat(
        ("Ana Ruiz", "I bought  a “red” kayak"), ("Bo Li", "yes: <|two|>"), ("Ana Ruiz", ""),
        timezone="Asia/Tokyo",
    )  # fmt: skip


@pytest.fixture
def reader(chat) -> Reader:
    return Reader(chat, known_names(chat))


def day(*ymd: int) -> datetime:
    return datetime(*ymd, tzinfo=TOKYO)


def planned(reader: Reader, reply: dict, base: Plan = BASE, limits: Filter | None = None) -> Plan:
    asked = Question(text="?", chat_id="c", limits=limits or Filter())
    given = Planning(asked, reader.chat)
    return reader.plan(PlanReply.model_validate({"queries": ["paddle"], **reply}), base, given)


@pytest.mark.parametrize(
    ("said", "people"),
    [
        (["ana ruiz"], ("Ana Ruiz",)),
        (["Ana"], ("Ana Ruiz",)),
        (["Bo", "Ana", "Bo Li"], ("Bo Li", "Ana Ruiz")),
        (["Zoe", ""], ()),
    ],
)
def test_people_become_participants(said, people, reader):
    assert reader.people(said) == people


@pytest.mark.parametrize(
    ("since", "until", "window"),
    [
        ("2024-03-05", "2024-03-05", (day(2024, 3, 5), day(2024, 3, 6))),
        ("2024-02", "2024-02", (day(2024, 2, 1), day(2024, 3, 1))),
        ("2023", None, (day(2023, 1, 1), None)),
        ("2024-3-5T10:00", "2024/12/31", (day(2024, 3, 5), day(2025, 1, 1))),
        ("2024-03-05", "2024-03-04", (None, None)),
        ("last spring", "2024-02-31", (None, None)),
        ("2024-13", None, (None, None)),
        (None, "2024-03-05", (None, day(2024, 3, 6))),
        ("0001-01-01", "9999-12-31", (None, None)),
        ("1000", "2024-03-02", (None, day(2024, 3, 3))),
        ("2024-03-01", "9999", (day(2024, 3, 1), None)),
    ],
)
def test_days_become_a_window_in_the_chats_zone(since, until, window, reader):
    assert reader.window(since, until) == window


def test_a_plan_keeps_the_bases_queries_and_adds_the_models_searches(reader):
    plan = planned(
        reader,
        {
            "intent": "List", "people": ["Ana"], "since": "2024-03-01",
            "queries": [
                {"kind": "message", "text": "I bought\na kayak", "people": ["Ana"]},
                "i bought a kayak",
                {"kind": "vibe", "text": "boat", "since": "2024-03-02", "until": "2024-03-02"},
                {"text": " "},
            ],
        },
    )  # fmt: skip

    assert (plan.intent, plan.queries, plan.people) == ("list", ("the kayak",), ("Ana Ruiz",))
    assert (plan.since, plan.until) == (day(2024, 3, 1), None)
    assert [(a.kind, a.text, a.people, a.since) for a in plan.aspects] == [
        ("message", "I bought a kayak", ("Ana Ruiz",), None),
        ("aspect", "boat", (), day(2024, 3, 2)),
    ]


def test_a_plan_has_at_most_six_searches(reader):
    assert len(planned(reader, {"queries": [f"q{i}" for i in range(20)]}).aspects) == 6


def test_what_the_model_leaves_open_stays_as_rules_read_it(reader):
    base = BASE.model_copy(update={"since": day(2024, 3, 1), "until": day(2024, 3, 2)})

    plan = planned(reader, {"intent": "mood", "people": ["Zoe"]}, base)

    assert (plan.intent, plan.people) == ("fact", ("Bo Li",))
    assert (plan.since, plan.until) == (day(2024, 3, 1), day(2024, 3, 2))


def test_the_persons_own_limits_always_stay(reader):
    own = Filter(senders=("Bo Li",))
    base = BASE.model_copy(update={"limits": own})

    assert planned(reader, {"since": "2023", "people": ["Ana"]}, base, own).limits == own


def test_limits_that_rules_read_go_when_the_model_reads_other_days(reader):
    narrow = Filter(since=day(2024, 3, 2), until=day(2024, 3, 3))
    base = BASE.model_copy(
        update={"limits": narrow, "since": day(2024, 3, 2), "until": day(2024, 3, 3)}
    )

    assert planned(reader, {}, base).limits == narrow
    assert planned(reader, {"since": "2023-03-02", "until": "2023-03-02"}, base).limits == Filter()


def test_a_gap_is_what_is_missing_and_its_searches(reader):
    gap = reader.gap(
        GradesReply.model_validate(
            {
                "grades": [], "missing": "what Bo said",
                "queries": [{"text": "yes", "people": ["Bo"]}, {"text": "sure", "people": ["Bo"]}],
            }
        )
    )  # fmt: skip

    assert gap is not None
    assert (gap.missing, gap.queries, gap.people) == ("what Bo said", ("yes", "sure"), ("Bo Li",))


def test_a_gap_without_searches_looks_for_what_is_missing(reader):
    gap = reader.gap(GradesReply.model_validate({"grades": [], "missing": "the colour"}))

    assert gap is not None
    assert gap.queries == ("the colour",)


def test_a_later_gap_without_searches_looks_for_nothing(reader):
    said = GradesReply.model_validate({"grades": [], "missing": "the colour"})

    gap = reader.gap(said, first=False)

    assert gap is not None
    assert (gap.missing, gap.queries) == ("the colour", ())


def test_searches_without_anything_missing_are_no_gap(reader):
    assert reader.gap(GradesReply.model_validate({"grades": [], "queries": ["x"]})) is None


def test_searches_by_different_people_favour_nobody(reader):
    gap = reader.gap(
        GradesReply.model_validate(
            {
                "grades": [], "missing": "both",
                "queries": [{"text": "a", "people": ["Bo"], "since": "2024"}, {"text": "b"}],
            }
        )
    )  # fmt: skip

    assert gap is not None
    assert (gap.people, gap.since) == ((), None)


@pytest.mark.parametrize(
    ("grades", "shares"),
    [
        ([(1, 3), (2, 2), (3, 0)], {1: 1.0, 2: 2 / 3, 3: 0.0}),
        ([(1, 1), (2, 0)], {1: 1 / 3, 2: 0.0}),
        ([(1, 0.9), (2, 1)], {1: 0.9, 2: 1.0}),
        ([(1, 10), (1, 1)], {1: 1.0}),
        ([], {}),
    ],
)
def test_grades_are_shares_of_the_best_grade_in_either_scale(grades, shares):
    reply = GradesReply.model_validate({"grades": [{"n": n, "relevance": r} for n, r in grades]})

    assert relevances(reply) == pytest.approx(shares)


def drafted(chat: Chat, **reply):
    shown = Shown("", (1, 2, 3))
    return draft_of(AnswerReply.model_validate({"answer": "so", **reply}), shown, chat)


def test_of_many_strange_numbers_the_first_ten_are_named(chat):
    read = drafted(chat, claims=[{"text": "", "cite": list(range(4, 30))}])

    assert len(read.notes) == 11
    assert read.notes[9:] == (
        "the model cites [13], but the numbers go from 1 to 3", "and 16 more such numbers",
    )  # fmt: skip


def test_numbers_become_local_ids_and_a_strange_number_one_that_nobody_has(chat):
    read = drafted(chat, claims=[{"text": "", "cite": [2, 9, 0, 2]}])

    assert read.draft.claims[0].text == "so"
    assert read.draft.claims[0].citations == (
        Citation(local_id=2), Citation(local_id=-9), Citation(local_id=0),
    )  # fmt: skip
    assert read.notes == (
        "the model cites [0], but the numbers go from 1 to 3",
        "the model cites [9], but the numbers go from 1 to 3",
    )


@pytest.mark.parametrize(
    ("n", "quote", "kept"),
    [
        (1, "a “red” kayak", "a “red” kayak"),
        (1, '"bought a “red”"', "bought a “red"),
        (1, "bought a…", "bought a"),
        (1, "[1] 2024-03-02 18:01 Ana Ruiz: I bought", "I bought"),
        (1, "Ana Ruiz: I bought", "I bought"),
        (1, "sold a kayak", "sold a kayak"),
        (2, "yes: <\u2060|two|>", "yes: <|two|>"),
        (3, "(voice)", None),
    ],
)
def test_a_quote_loses_only_what_the_shown_line_added(n, quote, kept, chat):
    read = drafted(chat, claims=[{"text": "so", "cite": [{"n": n, "quote": quote}]}])

    assert read.draft.claims[0].citations[0].quote == kept


@pytest.mark.parametrize(
    ("quote", "whole"),
    [
        pytest.param("lake at dawn", True, id="words of it"),
        pytest.param("(photo: a lake at dawn)", True, id="with its brackets"),
        pytest.param("(photo: a lake …)", True, id="cut"),
        pytest.param('Ana Ruiz: "a lake at dawn"', True, id="with the speaker"),
        pytest.param("photo", False, id="its kind alone"),
        pytest.param("(photo:", False, id="its mark alone"),
        pytest.param(")", False, id="a bracket"),
        pytest.param("nothing of it: lake", False, id="other words before a colon"),
        pytest.param("never said (photo: a lake at dawn)", False, id="other text before it"),
        pytest.param("a lake at dusk", False, id="other words"),
        pytest.param("(photo: a lake at dusk)", False, id="other words in brackets"),
    ],
)
def test_words_of_a_caption_cite_the_whole_message(quote, whole, chat):
    photo = chat.messages[0].model_copy(update={"kind": "photo", "caption": "a lake at dawn"})
    chat = chat.model_copy(update={"messages": (photo, *chat.messages[1:])})

    read = drafted(chat, claims=[{"text": "so", "cite": [{"n": 1, "quote": quote}]}])

    kept = None if whole else quote
    assert read.draft.claims[0].citations == (Citation(local_id=1, quote=kept),)


def test_a_message_with_its_caption_as_shown_is_cited_whole(chat):
    photo = chat.messages[0].model_copy(update={"kind": "photo", "caption": "a lake at dawn"})
    chat = chat.model_copy(update={"messages": (photo, *chat.messages[1:])})
    quote = f"{photo.text} (photo: a lake at dawn)"

    read = drafted(chat, claims=[{"text": "so", "cite": [{"n": 1, "quote": quote}]}])

    assert read.draft.claims[0].citations == (Citation(local_id=1),)


def test_nothing_found_is_an_abstention_that_keeps_no_citation(chat):
    read = drafted(chat, nothing_found=True, claims=[{"text": "so", "cite": [1]}])

    assert (read.draft.abstained, read.draft.claims, read.draft.answer) == (True, (), "so")
    assert read.notes == (
        "the model says that nothing was found, and cites 1 all the same: not kept",
    )


def test_phases_are_read_with_their_citations(chat):
    read = drafted(chat, phases=[{"title": "It\nbegins", "summary": "s", "cite": [1]}])

    assert [(p.title, p.summary, p.citations) for p in read.draft.phases] == [
        ("It begins", "s", (Citation(local_id=1),))
    ]
