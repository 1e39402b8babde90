from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.sentences import content_words, sentences


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="marks"),
        pytest.param("no mark at all", ["no mark at all"], id="no mark"),
        pytest.param("Really?! Yes…", ["Really?!", "Yes…"], id="several marks"),
        pytest.param('She said "go." Then left.', ['She said "go."', "Then left."], id="quoted"),
        pytest.param("It cost 3.50 in the U.K. then", ["It cost 3.50 in the U.K.", "then"], id="number"),
        pytest.param("line one\n\nline two", ["line one", "line two"], id="lines"),
        pytest.param("去了。好玩！真的？", ["去了。", "好玩！", "真的？"], id="Chinese marks"),
        pytest.param("好吗?好的!走", ["好吗?", "好的!", "走"], id="ASCII marks in Chinese"),
        pytest.param("ab 1. April um 85 Euro. Gut", ["ab 1. April um 85 Euro.", "Gut"], id="German day"),
        pytest.param("am 11. märz", ["am 11. märz"], id="small month"),
        pytest.param("vom 3. bis 5. Juli", ["vom 3. bis 5. Juli"], id="from day to day"),
        pytest.param("am 1.7. um acht", ["am 1.7. um acht"], id="day and month"),
        pytest.param("I was 30. Then", ["I was 30.", "Then"], id="number at the end"),
        pytest.param("i was 30. then we left", ["i was 30.", "then we left"], id="all small"),
        pytest.param("We were 5. May I come?", ["We were 5.", "May I come?"], id="no month"),
        pytest.param("It was $30. spent", ["It was $30.", "spent"], id="price"),
        pytest.param("Ask Dr. Patel. Or Mr. Smith", ["Ask Dr. Patel.", "Or Mr. Smith"], id="titles"),
        pytest.param("in St. Pauli", ["in St. Pauli"], id="saint"),
        pytest.param("z.B. Tee, d. h. heiß", ["z.B. Tee, d. h. heiß"], id="German abbreviations"),
        pytest.param("e.g. tea, approx. 5", ["e.g. tea, approx. 5"], id="English abbreviations"),
        pytest.param("No. 5 it is", ["No. 5 it is"], id="numbered"),
        pytest.param("No. I stay", ["No.", "I stay"], id="no number"),
        pytest.param("tea etc. was fine", ["tea etc. was fine"], id="and so on"),
        pytest.param("tea etc. Then", ["tea etc.", "Then"], id="and so on, at the end"),
        pytest.param("see https://a.example/x?y=1!z ok", ["see https://a.example/x?y=1!z ok"], id="address"),
        pytest.param("  padded.  ", ["padded."], id="white space around"),
        pytest.param("", [], id="empty"),
        pytest.param(" \n ", [], id="blank"),
    ],
)  # fmt: skip
def test_a_text_falls_into_its_sentences(text, expected):
    assert parts(text) == expected


@given(st.text(alphabet=st.sampled_from('aB .!?…\n。？！"” 好😀'), max_size=40))
def test_sentences_are_ordered_trimmed_and_lose_nothing_but_white_space(text):
    spans = sentences(text)

    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(text[s:e] == text[s:e].strip() != "" for s, e in spans)
    assert "".join("".join(p.split()) for p in parts(text)) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("What did the Kayak cost?", ("kayak", "cost"), id="stop words go"),
        pytest.param("Tea, tea and TEA", ("tea",), id="each once"),
        pytest.param("I don’t know O’Brien", ("know", "o'brien"), id="apostrophes"),
        pytest.param("去北京 with Bo", ("去北", "北京", "bo"), id="Chinese in pairs"),
        pytest.param("is it of the", (), id="nothing but stop words"),
        pytest.param("", (), id="empty"),
    ],
)
def test_content_words_are_what_a_text_is_about(text, expected):
    assert content_words(text) == expected
