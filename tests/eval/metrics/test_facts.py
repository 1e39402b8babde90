from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics.facts import Clock, Day, Name, mentions, names_it, numerals, words

MONDAY = (Day(weekday=0), Name("monday"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("on 2023-05-08", [(Day(2023, 5, 8),)], id="iso"),
        pytest.param("on 2023/5/8", [(Day(2023, 5, 8),)], id="year first"),
        pytest.param("on 8 May 2023", [(Day(2023, 5, 8),)], id="day month year"),
        pytest.param("on the 8th of may, 2023", [(Day(2023, 5, 8),)], id="ordinal day of month"),
        pytest.param("on May 8, 2023", [(Day(2023, 5, 8),)], id="month day year"),
        pytest.param("on May 8", [(Day(None, 5, 8),)], id="month day"),
        pytest.param("on Sept. 8th", [(Day(None, 9, 8),)], id="short month"),
        pytest.param("in May 2023", [(Day(2023, 5),)], id="month year"),
        pytest.param("in May", [(Day(None, 5), Name("may"))], id="month"),
        pytest.param("in 2023", [(Day(2023), Decimal(2023))], id="year"),
        pytest.param("on the 8th", [(Day(day=8), Decimal(8))], id="day"),
        pytest.param("on Monday", [MONDAY], id="weekday"),
        pytest.param("on mondays", [MONDAY], id="weekdays"),
        pytest.param("on 13/5/2023", [(Day(2023, 5, 13),)], id="day first, it must be"),
        pytest.param("on 5.8.23", [(Day(2023, 8, 5), Day(2023, 5, 8))], id="either order"),
        pytest.param("2023年5月8日", [(Day(2023, 5, 8),)], id="chinese date"),
        pytest.param("5月8号", [(Day(None, 5, 8),)], id="chinese day"),
        pytest.param("on 29 Feb", [(Day(None, 2, 29),)], id="leap day"),
        pytest.param("at 19:04", [(Clock(7, 4),)], id="time"),
        pytest.param("at 7:30 p.m.", [(Clock(7, 30),)], id="time with pm"),
        pytest.param("at 7pm", [(Clock(7, 0), Decimal(7))], id="hour"),
        pytest.param("at 12 am", [(Clock(0, 0), Decimal(12))], id="midnight"),
    ],
)
def test_dates_and_times_are_read(text, found):
    assert mentions(text) == found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        pytest.param("3 cats", ["3"], id="digits"),
        pytest.param("three cats and Twelve dogs", ["3", "12"], id="words"),
        pytest.param("the one with no one", [], id="one is a pronoun"),
        pytest.param("1,200 and 1200.50", ["1200", "1200.5"], id="thousands"),
        pytest.param("3,5 km", ["3.5"], id="decimal comma"),
        pytest.param("٣ and ３", ["3", "3"], id="other digits"),
        pytest.param("often weighty", [], id="words within words"),
        pytest.param("30 Feb", ["30"], id="a day that does not exist"),
        pytest.param("at 25:99", ["25", "99"], id="a time that does not exist"),
    ],
)
def test_numbers_are_read(text, numbers):
    read = [m[0] for m in mentions(text) if isinstance(m[0], Decimal)]

    assert read == [Decimal(number) for number in numbers]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("They met Tom in Paris.", ["tom", "paris"], id="capitalised"),
        pytest.param("Yes. Then they left! Why? So: Because", [], id="sentence starts"),
        pytest.param('They said "Went home" and “Then slept”', [], id="quotation starts"),
        pytest.param('"Went home." Then slept', [], id="after a quotation"),
        pytest.param("so\nThen\n- Tea", [], id="new lines"),
        pytest.param("and I'm sure I’ll go, as I said", [], id="I"),
        pytest.param("at Tom's and Jean-Luc’s", ["tom", "jean-luc"], id="possessive"),
        pytest.param("they may march, will hope", [], id="lower case"),
        pytest.param("in Zürich with Ćiro", ["zürich", "ćiro"], id="accents"),
    ],
)
def test_names_are_capitalised_words_within_a_sentence(text, names):
    assert [m[-1].text for m in mentions(text) if isinstance(m[-1], Name)] == names


def test_participants_are_names_wherever_they_stand():
    people = ["Emi", "Will", "Ana Maria", "小明"]

    assert mentions("Emi left", people) == [(Name("emi"),)]
    assert mentions("小明说他到了", people) == [(Name("小明"),)]
    assert (Name("ana maria"),) in mentions("So Ana Maria left", people)
    assert mentions("it will do, Emily", ["Emi", "Will"]) == [(Name("emily"),)]


def test_a_day_fits_one_that_says_all_it_says():
    monday = Day.of(date(2023, 5, 8))

    assert monday == Day(2023, 5, 8, 0)
    for said in (Day(2023), Day(None, 5, 8), Day(weekday=0), monday):
        assert said.fits(monday)
    for said in (Day(2022), Day(None, 5, 9), Day(weekday=1)):
        assert not said.fits(monday)
    assert not Day(2023, 5, 8).fits(Day(2023, 5))


def test_sources_are_read_generously():
    assert numerals("8 May, one at 7:30, 十二 and 两") == {Decimal(n) for n in (8, 1, 7, 30, 12, 2)}
    assert words("Jean-Luc's DOG") == {"jean-luc", "jean", "luc", "dog"}
    assert names_it("ana maria", "ask Ana Maria!")
    assert not names_it("ana", "banana")
    assert names_it("小明", "我和小明去")


@given(st.text())
def test_any_text_can_be_read(text):
    mentions(text, [text, "Emi"])
    numerals(text)
