import json

import pytest
from click.testing import CliRunner

from eval import bench_spans
from eval.bench_spans import Asked, chunks_with_a_reference, main, ours, questions
from sayso.errors import InputError

# The four functions that are asked for, on sets of places: slow, and plainly right.
THEIRS = """
def _ranges(places):
    starts = sorted(p for p in places if p - 1 not in places)
    ends = sorted(p + 1 for p in places if p + 1 not in places)
    return list(zip(starts, ends))

def _places(ranges):
    return {p for start, end in ranges for p in range(start, end)}

def union_ranges(ranges):
    return _ranges(_places(ranges))

def difference(ranges, target):
    return _ranges(_places(ranges) - _places([target]))

def intersect_two_ranges(a, b):
    both = _ranges(_places([a]) & _places([b]))
    return both[0] if both else None

def sum_of_ranges(ranges):
    return sum(end - start for start, end in ranges)
"""


@pytest.fixture
def data(tmp_path):
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "here.md").write_text("x" * 1000, encoding="utf-8")
    reference = json.dumps([{"content": "", "start_index": 150, "end_index": 250}])
    quoted = reference.replace('"', '""')
    (tmp_path / "questions.csv").write_text(
        f'question,references,corpus_id\nwhat?,"{quoted}",here\nwhat?,"{quoted}",gone\n',
        encoding="utf-8",
    )
    return tmp_path


def test_questions_about_a_corpus_that_is_not_there_are_left_out(data):
    assert questions(data) == (Asked(((150, 250),), 1000),)


def test_chunks_that_hold_part_of_a_reference_are_what_is_retrieved():
    asked = Asked(((150, 250),), 1000)

    assert chunks_with_a_reference(asked, 400) == [(0, 400)]
    assert chunks_with_a_reference(asked, 200) == [(0, 400), (200, 600)]
    assert chunks_with_a_reference(Asked(((150, 200), (990, 1000)), 1000), 400) == [
        (0, 400),
        (800, 1000),
    ]


def test_ours_counts_a_character_of_two_chunks_once():
    # 100 of 600 characters.
    assert ours([(0, 400), (200, 600)], [(150, 250)]) == pytest.approx((1.0, 1 / 6, 1 / 6))


def test_both_are_printed_with_the_questions_on_which_they_differ(data, monkeypatch):
    monkeypatch.setattr(bench_spans, "_SIZES", (3,))
    monkeypatch.setattr(bench_spans, "_MANY", 5)
    (data / "utils.py").write_text(THEIRS, encoding="utf-8")

    result = CliRunner().invoke(main, [str(data), str(data / "utils.py")])

    assert result.exit_code == 0, result.output
    assert "1 questions; retrieved: chunks of 400" in result.output
    assert "apart: precision theirs 0.250, ours 0.250; 0 differ" in result.output
    # 100 of the 800 characters of two chunks, and of the 600 that they cover.
    assert "overlapping by half: iou theirs 0.125, ours 0.167; 1 differ" in result.output
    assert "3 spans a side: theirs" in result.output


def test_another_file_than_theirs_is_named(data):
    (data / "utils.py").write_text("def union_ranges(ranges): ...", encoding="utf-8")

    result = CliRunner().invoke(main, [str(data), str(data / "utils.py")])

    assert result.exit_code == 2
    assert "has no intersect_two_ranges" in result.output


@pytest.mark.parametrize("theirs", ["def broken(", "raise RuntimeError('no')"])
def test_a_file_of_theirs_that_cannot_be_run_is_named(theirs, data):
    (data / "utils.py").write_text(theirs, encoding="utf-8")

    result = CliRunner().invoke(main, [str(data), str(data / "utils.py")])

    assert result.exit_code == 2
    assert "cannot be run" in result.output


@pytest.mark.parametrize("line", ["question\nwhat?\n", "references,corpus_id\n[7],here\n"])
def test_questions_of_another_form_are_named(line, data):
    (data / "questions_b.csv").write_text(line, encoding="utf-8")

    with pytest.raises(InputError, match=r"questions_b\.csv: expected the columns"):
        questions(data)


def test_a_folder_without_questions_is_named(tmp_path):
    (tmp_path / "utils.py").write_text(THEIRS, encoding="utf-8")

    result = CliRunner().invoke(main, [str(tmp_path), str(tmp_path / "utils.py")])

    assert result.exit_code == 2
    assert "no questions*.csv" in result.output
