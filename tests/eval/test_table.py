from io import StringIO

from rich.console import Console

from eval.progress import _Lines, progress
from eval.table import _filled, plain, summary


def _mode(**metrics):
    return {
        "cases": 2,
        "failed": 0,
        "gold": {"full": 2, "partial": 0, "unreachable": 0, "none": 0},
        "metrics": metrics,
        "by_category": {"[b]tricky[/b]": metrics},
        "abstention": {"precision": None, "recall": None, "f1": None, "tp": 0, "fp": 0, "fn": 0},
        "funnel": {"all": {"expected": 5, "in the chat": 4, "retrieved": 3}, "by_category": {}},
        "repeats": None,
    }


def _printed(results) -> list[str]:
    """The lines of a terminal of 80 cells."""
    out = StringIO()
    Console(file=out, width=80).print(summary(results))
    return out.getvalue().splitlines()


def _results():
    some = {"mean": 1 / 3, "median": 0.5, "std": None, "n": 1, "undefined": 1}
    names = ("evidence_recall", "evidence_f1", "recall@10")
    mode = _mode(**dict.fromkeys(names, some))
    return {"kind": "qa", "modes": {"agent": mode, "oneshot": mode}, "cases": [{"dataset": "set"}]}


def test_metrics_are_percentages_and_what_has_no_value_is_not_a_number():
    line = next(x for x in _printed(_results()) if x.startswith("evidence_recall"))

    assert line.split() == ["evidence_recall", *["33.3", "50.0", "n/a", "1", "1"] * 2]


def test_the_title_names_the_set_and_its_gold():
    assert _printed(_results())[0] == "set  2 QA cases (gold: 2 full), scores in %"


def test_a_case_that_was_asked_several_times_is_counted_once_and_its_runs_apart():
    results = _results()
    for mode in results["modes"].values():
        mode["repeats"] = {"n": 2, "metrics": {}}
    lines = _printed(results)

    assert lines[0] == "set  1 QA case, each asked 2 times (gold: 1 full), scores in %"
    assert any(x.startswith("med: median; n: runs with a value") for x in lines)
    assert "  on 0 of 0 runs with nothing to find, and on 0 with an answer" in lines


def test_an_interrupted_run_with_repeats_counts_runs():
    results = _results()
    for mode in results["modes"].values():
        mode["repeats"] = {"n": 5, "metrics": {}}

    assert _printed(results)[0] == "set  2 QA runs (gold: 2 full), scores in %"


def test_a_category_is_text_and_not_markup():
    assert any(x.startswith("[b]tricky[/b]") for x in _printed(_results()))


def test_abstention_without_cases_is_not_a_number():
    assert "agent: abstention precision n/a, recall n/a, f1 n/a" in _printed(_results())


def test_the_funnel_tells_what_each_stage_still_holds():
    assert "  expected 5  in the chat 4  retrieved 3" in _printed(_results())


def test_an_arc_expects_no_characters():
    results = _results() | {"kind": "arc"}
    held = {"expected": 5, "cited": 3, "span exact": 0}
    for mode in results["modes"].values():
        mode["funnel"] = {"all": held, "by_category": {}}
        mode["by_category"] = {}

    assert "  expected 5  cited 3" in _printed(results)


def test_repeats_tell_their_spread_over_runs_apart_from_that_over_cases():
    results = _results()
    of_f1 = {"over_runs": {"std": 0.01}, "over_cases": {"std": 0.4}}
    results["modes"]["agent"]["repeats"] = {"n": 3, "metrics": {"evidence_f1": of_f1}}

    assert "  evidence_f1 ±1.0 over runs, ±40.0 over cases" in _printed(results)


def test_abstention_is_told_in_cases():
    results = _results()
    results["modes"]["agent"]["abstention"] |= {"tp": 2, "fp": 3, "fn": 1}

    assert "  on 2 of 3 cases with nothing to find, and on 3 with an answer" in _printed(results)


def test_a_line_below_the_numbers_says_what_their_columns_count():
    assert any(x.startswith("med: median; n: cases with a value") for x in _printed(_results()))


def test_a_metric_and_its_value_are_never_on_two_lines():
    lines = _filled([f"metric_{n} 100.0%" for n in range(9)])

    assert max(map(len, lines)) <= 76
    assert "  ".join(lines).split("  ") == [f"metric_{n} 100.0%" for n in range(9)]
    assert all(line.endswith("%") for line in lines)


def test_what_a_terminal_would_obey_is_replaced():
    assert plain("a\x1b[2J\u202eb\n👨\u200d👩") == "a\ufffd[2J\ufffdb 👨\u200d👩"


def test_progress_is_silent_on_a_short_run_without_a_terminal(capsys):
    with progress(2) as shown:
        shown.enter("trip")
        shown.advance()
        shown.advance()

    assert capsys.readouterr() == ("", "")


def test_the_time_left_goes_by_the_runs_after_the_first_which_waits_for_its_index(capsys):
    # Begun at 0 s; the first run ends after 60 s, the second at 80 s, the third at 100 s.
    moments = iter([0.0, 60.0, 80.0, 100.0])
    shown = _Lines(13, clock=lambda: next(moments))
    for _ in range(3):
        shown.advance()

    # 20 s a run, for ten more.
    assert capsys.readouterr().err.splitlines() == [
        "sayso: 1 of 13 runs",
        "sayso: 3 of 13 runs, about 200 s left",
    ]
