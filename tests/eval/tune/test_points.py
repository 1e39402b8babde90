import pytest

from eval.significance import Pair, difference
from eval.tune.points import gain_of, gains, overall, points, unread


def gain(*changes: float, groups: int = 1, p: float | None = None):
    pairs = [(f"c{n}", Pair(f"g{n % groups}", 0.0, change)) for n, change in enumerate(changes)]
    told = difference([pair for _, pair in pairs])
    return gain_of("toy", pairs, told, p=told.p_by_case if p is None else p)


def test_ten_cases_that_all_gain_are_a_gain():
    assert gain(*[0.2] * 10).verdict == "higher"


def test_ten_cases_that_all_lose_are_a_loss():
    assert gain(*[-0.2] * 10).verdict == "lower"


def test_five_cases_that_all_gain_may_be_chance():
    # Of 32 patterns of signs two are as far out: p = 1/16.
    assert gain(*[0.2] * 5).p == pytest.approx(0.0625)
    assert gain(*[0.2] * 5).verdict == "no difference"


def test_an_interval_that_holds_0_is_no_difference():
    mixed = gain(0.5, -0.5, 0.5, -0.4, 0.3, -0.5, 0.5, -0.3, 0.4, -0.4, p=0.001)

    assert mixed.low < 0 < mixed.high
    assert mixed.verdict == "no difference"


def test_one_conversation_gives_no_interval_without_width():
    varied = gain(0.0, 0.0, 0.0, 0.6, 0.6, 0.0)

    assert varied.difference.interval.low == varied.difference.interval.high
    assert varied.low < varied.high


def test_a_loss_on_one_data_set_outweighs_a_gain_on_another():
    assert overall([gain(*[0.2] * 10), gain(*[-0.2] * 10)]) == "lower"
    assert overall([gain(*[0.2] * 10), gain(0.0, 0.0)]) == "higher"
    assert overall([]) == "no difference"


def test_several_candidates_are_corrected_for_their_number(trials_with, obeying, prompts, cases):
    rows = trials_with(obeying()).run(prompts, cases[:8])
    better = [
        row.__class__(**{**vars(row), "metrics": {**row.metrics, "evidence_f1": 1.0}})
        for row in rows[:6]
    ]
    six_of_eight = (*better, *rows[6:])

    alone = gains(rows, {"a": six_of_eight}, "evidence_f1")["a"][0]
    among = gains(rows, dict.fromkeys("abcd", six_of_eight), "evidence_f1")["a"][0]

    assert alone.p == pytest.approx(2 / 2**6)
    assert among.p == pytest.approx(4 * 2 / 2**6)
    assert (alone.verdict, among.verdict) == ("higher", "no difference")


def test_a_failed_case_is_worth_nothing_and_rightly_finding_nothing_is_worth_all(
    trials_with, obeying, prompts, cases
):
    (row,) = trials_with(obeying()).run(prompts, cases[:1])

    def like(**changes):
        return row.__class__(**{**vars(row), **changes})

    assert points(row, "evidence_f1") == pytest.approx(2 / 3)
    assert points(like(error="timeout", trail=None), "evidence_f1") == 0.0
    assert points(like(gold="none", abstained=True), "evidence_f1") == 1.0
    assert points(like(gold="none", abstained=False), "evidence_f1") == 0.0
    assert points(like(gold="unreachable"), "evidence_f1") is None


def test_a_reply_that_does_not_fit_is_seen_in_the_trail(
    trials_with, obeying, with_rule, prompts, cases
):
    from eval.tune.versions import in_set

    spoilt = in_set(prompts, with_rule(more="Write prose."))
    (row,) = trials_with(obeying(unread="Write prose.")).run(spoilt, cases[:1])

    assert unread(row, "oneshot/q4")
    assert not unread(row, "oneshot/q1")
