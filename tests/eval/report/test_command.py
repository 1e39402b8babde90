import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from eval.report.command import report_command, report_of
from eval.report.page import report
from sayso.errors import InputError


@pytest.fixture
def folder(run_eval, tmp_path):
    """The folder of a run of three cases through two modes."""
    run_eval()
    (made,) = (tmp_path / "runs").iterdir()
    return made


def test_the_page_lies_in_the_runs_folder_and_its_path_is_printed(folder, two_modes):
    result = CliRunner().invoke(report_command, [str(folder)], obj=two_modes)

    assert result.exit_code == 0
    assert result.stdout.strip() == str(folder / "report.html")
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_its_numbers_are_those_of_results_json(folder, two_modes):
    page = report_of(folder, two_modes).read_text(encoding="utf-8")
    start = page.index('id="data">') + len('id="data">')
    shown = json.loads(page[start : page.index("</script>", start)])["figures"]
    modes = json.loads((folder / "results.json").read_text(encoding="utf-8"))["modes"]

    (of,) = shown.values()
    assert {
        (mode, name): one["mean"] for mode, found in of["modes"].items() for name, one in found.items()
    } == {
        (mode, name): one["mean"]
        for mode, found in modes.items()
        for name, one in found["metrics"].items()
    }  # fmt: skip


def test_a_run_without_results_is_shown_as_interrupted(folder, two_modes, tmp_path):
    (folder / "results.json").unlink()
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(lines[:2]), encoding="utf-8")

    page = report_of(folder, two_modes, to=tmp_path / "r.html").read_text(encoding="utf-8")

    assert "interrupted: only the cases that had ended" in page


def test_a_folder_of_no_run_is_named(tmp_path, two_modes):
    with pytest.raises(InputError, match="no folder of a run"):
        report_of(tmp_path, two_modes)


def test_repeats_are_shown_with_their_spread(run_eval, tmp_path, two_modes):
    run_eval("--repeats", "2")
    (folder,) = (tmp_path / "runs").iterdir()

    page = report_of(folder, two_modes).read_text(encoding="utf-8")

    assert "Spread of 2 repeats" in page
    assert "3 QA cases, each asked 2 times a mode" in page
    assert "repeat 1 of 2; the scores above are means" in page


def test_three_modes_are_compared_with_the_first_in_tables_of_their_own(run):
    third = [replace(r, mode="<i>third</i>") for r in run.rows if r.mode == "agent"]
    modes = run.results["modes"] | {"<i>third</i>": run.results["modes"]["agent"]}

    page = report(
        run.results | {"modes": modes}, [*run.rows, *third], chats=run.chats, cases=run.cases
    )

    assert "agent minus oneshot, paired by case" in page
    assert "&lt;i&gt;third&lt;/i&gt; minus oneshot, paired by case" in page
