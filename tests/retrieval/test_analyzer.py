import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.core.language import NAMES
from sayso.retrieval import analyzer
from sayso.retrieval.analyzer import terms, word_count, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Kayak KAYAK", ["kayak", "kayak"], id="case and repeats"),
        pytest.param("kayaking kayaks kayaked", ["kayak"] * 3, id="stems"),
        pytest.param("ＫＡＹＡＫ №５ ﬁsh", ["kayak", "no5", "fish"], id="compatibility forms"),
        pytest.param("Cafe\u0301 café", ["café", "café"], id="accents in parts"),
        pytest.param("what's up? (AND", [], id="operators are words like any"),
        pytest.param('"red" OR kayak* -blue', ["red", "kayak", "blue"], id="quotes and marks"),
        pytest.param("O'Brien o’brien OBrien", ["obrien"] * 3, id="apostrophes"),
        pytest.param("Ana's kayak's", ["ana", "kayak"], id="possessives"),
        pytest.param("don't DON’T dont", [], id="contractions are stop words"),
        pytest.param("the of and is who", [], id="stop words"),
        pytest.param("at 5 on 2024", ["5", "2024"], id="numbers stay"),
        pytest.param("nice 😀🦄", ["nice", "😀", "🦄"], id="emoji"),
        pytest.param("去北京", ["去", "北", "京", "去北", "北京"], id="Chinese"),
        pytest.param("京", ["京"], id="one character"),
        pytest.param("我在Bar吃饭", ["bar", "吃", "饭", "吃饭"], id="mixed"),
        pytest.param("什么时候", ["时", "候", "么时", "时候"], id="Chinese question words"),
        pytest.param("你的", [], id="Chinese function characters"),
        pytest.param("ＡＢＣ北京", ["abc", "北", "京", "北京"], id="full width beside Chinese"),
        pytest.param("북한", ["북", "한", "북한"], id="Korean"),
        pytest.param("snake_case", ["snake", "case"], id="underscore parts"),
        pytest.param("?!… \n\t", [], id="nothing but marks"),
        pytest.param("", [], id="empty"),
    ],
)
def test_a_text_becomes_its_search_terms(text, expected):
    assert terms(text) == expected


def test_words_keep_stop_words_and_endings():
    assert words("What's the kayaks' price? 北京") == [
        "what's",
        "the",
        "kayaks",
        "price",
        "北",
        "京",
    ]


@given(st.text(max_size=60))
@example("\ud800")
@example("A\u0301\u0302")
@example("ﷺ" * 5)
@example("what's up? (AND")
def test_no_text_breaks_it_and_no_term_is_empty_or_holds_white_space(text):
    found = terms(text)

    assert all(found)
    assert not any(c.isspace() for term in found for c in term)
    assert terms(unicodedata.normalize("NFKC", text)) == found
    assert terms(text) == found


@given(st.text(alphabet="北京去吃饭", min_size=1, max_size=12))
def test_a_run_of_n_characters_gives_n_and_n_less_one_pairs(run):
    found = terms(run)

    assert found[: len(run)] == list(run)
    assert found[len(run) :] == [run[i : i + 2] for i in range(len(run) - 1)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param("es", "¿Dónde viven mis hermanas?", ["viv", "herman"], id="Spanish"),
        pytest.param("de", "Die Häuser waren nicht teuer", ["haus", "teu"], id="German"),
        pytest.param("fr", "l'amour qu'il aime", ["amour", "aim"], id="French articles"),
        pytest.param("it", "dell'arte", ["arte"], id="Italian articles"),
        pytest.param("nl", "Waar zijn de katten?", ["kat"], id="Dutch"),
        pytest.param("pt", "Você não tem casas?", ["cas"], id="Portuguese"),
        pytest.param("ru", "друзья друзей", ["друз", "друз"], id="Russian"),
        pytest.param("hi", "हिन्दी", ["हिन्द"], id="vowel signs stay in their word"),
        pytest.param("ja", "の映画", ["映", "画", "の映", "映画"], id="Japanese particles"),
        pytest.param("zh", "the kayaks", ["kayak"], id="English among Chinese"),
        pytest.param("mixed", "the kayaks", ["kayak"], id="several languages"),
        pytest.param("es", "the bus", ["the", "bus"], id="English words are words elsewhere"),
    ],
)
def test_words_are_stemmed_and_dropped_by_the_language_of_the_chat(language, text, expected):
    assert terms(text, language) == expected


@given(st.text(max_size=40), st.sampled_from(sorted(NAMES)))
def test_no_language_breaks_on_any_text(text, language):
    assert all(terms(text, language))


def test_threads_that_stem_at_once_get_the_stems_of_one():
    vocabulary = [
        f"{a}{b}ization{c}" for a in "abcdefg" for b in "aeiou" for c in ("", "s", "ally")
    ]
    alone = [terms(word) for word in vocabulary]
    analyzer._term.cache_clear()
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(
                pool.map(lambda n: [terms(w) for w in vocabulary[n:] + vocabulary[:n]], range(8))
            )
    finally:
        sys.setswitchinterval(switch)

    assert [part[-n:] + part[:-n] if n else part for n, part in enumerate(found)] == [alone] * 8


@example("O'Brien's 'quoted' snake_case_name a.b'c 24'7 ''x''")
@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_give_the_same_terms_beside_others(text):
    assert terms(f"{text} ——") == terms(text)


@pytest.mark.parametrize(
    ("text", "words_in_it"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("the red kayak", 2, id="words"),
        pytest.param("去北京吃饭", 2.5, id="characters"),
        pytest.param("吃饭 Blue Bar", 3, id="both"),
        pytest.param("tea 🍵 tea", 3, id="an emoji"),
    ],
)
def test_characters_are_half_a_word(text, words_in_it):
    assert word_count(terms(text)) == words_in_it
