import pytest

from eval.cases import ArcCase, QaCase
from eval.gold import Repair, resolve, truth_of
from sayso.core.chat import Chat, Message
from sayso.core.spans import CharacterSpan

TURNS = [
    "D1:2", "D2:18", "D4:4", "D4:6", "D5:12", "D5:16", "D9:1",
    "D12:3", "D12:5", "D20:6", "D30:5",
]  # fmt: skip


@pytest.fixture
def turns() -> Chat:
    """A chat of eleven messages, localIds 1 to 11 in the order of TURNS; D12:4 is missing."""
    messages = tuple(
        Message(local_id=n, sender="A", sent_at=f"2024-01-01T00:{n:02}:00Z", text="x", source_id=s)
        for n, s in enumerate(TURNS, 1)
    )
    return Chat(chat_id="turns", title="", platform="", messages=messages)


REPAIRED = {
    "D12:3-D12:5": (8, 9),
    "D12:3 - D12:5": (8, 9),
    "D12:3–D12:5": (8, 9),
    "D12:1-D12:99999999999": (8, 9),
    f"D12:1-D12:{'9' * 5000}": (8, 9),
    "D5:12;D5:16": (5, 6),
    "D5:12; D5:16": (5, 6),
    "D5:12,D5:16": (5, 6),
    "D9:1 D4:4 D4:6": (3, 4, 7),
    "D4:4. D4:6": (3, 4),
    "D20:6.": (10,),
    "D30:05": (11,),
    "D 2:18": (2,),
    " D2:18 ": (2,),
    "D2: 18": (2,),
    "D1:2;": (1,),
    "": (),
    " ; ": (),
}


@pytest.mark.parametrize(("given", "ids"), REPAIRED.items(), ids=[repr(g)[:40] for g in REPAIRED])
def test_a_certain_repair_is_made_and_told(turns, given, ids):
    found = resolve([given], turns)

    assert found.local_ids == ids
    assert [(r.given, tuple(sorted(r.local_ids))) for r in found.repaired] == [(given, ids)]
    assert found.unreachable == ()


UNREACHABLE = {
    "D": ("D",),
    "D58": ("D58",),
    "D:56": ("D:56",),
    "D:11:26": ("D:11:26",),
    "D17;39": ("D17", "39"),
    "D13:45:D20:19": ("D13:45:D20:19",),
    "D12:5-D12:3": ("D12:5-D12:3",),
    "D12:3-D20:6": ("D12:3-D20:6",),
    "D12:6-D12:9": ("D12:6-D12:9",),
    "D40:2": ("D40:2",),
    "18": ("18",),
}


@pytest.mark.parametrize(("given", "lost"), UNREACHABLE.items(), ids=map(repr, UNREACHABLE))
def test_what_cannot_be_repaired_for_certain_is_unreachable(turns, given, lost):
    found = resolve([given], turns)

    assert found.local_ids == ()
    assert found.unreachable == lost


def test_a_repair_that_saves_only_a_part_reports_both(turns):
    found = resolve(["D5:12;D58"], turns)

    assert found.local_ids == (5,)
    assert found.repaired == (Repair("D5:12;D58", (5,)),)
    assert found.unreachable == ("D58",)


def test_an_id_that_stands_as_given_is_no_repair(turns):
    found = resolve(["D9:1", "D1:2", "D9:1", 3], turns)

    assert found.local_ids == (1, 3, 7)
    assert found.repaired == ()


def test_a_platform_id_with_separators_in_it_is_taken_whole():
    message = Message(
        local_id=1, sender="A", sent_at="2024-01-01T00:00:00Z", text="", source_id="a, b-c"
    )
    chat = Chat(chat_id="c", title="", platform="", messages=(message,))

    assert resolve(["a, b-c"], chat).local_ids == (1,)


def test_an_integer_is_a_local_id_and_a_string_is_not(turns):
    assert resolve([3], turns).local_ids == (3,)
    assert resolve(["3"], turns).unreachable == ("3",)
    assert resolve([12], turns).unreachable == (12,)


def _qa(**fields) -> QaCase:
    return QaCase(case_id="q", chat="trip", question="Which?", **fields)


@pytest.mark.parametrize(
    ("case", "gold"),
    [
        (_qa(evidence=("D1:1", 3)), "full"),
        (_qa(evidence=("D1:1", "D58")), "partial"),
        (_qa(evidence=("D1:1", "")), "full"),
        (_qa(evidence=("D58",)), "unreachable"),
        (_qa(evidence=()), "unreachable"),
        (_qa(evidence=("D1:1",), answerable=False), "none"),
        (ArcCase(case_id="a", chat="trip", question="How?", phases=()), "none"),
    ],
    ids=["full", "partial", "empty part", "unreachable", "no evidence", "unanswerable", "no arc"],
)
def test_gold_says_how_much_of_the_evidence_is_there(chat, case, gold):
    assert truth_of(case, chat).gold == gold


def test_evidence_that_an_unanswerable_case_lists_is_left_aside(chat):
    assert truth_of(_qa(evidence=("D1:1",), answerable=False), chat).expected.local_ids == ()


def test_given_spans_are_the_truth_and_bring_their_text(chat):
    case = _qa(evidence=("D1:1",), spans=({"sourceId": "D1:1", "start": 13, "end": 24},))

    truth = truth_of(case, chat)

    assert truth.span_truth == "given"
    assert truth.spans == (CharacterSpan("trip#1", 13, 24, "night train"),)


def test_without_spans_the_whole_messages_are_the_truth(chat):
    truth = truth_of(_qa(evidence=("D1:3", "D2:2")), chat)

    assert truth.span_truth == "whole messages"
    assert truth.spans == (
        CharacterSpan("trip#3", 0, 10, "On the 9th"),
        CharacterSpan("trip#5", 0, 9, "Take mine"),
    )


def test_a_span_beyond_its_message_is_reported_and_left_out(chat):
    truth = truth_of(_qa(evidence=("D1:3",), spans=({"localId": 3, "start": 7, "end": 11},)), chat)

    assert truth.expected.unreachable == ("span 3 [7, 11)",)
    assert truth.span_truth == "whole messages"


def test_phases_keep_their_places_when_one_is_lost(chat):
    phases = [
        {"title": t, "evidence": e} for t, e in (("a", ["D1:1"]), ("b", ["D58"]), ("c", [5, 4]))
    ]

    truth = truth_of(ArcCase(case_id="a", chat="trip", question="How?", phases=phases), chat)

    assert truth.phases == ((1,), (), (4, 5))
    assert truth.expected.local_ids == (1, 4, 5)
    assert truth.gold == "partial"
