"""Stems: the algorithm that is named, and nothing held between words."""

import pytest

from sayso.stemming import stemmed


@pytest.mark.parametrize(
    ("algorithm", "word", "stem"),
    [
        ("english", "running", "run"),
        ("english", "happily", "happili"),
        ("german", "häuser", "haus"),
        ("russian", "книгами", "книг"),
        ("english", "", ""),
    ],
)
def test_a_word_has_the_stem_of_its_language(algorithm: str, word: str, stem: str) -> None:
    assert stemmed(word, algorithm) == stem


def test_a_language_that_is_not_known_is_refused() -> None:
    with pytest.raises(KeyError):
        stemmed("word", "klingon")


def test_a_word_is_stemmed_as_if_it_were_the_first() -> None:
    alone = [stemmed(word, "english") for word in ("generously", "generous", "university")]
    assert [stemmed(word, "english") for word in ("university", "generous", "generously")] == [
        *reversed(alone)
    ]
