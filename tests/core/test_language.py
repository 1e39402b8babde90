import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.language import NAMES, language_of, reads, reads_english, reads_query

SAID = {
    "en": ("I am at home now", "are you coming tomorrow?", "yes"),
    "zh": ("我到家了", "明天去看电影吗", "OK"),
    "ja": ("今日は何をしますか", "映画を見に行きます", "東京"),
    "ko": ("안녕 뭐해", "오늘 학교 갔어"),
    "es": ("¿Qué tal estás?", "Mañana voy a la playa con mi hermana", "jajaja", "vale"),
    "de": ("Ich bin gleich da", "Hast du den Schlüssel?", "ja", "haha ok"),
    "fr": ("Je suis en retard", "Tu viens ce soir ?", "On se retrouve à la gare"),
    "it": ("Ciao come stai?", "Domani vado al mare con mia sorella", "Che ore sono?"),
    "pt": ("Oi, tudo bem?", "Amanhã eu vou para a praia", "você vem?", "não sei"),
    "nl": ("Hoi hoe gaat het?", "Ik ga morgen naar het strand", "Waar ben je?"),
    "pl": ("Jestem w domu, a ty gdzie jesteś?", "nie wiem", "już jadę"),
    "tr": ("ben evdeyim sen ne yapıyorsun", "çok güzel bir gün"),
    "sv": ("Jag är hemma och du?", "det är inte bra"),
    "ru": ("Привет, как дела?", "завтра еду на море"),
    "uk": ("Привіт, як справи?", "де ти"),
    "ar": ("مرحبا كيف حالك", "أنا في البيت"),
    "hi": ("नमस्ते कैसे हो",),
    "th": ("สวัสดีครับ",),
}


@pytest.mark.parametrize("language", SAID)
def test_a_chat_is_in_the_language_that_most_of_it_is_written_in(language):
    assert language_of(SAID[language]) == language


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param((), id="no message"),
        pytest.param(("😀", "123", "", "?!"), id="no letter"),
        pytest.param(("ok", "lol", "kayak"), id="nothing that tells"),
    ],
)
def test_where_nothing_tells_it_is_english(texts):
    assert language_of(texts) == "en"


def test_half_of_two_languages_is_mixed():
    assert language_of(SAID["en"] + SAID["zh"]) == "mixed"
    assert language_of((*SAID["en"], *SAID["es"])) == "mixed"


def test_a_few_messages_in_another_language_do_not_make_a_chat_mixed():
    assert language_of(SAID["en"] * 5 + SAID["zh"]) == "en"
    assert language_of(SAID["zh"] * 5 + SAID["en"]) == "zh"


def test_english_words_among_chinese_are_chinese():
    assert language_of(("我今天刚买了 iPhone 和 MacBook Pro", "wifi密码是多少")) == "zh"


def test_latin_letters_without_known_function_words_are_another_language():
    assert (
        language_of(["Ninakupenda sana rafiki yangu mpendwa", "Habari gani leo asubuhi"] * 10)
        == "other"
    )


def test_a_long_chat_is_told_by_a_sample_of_it():
    assert language_of(["我到家了"] * 300_000) == "zh"


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("Who teaches violin?", True),
        ("Lisbon kayak", True),
        ("Where is 北京?", True),
        ("Who is it that sang La casa de mi padre?", True),
        ("谁送的长凳?", False),
        ("¿Dónde trabaja mi hermana?", False),
        ("Wo ist der Schlüssel?", False),
        ("где ключ", False),
        ("😀", False),
        ("", False),
    ],
)
def test_a_query_is_english_by_its_letters_and_function_words(query, read):
    assert reads_english(query) is read
    assert reads_query(frozenset({"en"}), query) is read


def test_a_reader_of_all_languages_reads_everything():
    assert reads(None, "zh")
    assert reads_query(None, "谁送的长凳?")


def test_a_reader_of_some_languages_reads_these_and_mixed_chats():
    some = frozenset({"en", "ru"})

    assert [reads(some, x) for x in ("en", "ru", "mixed", "zh", "other")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert reads_query(some, "где ключ")
    assert not reads_query(some, "谁送的")
    assert not reads(frozenset(), "en")


@given(st.lists(st.text(max_size=30), max_size=20))
def test_any_texts_have_a_language_with_a_name(texts):
    assert language_of(texts) in NAMES
