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
