from types import SimpleNamespace

import numpy as np
import pytest

from sayso.errors import StoreError
from sayso.retrieval import pair_reader
from sayso.retrieval.embedder import MiniLM, tokenizer
from sayso.retrieval.pair_reader import (
    MOST_ASKED,
    MOST_AT_ONCE,
    MOST_READ,
    READER,
    PairReader,
    near,
    placed,
)

ASKED = "When did Ana move to Porto?"
ANSWER, LOOKS_SO, OTHER = (
    "we finally moved in last Saturday!", "do you want to move to Porto?", "the soup was cold",
)  # fmt: skip


@pytest.fixture(scope="module")
def reader():
    return PairReader()


def test_what_answers_is_worth_more_than_what_looks_so_and_that_more_than_anything(reader):
    answer, looks_so, other = reader.read(ASKED, [ANSWER, LOOKS_SO, OTHER])

    assert answer > looks_so > other


def test_a_text_is_worth_the_same_whatever_stands_beside_it(reader):
    together = reader.read(ASKED, [ANSWER, LOOKS_SO])

    assert together == [*reader.read(ASKED, [ANSWER]), *reader.read(ASKED, [LOOKS_SO])]
    assert reader.read(ASKED, []) == []


def test_texts_of_several_passes_are_told_in_their_order(reader):
    texts = [f"{'so it was ' * (i % 7)} {ANSWER if i % 3 else OTHER} {i}" for i in range(20)]

    assert reader.read(ASKED, texts) == [reader.read(ASKED, [text])[0] for text in texts]


def test_texts_without_words_and_texts_of_any_length_are_read(reader):
    found = reader.read("?", ["", "…", "word " * 10_000, "💡" * 500, "half a pair \udc00"])

    assert np.isfinite(found).all()
    assert np.isfinite(reader.read("where \ud800 " * 5000, [ANSWER])).all()


def test_of_a_text_of_any_length_no_more_is_tokenized_than_is_read(reader, monkeypatch):
    seen = []

    def counted(texts):
        seen.extend(map(len, texts))
        return tokenizer().encode_batch(texts)

    monkeypatch.setitem(
        reader.__dict__, "_tokenizer", SimpleNamespace(encode_batch=counted)
    )  # a cached property
    reader.read("why? " * 100_000, ["word " * 100_000])

    assert max(seen) < 20_000


def test_where_8_bit_integers_cannot_be_had_float32_says_nearly_the_same(reader):
    beside = MiniLM()
    beside.__dict__["_int8_graph"] = None  # a cached property: as on a processor without
    other = PairReader(beside)

    assert not beside.in_int8
    assert other.read(ASKED, [ANSWER, OTHER]) == pytest.approx(
        reader.read(ASKED, [ANSWER, OTHER]), abs=0.5
    )


def test_two_texts_are_laid_one_behind_the_other():
    ids, halves = placed([101, 7, 8, 102], [101, 9, 102])

    assert ids.tolist() == [101, 7, 8, 102, 9, 102]
    assert halves.tolist() == [0, 0, 0, 0, 1, 1]


def test_a_long_question_keeps_its_mark_and_both_are_cut_to_what_was_learned_from():
    ids, halves = placed([101, *range(1000, 1100), 102], [101, *range(2000, 2200), 102])

    assert len(ids) == len(halves) == MOST_READ
    assert halves.sum() == MOST_READ - MOST_ASKED
    assert ids[MOST_ASKED - 2 : MOST_ASKED + 1].tolist() == [1029, 102, 2000]


def stretch(text: str, room: int, *words: str) -> list[str]:
    """What is read of a text whose tokens are its words."""
    tokens = ["[CLS]", *text.split()]
    return [tokens[i] for i in near(words, range(len(tokens)), tokens, room)]


def test_of_a_long_message_the_stretch_with_most_of_the_questions_words_is_read():
    told = "so it was quite late when the ferry left from porto and then we all went home"

    assert stretch(told, 5, "ferry", "porto") == ["[CLS]", "ferry", "left", "from", "porto", "and"]
    assert stretch(told, 3, "ferry") == ["[CLS]", "the", "ferry", "left"]
    assert stretch(told, 3, "we", "so") == ["[CLS]", "so", "it", "was"]
    assert stretch(told, 3) == ["[CLS]", "so", "it", "was"]
    assert stretch("the ferry left", 3, "left") == ["[CLS]", "the", "ferry", "left"]


def test_what_answers_is_found_wherever_it_stands_in_a_long_message(reader, monkeypatch):
    around = "the soup was cold and nobody said a thing about it . " * 5
    seen = []
    hidden = PairReader._hidden

    def heard(of: PairReader, pairs):
        seen.extend(ids for ids, _ in pairs)
        return hidden(of, pairs)

    monkeypatch.setattr(PairReader, "_hidden", heard)

    reader.read(ASKED, [ANSWER + around, around + "we moved to Porto on 3 May . " + around])

    porto = tokenizer().encode("Porto").ids[1]
    assert [len(ids) for ids in seen] == [MOST_AT_ONCE] * 2
    assert np.count_nonzero(seen[1] == porto) == 2  # in the question, and in the message


def test_what_stands_at_the_end_of_a_message_is_read_however_long_that_is(reader):
    before = "the soup was cold and nobody said a thing about it . "

    short, long = reader.read(ASKED, [before * 10 + ANSWER, before * 200 + ANSWER])

    assert long == pytest.approx(short, abs=1e-6)


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    damaged = tmp_path / READER.name
    damaged.write_bytes(READER.read_bytes()[:-1] + b"\0")
    monkeypatch.setattr(pair_reader, "READER", damaged)

    with pytest.raises(StoreError, match=r"minilm-reader\.npy"):
        PairReader().read(ASKED, [ANSWER])
