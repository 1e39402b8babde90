import math

import pytest

from eval.risk import COVERAGES, risk_table, risks


def test_the_surest_are_answered_first_and_risk_is_what_these_lose():
    told = [(0.9, 1.0), (0.8, 0.5), (0.7, 1.0), (0.6, 0.0), (0.5, 0.0)]

    by = dict(zip(COVERAGES, risks(told), strict=True))

    assert by[1.0] == pytest.approx(1 - 2.5 / 5)
    assert by[0.9] == by[1.0]  # 4.5 of five questions are five
    assert by[0.8] == pytest.approx(1 - 2.5 / 4)
    assert by[0.6] == pytest.approx(1 - 2.5 / 3)
    assert by[0.5] == by[0.6]


def test_of_equally_sure_questions_the_order_does_not_matter():
    told = [(0.5, 1.0), (0.5, 0.0), (0.5, 0.0), (0.5, 1.0)]

    assert risks(told) == risks(told[::-1]) == [pytest.approx(0.5)] * len(COVERAGES)


def test_no_question_has_no_risk_that_could_be_told():
    assert all(math.isnan(risk) for risk in risks([]))


def test_a_table_has_a_row_a_set_and_a_column_a_coverage():
    shown = risk_table("t", {"b": [(0.9, 1.0), (0.1, 0.0)], "a": [(0.5, 0.25)]})

    cells = [list(column.cells) for column in shown.columns]
    assert cells[0] == ["a (1)", "b (2)"]
    assert cells[1] == ["75.0", "50.0"]
    assert cells[-1] == ["75.0", "0.0"]
    assert len(cells) == 1 + len(COVERAGES)
