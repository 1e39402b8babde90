import json

import pytest

from eval.audit import audit, proposals
from eval.cases import ArcCase, ExpectedPhase, QaCase, ReadyCase
from eval.overlay import read_overlay, under, write_overlay
from sayso.errors import CaseError


def qa(chat, n=1, **given):
    fields = {"question": "Which train goes to Vienna?", **given}
    return ReadyCase(QaCase(case_id=f"trip#q{n}", chat="trip", **fields), chat)


def kinds(*cases):
    return [(f.case_id, f.kind) for f in audit(cases)]


def test_sound_gold_raises_no_doubt(chat):
    assert audit([qa(chat, evidence=["D1:1"], category="single-hop")]) == ()


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        pytest.param({"evidence": ["D01:1"]}, "repaired id", id="leading zero"),
        pytest.param({"evidence": ["D1:1", "D8:8"]}, "unreachable id", id="no such message"),
        pytest.param({"evidence": ["D1:1", "D1:1"]}, "duplicate id", id="twice"),
        pytest.param({"evidence": ["D3:1"], "question": "Who broke a leg?"}, "no shared word", id="other words"),
        pytest.param({"evidence": ["D1:1", "D1:2"], "category": "single-hop"}, "doubtful category", id="two messages"),
        pytest.param({"evidence": ["D1:1"], "category": "multi-hop"}, "doubtful category", id="one message"),
        pytest.param({"evidence": ["D1:1"], "category": "temporal"}, "doubtful category", id="no time"),
        pytest.param(
            {"evidence": ["D1:1"], "category": "single-hop", "question": "When is the train?"},
            "doubtful category",
            id="asks when",
        ),
    ],
)  # fmt: skip
def test_each_doubt_is_told_with_its_kind(chat, given, kind):
    assert kinds(qa(chat, **given)) == [("trip#q1", kind)]


def test_a_case_without_evidence_that_is_not_marked_so_is_unreachable(chat):
    assert kinds(qa(chat)) == [("trip#q1", "unreachable case")]
    assert kinds(qa(chat, answerable=False)) == []


def test_one_question_asked_twice_is_told_of_the_second(chat):
    first = qa(chat, 1, evidence=["D1:1"])
    second = qa(chat, 2, evidence=["D1:1"], question="which train goes to VIENNA")

    assert kinds(first, second) == [("trip#q2", "duplicate question")]


def test_a_short_reply_shares_the_words_of_what_it_answers(chat):
    assert kinds(qa(chat, evidence=["D1:3"], question="Which day is great?")) == []


def test_phases_are_held_against_their_order_and_their_days(chat):
    phases = (
        ExpectedPhase(title="packing", evidence=("D2:1",), time_range="2024-03-02/2024-03-02"),
        ExpectedPhase(title="booking", evidence=("D1:1",), time_range="2024-03-05/2024-03-06"),
    )
    case = ArcCase(case_id="trip#a1", chat="trip", question="How did it go?", phases=phases)

    assert kinds(ReadyCase(case, chat)) == [
        ("trip#a1", "phases out of order"),
        ("trip#a1", "evidence outside its phase"),
    ]


def test_an_id_of_wrong_form_is_proposed_in_the_one_way_it_can_be_read(chat):
    made = proposals([qa(chat, evidence=["D1:2", "D:1:1"])])

    assert [(p.published, p.proposed) for p in made] == [(("D1:2", "D:1:1"), (1, 2))]


def test_an_id_that_reads_as_no_message_or_shares_no_word_is_not_proposed(chat):
    assert (
        proposals([qa(chat, evidence=["D:9:9"]), qa(chat, 2, evidence=["D:3:1"], question="x?")])
        == ()
    )


def test_only_signed_repairs_of_the_same_published_ids_count(chat, tmp_path):
    cases = [qa(chat, n, evidence=["D:1:1"]) for n in (1, 2, 3)]
    path = tmp_path / "overlay.jsonl"
    write_overlay(path, proposals(cases))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["signed"] = lines[2]["signed"] = "M. Reader, 2024-04-01"
    lines[2]["published"] = ["D2:2"]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    found = under(cases, read_overlay(path))

    assert [ready.case.evidence for ready in found.cases] == [(1,), ("D:1:1",), ("D:1:1",)]
    assert found.changed == {"trip#q1"}
    assert len(found.notes) == 2


def test_an_overlay_is_never_written_over(chat, tmp_path):
    path = tmp_path / "overlay.jsonl"
    path.write_text("signed\n", encoding="utf-8")

    with pytest.raises(CaseError, match="there already"):
        write_overlay(path, ())
    assert path.read_text(encoding="utf-8") == "signed\n"


@pytest.mark.parametrize("line", ["half", '{"caseId": "c"}', '{"caseId": "c", "ids": []}'])
def test_a_line_that_is_no_repair_is_an_error_with_its_number(line, tmp_path):
    path = tmp_path / "overlay.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")

    with pytest.raises(CaseError, match=r"overlay.jsonl:2: "):
        read_overlay(path)
