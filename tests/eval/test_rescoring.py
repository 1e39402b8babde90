import json

import pytest

from eval.rescoring import rescore
from sayso.errors import InputError


def overlay_of(write, **fields):
    line = {"caseId": "q1", "published": [1], "proposed": [5], "signed": "M. Reader"}
    return write("overlay.jsonl", [line | fields])


def recall_of(results, case_id="q1"):
    return [c["metrics"]["evidence_recall"] for c in results["cases"] if c["case_id"] == case_id]


def results_of(run):
    return json.loads((run / "results.json").read_text("utf-8"))


def rewritten(run, change):
    """The rows of the run, each changed."""
    path = run / "rows.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(r) + "\n" for r in change(rows)), encoding="utf-8")


def test_a_run_under_an_overlay_scores_the_labels_that_were_signed(made, sub, write):
    run, result = made("--overlay", str(overlay_of(write)))

    assert recall_of(results_of(run)) == [0.0, 1.0]  # agent cites 1, oneshot 5
    assert "1 of 3 cases under the labels signed there" in result.stderr
    told = json.loads(sub("rescore", run, "--json").stdout)
    assert recall_of(told) == [0.0, 1.0]


def test_published_labels_stand_beside_the_repaired_also_for_a_run_under_an_overlay(
    made, sub, write
):
    overlay = overlay_of(write)
    run, _ = made("--overlay", str(overlay))

    told = json.loads(sub("rescore", run, "--overlay", overlay, "--json").stdout)

    assert (recall_of(told), recall_of(told["repaired"])) == ([1.0, 0.0], [0.0, 1.0])


def test_an_unsigned_line_changes_no_label_and_is_told(made, write):
    run, result = made("--overlay", str(overlay_of(write, signed=None)))

    assert recall_of(results_of(run)) == [1.0, 0.0]
    assert "the proposal is not signed" in result.stderr


def test_a_run_under_an_overlay_is_shown_under_both_labels(made, write):
    _, result = made("--overlay", str(overlay_of(write)), "--mode", "agent", "--limit", "1")

    published, repaired = result.stdout.split("under the repaired labels")
    assert published.startswith("under the published labels")
    lines = [next(x for x in part.splitlines() if "all_hit" in x) for part in (published, repaired)]
    assert [line.split()[1] for line in lines] == ["100.0", "0.0"]


@pytest.mark.parametrize(
    ("line", "flags", "told"),
    [
        ({"caseId": "q3", "published": []}, [], "q3: is marked unanswerable"),
        ({"caseId": "a1"}, ["--arc-cases"], "a1: is an arc"),
        ({"published": [2]}, [], "q1: publishes other ids"),
        ({"caseId": "q9"}, [], "q9: the overlay repairs a case that is not there"),
    ],
)
def test_a_line_that_cannot_count_is_told(made, write, line, flags, told):
    _, result = made("--overlay", str(overlay_of(write, **line)), *flags)

    assert told in result.stderr
    assert "0 of " in result.stderr


def test_rows_are_rescored_in_the_order_of_the_cases_whatever_ended_first(made, sub):
    run, _ = made()
    before = results_of(run)
    rewritten(run, reversed)

    sub("rescore", run, "--write")

    assert [(c["case_id"], c["mode"]) for c in results_of(run)["cases"]] == [
        (c["case_id"], c["mode"]) for c in before["cases"]
    ]


def test_a_run_that_is_not_whole_is_not_called_complete(made, sub):
    run, _ = made()
    rewritten(run, lambda rows: rows[:4])

    result = sub("rescore", run, "--json")

    assert json.loads(result.stdout)["complete"] is False
    assert "4 of 6 runs are there" in result.stderr


def test_altered_scores_are_counted_and_replaced(made, sub):
    run, _ = made()
    before = results_of(run)
    rewritten(run, lambda rows: [r | {"metrics": dict.fromkeys(r["metrics"], 0.5)} for r in rows])

    result = sub("rescore", run, "--json")

    assert "6 of 6 rows score otherwise" in result.stderr
    assert json.loads(result.stdout)["modes"] == before["modes"]


def test_a_citation_that_the_chat_does_not_hold_is_an_input_error(made, two_modes):
    def elsewhere(rows):
        for row in rows:
            for claim in row["trail"]["answer"]["claims"]:
                for one in claim["evidence"]:
                    one["localId"] = 99
        return rows

    run, _ = made()
    rewritten(run, elsewhere)

    with pytest.raises(InputError, match="q1, agent: cites message 99"):
        rescore(run, two_modes)


def test_cases_that_changed_since_are_told(made, sub, write):
    run, _ = made()
    write("cases/qa.jsonl", [{"caseId": "q1", "chat": "trip", "question": "a", "evidence": [2]}])

    result = sub("rescore", run)

    assert result.exit_code == 0
    assert "changed since the run was made" in result.stderr
    assert "4 rows are of cases left out now, as q2" in result.stderr


def test_a_judges_verdicts_stay_when_results_are_written_anew(made, sub):
    run, _ = made()
    (run / "results.json").write_text(json.dumps(results_of(run) | {"judge": {"model": "m"}}))

    sub("rescore", run, "--write")

    assert results_of(run)["judge"] == {"model": "m"}
