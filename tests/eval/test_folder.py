import json

import pytest

from eval.cases import QaCase, ReadyCase
from eval.folder import ROWS, RUN, new_folder, open_folder
from eval.replay import replay, tasks_of
from eval.rows import full_record, row_of
from eval.scoring import score
from sayso.errors import InputError, StoreError
from tests.eval.test_results import AT


@pytest.fixture
def rows(chat, deps_for, scripted, script):
    asked = {
        "a": script(cited={1: (0, 5)}, ranking=(1, 2), claims=(("Ana booked.", (1,)),)),
        "b": script(error=TimeoutError("late")),
    }
    cases = [
        QaCase(case_id="a", chat="trip", question="a", evidence=(1, "D9:9"), answer="a train"),
        QaCase(case_id="b", chat="trip", question="b", evidence=(2,)),
        QaCase(case_id="c", chat="trip", question="c", answerable=False),
    ]
    tasks = tasks_of([ReadyCase(c, chat, "set", "g") for c in cases], ["agent"])
    return [score(run) for run in replay(tasks, {"agent": scripted(asked)}, deps_for=deps_for)]


def test_a_row_reads_back_as_it_was(rows):
    for row in rows:
        again = row_of(json.loads(json.dumps(full_record(row))))

        assert full_record(again) == full_record(row)
        assert again.passage == row.passage


def test_half_a_last_line_is_cut_off_and_the_rest_kept(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0], "k")
    folder.append(rows[1], "k")
    path = folder.path / ROWS
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])

    assert [row.case_id for row in folder.kept().rows] == ["a"]
    assert folder.mend()
    assert not folder.mend()
    assert path.read_bytes() == whole[: whole.index(b"\n") + 1]


def test_half_a_last_line_may_end_within_a_character(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0])
    with (folder.path / ROWS).open("ab") as file:
        file.write('{"config": "", "question": "où'.encode()[:-1])

    kept = folder.kept()

    assert [row.case_id for row in kept.rows] == ["a"]
    assert kept.repaired


def test_a_whole_last_row_without_its_line_break_is_kept(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0])
    path = folder.path / ROWS
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))

    assert [row.case_id for row in folder.kept().rows] == ["a"]
    assert not folder.mend()
    folder.append(rows[2])
    assert [row.case_id for row in folder.kept().rows] == ["a", "c"]


def test_of_two_rows_of_one_key_the_later_counts(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    failed = rows[1].__class__(**{**vars(rows[0]), "error": "Timeout", "trail": None})
    folder.append(failed)
    folder.append(rows[0])

    assert [row.error for row in folder.kept().rows] == [None]


def test_a_line_in_the_middle_that_is_no_row_is_an_error_with_its_number(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0])
    with (folder.path / ROWS).open("a") as file:
        file.write("{}\n")
    folder.append(rows[2])

    with pytest.raises(InputError, match=r"rows\.jsonl:2: no row of a run"):
        folder.kept()


DAMAGES = {
    "a score that is no number": {"metrics": {"evidence_f1": "x"}},
    "a score that is NaN": {"metrics": {"evidence_f1": float("nan")}},
    "a score above 1": {"metrics": {"evidence_f1": 7}},
    "metrics in a list": {"metrics": [1]},
    "seconds in words": {"seconds": "x"},
    "endless seconds": {"seconds": float("inf")},
    "no question": {"question": None},
    "a mode that is no name": {"mode": ["agent"]},
    "an id that is no number": {"expected_ids": ["x"]},
    "a kind that is none": {"kind": "other"},
    "a kind beside another": {"kind": "arc"},
    "a funnel without stages": {"funnel": {"expected": 1, "held": {}, "lost": []}},
    "a ranking of two lengths": {"trail": {"ranking": {"localIds": [1], "scores": []}}},
}


@pytest.mark.parametrize("fields", DAMAGES.values(), ids=DAMAGES)
def test_a_row_that_was_edited_into_none_is_an_error_with_its_line(rows, tmp_path, fields):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0])
    folder.append(rows[2])
    path = folder.path / ROWS
    first, second = path.read_text("utf-8").splitlines()
    record = json.loads(second)
    parts = {k: record[k] | v if k == "trail" else v for k, v in fields.items()}
    path.write_text(f"{first}\n{json.dumps(record | parts)}\n")

    with pytest.raises(InputError, match=r"rows\.jsonl:2: no row of a run .*--resume"):
        folder.kept()


@pytest.mark.parametrize(
    "line", [b"[1]", b"5", b"\xff", b"[" * 200_000, b"9" * 5000], ids=lambda line: repr(line[:4])
)
def test_a_line_of_any_other_kind_is_an_error_with_its_number(rows, tmp_path, line):
    folder = new_folder(tmp_path, "qa", AT)
    folder.append(rows[0])
    with (folder.path / ROWS).open("ab") as file:
        file.write(line + b"\n")

    with pytest.raises(InputError, match=r"rows\.jsonl:2: no row of a run"):
        folder.kept()


def test_a_disk_that_is_full_leaves_no_half_file_behind(rows, tmp_path):
    class Full(dict):
        def items(self):
            raise OSError(28, "No space left on device")

    folder = new_folder(tmp_path, "qa", AT)

    with pytest.raises(StoreError, match=r"results\.json.*No space left"):
        folder.finish(Full(a=1), rows, "qa")

    assert list(folder.path.iterdir()) == []


def test_results_are_replaced_whole(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.finish({"n": 1}, rows, "qa")
    folder.finish({"n": 2}, rows, "qa")

    assert json.loads((folder.path / "results.json").read_text()) == {"n": 2}
    assert sorted(p.name for p in folder.path.iterdir()) == ["cases.csv", "results.json"]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "half",
        "{}",
        "[]",
        "[" * 200_000,
        '{"sayso": "run"}',
        '{"sayso": "run", "timestamp": "now", "request": []}',
    ],
)
def test_what_is_no_run_is_not_opened(text, tmp_path):
    if text is not None:
        (tmp_path / RUN).write_text(text)

    with pytest.raises(InputError, match=tmp_path.name):
        open_folder(tmp_path)


def test_a_folder_that_cannot_be_written_is_a_store_error(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    (folder.path / ROWS).mkdir()

    with pytest.raises(StoreError, match=r"rows\.jsonl"):
        folder.append(rows[0])
