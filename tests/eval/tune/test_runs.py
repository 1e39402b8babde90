import json
from datetime import UTC, datetime

import pytest

from eval.tune.runs import ASKED, Asked, begin, new_folder, reopen
from sayso.errors import InputError, StoreError

NOW = datetime(2024, 3, 1, 10, tzinfo=UTC)
WHOLE = Asked("oneshot/q4", cases=("a", "b"), budget=60, max_cost=0.5, flags={"model": "m"})


def test_what_a_run_was_asked_for_is_read_back(tmp_path):
    begin(tmp_path, WHOLE, {"code": "ab"})

    assert reopen(tmp_path) == (WHOLE, {"code": "ab"})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda told: [], "file: Input should be an object"),
        (lambda told: told | {"asked": []}, "asked: "),
        (lambda told: told | {"asked": {}}, "asked.step: Field required"),
        (lambda told: told | {"made_of": []}, "made_of: "),
        (lambda told: told | {"asked": told["asked"] | {"budget": "abc"}}, "asked.budget: "),
        (lambda told: told | {"asked": told["asked"] | {"more": 1}}, "asked.more: "),
        (lambda told: told | {"version": 2}, "version: "),
    ],
    ids=["list", "asked", "nothing", "made of", "budget", "more", "version"],
)
def test_a_folder_that_was_edited_is_named_with_what_is_wrong(tmp_path, change, fault):
    begin(tmp_path, WHOLE, {"code": "ab"})
    told = json.loads((tmp_path / ASKED).read_text("utf-8"))
    (tmp_path / ASKED).write_text(json.dumps(change(told)), "utf-8")

    with pytest.raises(InputError, match=r"tune\.json: not of a run") as raised:
        reopen(tmp_path)

    assert fault in str(raised.value)


@pytest.mark.parametrize("text", [b"", b"xx", b"\xff\xfe"])
def test_a_file_that_is_no_json_is_named(tmp_path, text):
    (tmp_path / ASKED).write_bytes(text)

    with pytest.raises(InputError, match=r"tune\.json: not of a run"):
        reopen(tmp_path)


def test_a_folder_of_something_else_is_named(tmp_path):
    with pytest.raises(InputError, match=r"tune\.json: cannot be read"):
        reopen(tmp_path)


def test_a_run_that_leaves_nothing_leaves_no_folder(tmp_path):
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path, NOW):
        raise KeyboardInterrupt

    assert list(tmp_path.iterdir()) == []


def test_a_run_that_left_something_keeps_it(tmp_path):
    def broken_off():
        with new_folder(tmp_path, NOW) as folder:
            (folder / "found.md").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()

    assert [path.name for path in tmp_path.glob("*/*")] == ["found.md"]


def test_a_place_that_cannot_hold_a_folder_is_told_before_anything_is_spent(tmp_path):
    (tmp_path / "file").write_text("")

    with (
        pytest.raises(StoreError, match="cannot hold a run's folder"),
        new_folder(tmp_path / "file", NOW),
    ):
        pass
