import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics.answers import exact_match, token_f1, tokens


@pytest.mark.parametrize(
    ("ours", "gold"),
    [
        pytest.param("The Red Bike.", "red bike", id="case, articles, punctuation"),
        pytest.param("8 May 2023", "2023-05-08", id="a day in two writings"),
        pytest.param("on May 8, 2023", "On the 8th of May 2023", id="the same day in words"),
        pytest.param("May 2023", "2023年5月", id="a month in two languages"),
        pytest.param("1,000", "1000.0", id="a number in two writings"),
        pytest.param("Ana's", "Ana’s", id="two apostrophes"),
        pytest.param("ＡＮＡ", "ana", id="full width"),
        pytest.param("北京。", "北京", id="Chinese full stop"),
        pytest.param("", "the", id="nothing"),
    ],
)
def test_what_says_the_same_matches_exactly(ours, gold):
    assert exact_match(ours, gold) == 1.0
    assert token_f1(ours, gold) == 1.0


@pytest.mark.parametrize(
    ("ours", "gold", "f1"),
    [
        pytest.param("a red bike", "a blue bike", 0.5, id="1 of 2 and 1 of 2"),
        pytest.param("red red bike", "red bike", 0.8, id="a word counts as often as in both"),
        pytest.param("in May 2023", "8 May 2023", 0.0, id="a month is not its day"),
        pytest.param("8 May 2022", "8 May 2023", 0.0, id="another year is another day"),
        pytest.param("北京", "上海", 0.0, id="other characters"),
        pytest.param("东京塔", "东京", 0.8, id="2 of 3 and 2 of 2 characters"),
        pytest.param("", "bike", 0.0, id="nothing said"),
        pytest.param("bike", "", 0.0, id="nothing expected"),
    ],
)
def test_what_differs_shares_its_tokens(ours, gold, f1):
    assert exact_match(ours, gold) == 0.0
    assert token_f1(ours, gold) == pytest.approx(f1)


def test_a_day_without_its_year_stays_words():
    assert tokens("on 8 May") == ["on", "8", "may"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_f1_lies_between_0_and_1_and_is_symmetric(ours, gold):
    assert 0.0 <= token_f1(ours, gold) <= 1.0
    assert token_f1(ours, gold) == token_f1(gold, ours)


@given(st.text(max_size=60))
def test_a_text_equals_itself(text):
    assert exact_match(text, text) == 1.0
