import csv
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from eval.cases import QaCase, ReadyCase
from eval.folder import new_folder
from eval.replay import replay, tasks_of
from eval.results import csv_rows, modes_record, results_record
from eval.scoring import METRICS, score
from sayso.errors import StoreError

AT = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.fixture
def rows(chat, deps_for, scripted, script):
    """Five cases through one mode: recalls 1, 1/2 and 0, one to abstain on, one failed."""
    cases = [
        QaCase(case_id="q1", chat="trip", question="=1+1", evidence=(1,), category="one"),
        QaCase(case_id="q2", chat="trip", question="b", evidence=(1, 3), category="two"),
        QaCase(case_id="q3", chat="trip", question="c", evidence=(4,), category="two"),
        QaCase(case_id="q4", chat="trip", question="d", answerable=False, category="none"),
        QaCase(case_id="q5", chat="trip", question="e", evidence=(1,), category="failing"),
    ]
    mode = scripted(
        {
            "=1+1": script(cited={1: (0, 34)}, ranking=(1,)),
            "b": script(cited={1: (0, 34)}, ranking=(1,)),
            "d": script(abstained=True),
            "e": script(error=TimeoutError("late")),
        }
    )
    ready = [ReadyCase(case, chat, "set") for case in cases]
    return [
        score(run) for run in replay(tasks_of(ready, ["agent"]), {"agent": mode}, deps_for=deps_for)
    ]


def test_mean_median_and_deviation_leave_out_what_has_no_value(rows):
    record = modes_record(rows, "qa", ["agent"])["agent"]

    assert record["metrics"]["evidence_recall"] == {
        "mean": pytest.approx(1 / 2),
        "median": pytest.approx(1 / 2),
        "std": pytest.approx(1 / 2),  # √((¼ + 0 + ¼) ÷ 2)
        "n": 3,
        "undefined": 1,
    }
    assert (record["cases"], record["failed"]) == (5, 1)


def test_categories_are_summed_apart_and_one_with_only_failures_is_absent(rows):
    by_category = modes_record(rows, "qa", ["agent"])["agent"]["by_category"]

    assert list(by_category) == ["none", "one", "two"]
    assert by_category["two"]["evidence_recall"]["mean"] == pytest.approx(1 / 4)
    assert by_category["none"]["evidence_recall"] == {
        "mean": None, "median": None, "std": None, "n": 0, "undefined": 1,
    }  # fmt: skip


def test_abstention_counts_all_cases_that_ran(rows):
    # q3 has no script and abstains although there is evidence; q4 abstains rightly.
    assert modes_record(rows, "qa", ["agent"])["agent"]["abstention"] == {
        "precision": 1 / 2, "recall": 1.0, "f1": pytest.approx(2 / 3), "tp": 1, "fp": 1, "fn": 0,
    }  # fmt: skip


def test_a_mode_without_a_row_has_no_value_and_no_crash():
    record = modes_record([], "arc", ["agent"])["agent"]

    assert record["metrics"]["global_recall"]["mean"] is None
    assert record["cases"] == 0


def test_several_datasets_are_never_pooled(rows):
    other = [row.__class__(**{**vars(row), "dataset": "other"}) for row in rows[:1]]

    record = results_record([*rows, *other], "qa", modes=["agent"], at=AT, config={})

    assert list(record["datasets"]) == ["set", "other"]
    assert (
        record["datasets"]["other"]["modes"]["agent"]["metrics"]["evidence_recall"]["mean"] == 1.0
    )
    assert "modes" not in record  # never pooled
    assert "datasets" not in results_record(rows, "qa", modes=["agent"], at=AT, config={})


def test_each_run_gets_a_folder_of_its_own(tmp_path):
    first = new_folder(tmp_path / "runs", "qa", AT)
    second = new_folder(tmp_path / "runs", "qa", AT)

    assert first.path.name == "20240506T070809Z-qa-1"
    assert second.path.name == "20240506T070809Z-qa-2"


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path):
    (tmp_path / "runs").write_text("a file")

    with pytest.raises(StoreError, match="--out"):
        new_folder(tmp_path / "runs", "qa", AT)


def test_rows_are_readable_after_each_case_and_carry_the_trail(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)

    folder.append(rows[0])
    folder.append(rows[4])

    first, failed = map(json.loads, (folder.path / "rows.jsonl").read_text("utf-8").splitlines())
    assert first["trail"]["answer"]["evidence"][0]["docId"] == "trip#1"
    used = first["usage"]
    assert (used["model_calls"], used["prompt_tokens"], used["cost"]) == (1, 0, None)
    assert (failed["error"], failed["trail"]) == ("TimeoutError: late", None)


def test_the_csv_has_the_columns_in_order_and_reads_back(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.finish({}, rows, "qa")

    raw = (folder.path / "cases.csv").read_bytes()
    table = list(csv.reader(raw.decode("utf-8-sig").splitlines()))

    assert raw.startswith(b"\xef\xbb\xbf")
    assert table[0] == [
        "case_id", "mode", "chat", "category", "question", "gold", "expected_ids", "returned_ids",
        *METRICS["qa"], "error", "seconds",
    ]  # fmt: skip
    second = dict(zip(table[0], table[2], strict=True))
    assert json.loads(second["expected_ids"]) == [1, 3]
    assert json.loads(second["returned_ids"]) == [1]
    assert float(second["evidence_recall"]) == 0.5
    assert dict(zip(table[0], table[4], strict=True))["evidence_recall"] == ""
    assert dict(zip(table[0], table[5], strict=True))["error"] == "TimeoutError: late"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\n-1",
        "\ufeff=1",
        "\u200b=1",
        "\u202e=1",
        "＝1",
        "＠A1",
    ],
    ids=ascii,
)
def test_a_cell_that_a_spreadsheet_would_compute_is_neutralised(rows, text):
    row = rows[0].__class__(**{**vars(rows[0]), "question": text, "error": text})

    cells = dict(zip(*csv_rows([row], "qa"), strict=True))

    assert cells["question"] == f"'{text}"
    assert cells["error"] == f"'{text}"


@pytest.mark.parametrize(
    "text", ["a\nb\r\nc", "\u202eback\u202c", 'say "a, b"', "a\x00b", "\u2028"], ids=ascii
)
def test_a_cell_of_any_text_reads_back_as_it_is(rows, text, tmp_path):
    row = replace(rows[0], question=text)
    folder = new_folder(tmp_path, "qa", AT)
    folder.finish({}, [row], "qa")

    with (folder.path / "cases.csv").open(encoding="utf-8-sig", newline="") as file:
        head, cells = csv.reader(file)

    assert dict(zip(head, cells, strict=True))["question"] == text


def test_repeats_are_told_apart_in_the_csv(rows):
    head, *lines = csv_rows([rows[0], replace(rows[0], repeat=1)], "qa")

    assert head[-3:] == ["error", "seconds", "repeat"]
    assert [line[-1] for line in lines] == ["0", "1"]
