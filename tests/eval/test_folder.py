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


def test_results_are_replaced_whole(rows, tmp_path):
    folder = new_folder(tmp_path, "qa", AT)
    folder.finish({"n": 1}, rows, "qa")
    folder.finish({"n": 2}, rows, "qa")

    assert json.loads((folder.path / "results.json").read_text()) == {"n": 2}
    assert sorted(p.name for p in folder.path.iterdir()) == ["cases.csv", "results.json"]


@pytest.mark.parametrize("text", [None, "half", "{}", "[]"])
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
