import os
from pathlib import Path

import numpy as np
import pytest

from sayso.errors import StoreError
from sayso.retrieval import embedding
from sayso.retrieval.embedder import Encoded
from sayso.retrieval.embedding import embed_missing, hashes_of, keys_of
from sayso.retrieval.surroundings import surroundings
from sayso.retrieval.wordless import Wordless
from tests.retrieval.conftest import WordBags

TEXTS = [f"{'word ' * (i % 4)}text {i}" for i in range(10)]

APART = range(len(TEXTS))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(embedding, "CHUNK", 3)


@pytest.fixture
def embed(tmp_path):
    """Embeds what is missing, with chunks in one folder; the vectors and how many still lack."""

    def made(texts, embedder, *, session=None, known=None, progress=None, patience=None):
        done = embed_missing(
            texts,
            session or range(len(texts)),
            embedder,
            tmp_path / "chunks",
            known=known,
            progress=progress,
            patience=patience,
        )
        return done.encoded, done.missing

    return made


def alike(one, other) -> bool:
    return all(
        np.array_equal(getattr(one, n), getattr(other, n))
        for n in ("vectors", "tokens", "counts", "contexts")
    )


def stored(folder) -> list:
    return sorted((folder / "chunks").glob("*.npz"))


def state(hashes, former) -> dict:
    """What an earlier state of a chat is stored as."""
    return {
        "hashes": hashes,
        "vectors": former.vectors,
        "contexts": former.contexts,
        "tokens": former.tokens,
        "starts": np.concatenate([[0], np.cumsum(former.counts)]),
    }


def test_vectors_come_in_the_order_of_the_texts(embed, word_bags):
    encoded, missing = embed(TEXTS, word_bags)

    assert missing == 0
    assert alike(encoded, word_bags.among(TEXTS))


def test_equal_texts_are_embedded_once(embed, word_bags):
    texts = ["ok", "red kayak", "ok", "ok", ""]

    encoded, _ = embed(texts, word_bags)

    assert sorted(word_bags.seen) == ["", "ok", "red kayak"]
    assert alike(encoded, word_bags.among(texts))


def test_no_texts_have_no_vectors(embed, word_bags):
    encoded, missing = embed([], word_bags)

    assert (encoded.vectors.shape, encoded.tokens.shape, missing) == ((0, 16), (0, 96), 0)


def test_an_interruption_loses_no_stored_chunk(embed, word_bags, tmp_path):
    broken = type(word_bags)(calls=2)
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, broken)
    assert len(broken.seen) == 6
    assert len(stored(tmp_path)) == 2

    encoded, missing = embed(TEXTS, word_bags)

    assert missing == 0
    assert sorted(word_bags.seen) == sorted(set(TEXTS) - set(broken.seen))
    assert alike(encoded, word_bags.among(TEXTS))


@pytest.mark.parametrize("damage", ["flipped", "emptied", "renamed"])
def test_a_damaged_chunk_is_thrown_away_and_embedded_again(damage, embed, word_bags, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, type(word_bags)(calls=2))
    path = stored(tmp_path)[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    if damage == "renamed":
        path.rename(path.with_name(f"{'0' * 64}.npz"))
    else:
        path.write_bytes(b"" if damage == "emptied" else bytes(data))

    encoded, _ = embed(TEXTS, word_bags)

    assert len(word_bags.seen) == 10 - 3
    assert alike(encoded, word_bags.among(TEXTS))


def test_chunks_that_another_process_clears_away_as_they_are_listed_are_embedded_again(
    word_bags, tmp_path, monkeypatch
):
    def cleared(chunks, pattern):
        assert pattern == "*.npz"
        chunks.rmdir()
        return (path for path in os.scandir(chunks))

    (tmp_path / "chunks").mkdir()
    monkeypatch.setattr(Path, "glob", cleared)

    found = embed_missing(
        ["tea", "coffee"],
        [0, 1],
        word_bags,
        tmp_path / "chunks",
        known=None,
        progress=None,
        patience=None,
    )

    assert found.missing == 0
    assert found.encoded.vectors.any(axis=1).all()


def test_a_text_is_known_by_what_it_is_read_among_too(embed, word_bags):
    texts, session = ["tea?", "ok", "coffee?", "ok", "tea?", "ok"], [0, 0, 1, 1, 2, 2]

    encoded, _ = embed(texts, word_bags, session=session)

    assert sorted(word_bags.seen) == ["coffee?", "ok", "ok", "tea?"]
    assert alike(encoded, word_bags.among(texts, session))
    assert (encoded.contexts[1] != encoded.contexts[3]).any()
    assert (encoded.contexts[1] == encoded.contexts[5]).all()


def test_of_a_chat_that_has_grown_what_stands_near_its_end_is_embedded_again(embed, word_bags):
    texts = [f"word{i} " * 20 for i in range(30)]
    around = surroundings(texts, [0] * 30)
    former = word_bags.among(texts, [0] * 30)
    known = state(keys_of(around), former)

    encoded, _ = embed([*texts, "new"], word_bags, session=[0] * 31, known=known)

    near = [one.text for one in around if len(one.after) < len(around[0].after)]
    assert word_bags.seen == [*near, "new"]
    assert 0 < len(near) < 5
    assert alike(encoded, word_bags.among([*texts, "new"], [0] * 31))


def test_an_embedder_that_reads_a_text_alone_embeds_it_once_whatever_is_beside_it(embed):
    alone = Alone()

    encoded, _ = embed(["tea?", "ok", "coffee?", "ok"], alone, session=[0, 0, 0, 0])

    assert sorted(alone.seen) == ["coffee?", "ok", "tea?"]
    assert encoded.contexts.shape == (4, 0)


def test_what_is_known_is_not_embedded_again(embed, word_bags):
    former = word_bags.among(TEXTS[:4])
    known = state(keys_of(surroundings(TEXTS[:4], APART[:4])), former)

    encoded, _ = embed(TEXTS, word_bags, known=known)

    assert sorted(word_bags.seen) == sorted(TEXTS[4:])
    assert alike(encoded, word_bags.among(TEXTS))


def test_beyond_patience_nothing_is_embedded_and_every_message_without_a_vector_counts(
    embed, word_bags
):
    texts = ["ok", "red kayak", "ok", "tea"]

    encoded, missing = embed(texts, word_bags, patience=2)

    assert (missing, word_bags.seen) == (4, [])
    assert not encoded.vectors.any()
    assert encoded.counts.tolist() == [0, 0, 0, 0]


def test_within_patience_everything_is_embedded(embed, word_bags):
    _, missing = embed(["ok", "red kayak", "ok", "tea"], word_bags, patience=3)

    assert missing == 0


def test_what_was_stored_before_is_there_beyond_patience(embed, word_bags):
    broken = type(word_bags)(calls=1)
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, broken)

    encoded, missing = embed(TEXTS, word_bags, patience=0)

    assert missing == 7
    has_vector = [bool(v.any()) for v in encoded.vectors]
    assert has_vector == [t in broken.seen for t in TEXTS]


def test_progress_begins_with_what_is_there_and_ends_with_all(embed, word_bags):
    heard: list[tuple[int, int]] = []
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, type(word_bags)(calls=1))

    embed([*TEXTS, TEXTS[0]], word_bags, progress=lambda *at: heard.append(at))

    assert heard == [(4, 11), (7, 11), (10, 11), (11, 11)]


def test_progress_is_silent_where_nothing_is_missing(embed, word_bags):
    heard: list[tuple[int, int]] = []
    embed([], word_bags, progress=lambda *at: heard.append(at))

    assert heard == []


class Narrow(WordBags):
    """Another model under the same name: its vectors are half as long."""

    dimensions = 8


def known_by(embedder, texts) -> dict:
    former = embedder.among(texts)
    return {
        "hashes": keys_of(surroundings(texts, range(len(texts)))),
        "vectors": former.vectors,
        "contexts": former.contexts,
        "tokens": former.tokens,
        "starts": np.concatenate([[0], np.cumsum(former.counts)]),
    }


def test_known_vectors_of_another_length_are_not_used_and_are_told(word_bags, tmp_path):
    narrow, known = Narrow(), known_by(word_bags, TEXTS[:4])

    done = embed_missing(
        TEXTS,
        APART,
        narrow,
        tmp_path / "chunks",
        known=known,
        progress=None,
        patience=None,
    )

    assert (done.unlike, done.missing) == (16, 0)
    assert sorted(narrow.seen) == sorted(TEXTS)
    assert alike(done.encoded, narrow.among(TEXTS))


def test_a_chunk_of_another_length_is_not_used_whichever_is_read_first(embed, word_bags, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, type(word_bags)(calls=2))
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, Narrow(calls=2))
    narrow = Narrow()

    done = embed_missing(
        TEXTS, APART, narrow, tmp_path / "chunks", known=None, progress=None, patience=None
    )

    assert done.unlike == 16
    assert len(narrow.seen) == 10 - 6
    assert alike(done.encoded, narrow.among(TEXTS))


class Alone:
    """An embedder that cannot read a text after another."""

    name, dimensions, languages, centred, worded = "alone", 16, None, False, False

    def __init__(self):
        self._bags, self.seen = WordBags(), []

    def encode(self, texts, progress=None):
        self.seen.extend(texts)
        return self._bags.encode(texts)

    def encode_queries(self, texts):
        return self._bags.encode_queries(texts)


class Zeros(WordBags):
    """An embedder that has nothing to say of any text."""

    def _bags(self, texts):
        made = super()._bags(texts)
        return Encoded.alone(np.zeros_like(made.vectors), made.tokens, made.counts)


def test_nothing_but_zeros_for_words_is_an_error_and_is_not_stored(embed, tmp_path):
    with pytest.raises(StoreError, match="word-bags: the vectors of 3 texts are all zeros"):
        embed(TEXTS, Zeros())

    assert stored(tmp_path) == []


def test_zeros_for_marks_or_beside_other_vectors_are_none(embed, word_bags):
    assert embed(["?!", "😀", ""], Zeros())[1] == 0

    known = known_by(word_bags, ["kayak"])
    assert embed(["kayak", "tea"], Zeros(), known=known)[1] == 0


def test_known_vectors_that_are_nothing_but_zeros_are_embedded_anew(embed, word_bags):
    encoded, _ = embed(TEXTS, word_bags, known=known_by(Zeros(), TEXTS))

    assert sorted(word_bags.seen) == sorted(TEXTS)
    assert alike(encoded, word_bags.among(TEXTS))


def test_an_embedder_that_reads_nothing_may_have_zeros_alone(embed):
    encoded, missing = embed(TEXTS, Wordless())

    assert (encoded.vectors.any(), missing) == (False, 0)


def test_texts_that_differ_have_other_digests_whatever_they_hold():
    texts = ["", "a", "A", "a ", "\ud83d", "北京", "😀"]

    assert len(set(hashes_of(texts).tolist())) == len(texts)
    assert hashes_of(texts).tolist() == hashes_of(texts).tolist()


def test_texts_that_look_like_several_are_told_from_these(embed, word_bags):
    texts, session = ["kayak", "b", "kayak\0b", "kayak b"], [0, 0, 1, 2]

    encoded, missing = embed(texts, word_bags, session=session)

    assert missing == 0
    assert len(set(keys_of(surroundings(texts, session)).tolist())) == 4
    assert alike(encoded, word_bags.among(texts, session))


def test_an_embedder_that_begins_to_read_among_others_embeds_anew(embed, word_bags):
    alone = Alone()
    former, _ = embed(TEXTS, alone)
    known = state(hashes_of(TEXTS), former)

    encoded, missing = embed(TEXTS, word_bags, known=known)

    assert missing == 0
    assert alike(encoded, word_bags.among(TEXTS))
