"""The weights file that a fit goes on from: looked at first, written in one step."""

import json

import pytest

from eval.refitting import held_for, refitted, writable, write
from sayso.errors import ConfigurationError
from sayso.weights import SHIPPED

HELD = {
    "version": 4,
    "fittedOn": [
        {"data": "old", "licence": "lent", "cases": 9, "groups": ["phrases"]},
        {"data": "mine", "licence": "own", "cases": 9, "groups": ["arc"]},
    ],
    "groups": {"phrases": {"length": 1.0}, "arc_absence": {"bias": 1.0}},
    "cuts": {"abstain": 0.5},
}


def test_a_refit_raises_the_version_and_says_on_how_many_cases():
    made = refitted(HELD, {"phrases": {"length": 2.0}}, "phrases", {"mine": 3, "new": 2}, {})

    assert made["version"] == 5
    assert made["groups"] == {"phrases": {"length": 2.0}, "arc_absence": {"bias": 1.0}}
    assert made["cuts"] == {"abstain": 0.5}
    assert made["fittedOn"] == [
        HELD["fittedOn"][1],
        {"data": "mine", "licence": "own", "cases": 3, "groups": ["phrases"]},
        {"data": "new", "licence": "not stated", "cases": 2, "groups": ["phrases"]},
    ]
    assert HELD["version"] == 4


def test_a_fit_goes_on_from_what_is_there_else_from_what_ships(tmp_path):
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    out = tmp_path / "mine.json"
    assert held_for(out) == held_for(None) == shipped
    out.write_text(json.dumps({**shipped, "version": 77}), encoding="utf-8")

    assert held_for(out)["version"] == 77


def test_entries_from_before_they_named_their_groups_are_gone_on_from(tmp_path):
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    del shipped["fittedOn"]
    out = tmp_path / "mine.json"
    entry = {"data": "old", "licence": "lent", "cases": 9}
    out.write_text(json.dumps({**shipped, "fitted_on": [entry]}), encoding="utf-8")

    assert held_for(out)["fittedOn"] == [{**entry, "groups": []}]


def test_what_was_there_stays_until_all_is_written_and_keeps_its_rights(tmp_path):
    out = tmp_path / "mine.json"
    out.write_text("before", encoding="utf-8")
    out.chmod(0o640)

    with pytest.raises(ValueError, match="JSON compliant"):
        write(out, {"version": float("nan")})
    kept = out.read_text(encoding="utf-8")
    write(out, {"version": 1})

    assert kept == "before"
    assert json.loads(out.read_text(encoding="utf-8")) == {"version": 1}
    assert out.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [out]


def test_a_link_stays_one_and_what_it_points_at_is_written(tmp_path):
    there = tmp_path / "there.json"
    there.write_text("before", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(there)

    write(tmp_path / "link.json", {"version": 1})

    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(there.read_text(encoding="utf-8")) == {"version": 1}


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("folder", "is no file"),
        ("nowhere/x.json", "there is no folder"),
        ("/dev/null", "is no file"),
    ],
)
def test_where_no_file_can_be_written_is_told(out, said, tmp_path):
    (tmp_path / "folder").mkdir()

    with pytest.raises(ConfigurationError, match=said):
        writable(tmp_path / out)
