import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from eval import fit_reader
from eval.encoder import HEAD, Encoder
from eval.fit_encoder import Lesson
from eval.fit_reader import earlier, fitted_reader, kept, main, mean_of, padded_pairs
from sayso.errors import CaseError, ConfigurationError
from sayso.retrieval.embedder import MiniLM, package_weights, tokenizer
from sayso.retrieval.int8_model import RANK, step_shapes
from sayso.retrieval.pair_reader import READER, PairReader

DATA = Path(__file__).parents[2] / "arc_data"
ASKED, TOLD = "When did Ana move to Porto?", ["we moved in last Saturday!", "ok", "word " * 200]


def _steps(held):
    """The numbers of a reader by name."""
    shapes = {**step_shapes(), HEAD[0]: (384,), HEAD[1]: ()}
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])[:-1]
    return {
        name: part.reshape(shapes[name])
        for name, part in zip(shapes, np.split(held.astype(np.float32), ends), strict=True)
    }


def test_the_reader_with_gradients_is_the_reader():
    encoder = Encoder(package_weights())
    given = padded_pairs([ASKED] * 3, TOLD, tokenizer())
    beside = MiniLM()
    beside.__dict__["_int8_graph"] = None  # in float32

    found = np.asarray(encoder.together(_steps(np.load(READER)), *given))

    # The matrices with the products in them are rounded to 8 bits for the reader that ships.
    assert found == pytest.approx(PairReader(beside).read(ASKED, TOLD), abs=0.25)


def test_it_learns_to_tell_what_answers_from_what_looks_so(drawers):
    lessons = drawers(48)
    encoder = Encoder(package_weights())
    begun = encoder.still()

    steps = fitted_reader(lessons, begun)

    before = {**begun, HEAD[0]: np.zeros(384), HEAD[1]: 10.0}
    texts = [*lessons[3].gold, *lessons[3].beside]
    given = padded_pairs([lessons[3].query] * 4, texts, tokenizer())
    ahead = []
    for by in (before, steps):
        gold, *others = np.asarray(encoder.together(by, *given)).tolist()
        ahead.append(gold - max(others))
    assert ahead[1] > ahead[0]
    assert kept(steps).shape == np.load(READER, allow_pickle=False).shape
    assert np.isfinite(kept(steps)).all()


def test_pairs_of_like_length_are_padded_to_one_of_two_widths():
    short = padded_pairs([ASKED], ["ok"], tokenizer())
    long = padded_pairs([ASKED] * 2, ["ok", "word " * 200], tokenizer())

    assert [part.shape for part in short] == [(1, 48)] * 3
    assert [part.shape for part in long] == [(2, 80)] * 3
    assert long[1].sum(axis=1).tolist() == [short[1].sum(), 80]
    assert long[2][0].tolist() == [*short[2][0].tolist(), *[0] * 32]


def test_the_command_says_what_it_learned_from_and_writes_what_a_reader_reads(
    tmp_path, monkeypatch
):
    few = tmp_path / "climbing_club.jsonl"
    whole = (DATA / "lessons/cases/qa" / few.name).read_text("utf-8")
    few.write_text("".join(whole.splitlines(keepends=True)[:20]), "utf-8")
    out = tmp_path / "reader.npy"
    begun = Encoder(package_weights()).still()
    monkeypatch.setattr(fit_reader, "fitted", lambda *_: begun)
    head = {HEAD[0]: np.zeros(384), HEAD[1]: 10.0}
    monkeypatch.setattr(fit_reader, "fitted_reader", lambda taught, begun: {**begun, **head})

    done = CliRunner().invoke(
        main, [str(few), "--chats", str(DATA / "lessons/chats"), "--out", str(out)]
    )

    assert done.exit_code == 0, done.output
    assert "examples" in done.output
    assert np.load(out, allow_pickle=False).shape == np.load(READER, allow_pickle=False).shape


def test_chats_of_too_few_messages_end_before_the_fit(tmp_path, monkeypatch):
    alone = [Lesson(f"q{n}", ["a"], ["b", "c"], "mine", "mine/1") for n in range(40)]
    monkeypatch.setattr(fit_reader, "learned_from", lambda *_: alone)

    with pytest.raises(CaseError, match="0 questions in chats that have 3 messages beside"):
        main.main([str(tmp_path)], standalone_mode=False)


def test_too_few_questions_and_a_place_that_cannot_be_written_end_before_the_fit(tmp_path):
    few = tmp_path / "few.jsonl"
    chat = {"chat": "lena_and_jonah", "question": "Who?", "answerable": False}
    few.write_text(json.dumps(chat), "utf-8")
    chats = str(DATA / "chats")

    with pytest.raises(CaseError, match="0 questions with an answer"):
        main.main([str(few), "--chats", chats], standalone_mode=False)
    with pytest.raises(ConfigurationError, match="there is no folder"):
        main.main([str(few), "--out", str(tmp_path / "no/x.npy")], standalone_mode=False)


def test_the_mean_of_two_readers_is_that_of_what_they_add_to_the_matrices():
    shipped = np.load(READER, allow_pickle=False)
    drawn = np.random.default_rng(3)
    other = (shipped * drawn.uniform(0.5, 1.5, len(shipped))).astype(np.float16)

    found, first, second = (_steps(r) for r in (mean_of(shipped, other), shipped, other))

    left, right = "layer.2.up.left", "layer.2.up.right"
    whole = (first[left] @ first[right] + second[left] @ second[right]) / 2
    near = found[left] @ found[right]
    strengths = np.linalg.svd(whole, compute_uv=False)
    assert np.linalg.norm(whole - near) == pytest.approx(np.linalg.norm(strengths[RANK:]), rel=0.02)
    assert np.linalg.matrix_rank(near.astype(np.float64), tol=1e-3 * strengths[0]) <= RANK
    for name in ("layer.2.up.bias", *HEAD):
        assert found[name] == pytest.approx((first[name] + second[name]) / 2, rel=1e-3, abs=1e-3)


def test_the_mean_of_a_reader_with_itself_is_the_reader():
    shipped = np.load(READER, allow_pickle=False)

    found, first = _steps(mean_of(shipped, shipped)), _steps(shipped)

    for name in first:
        if not name.endswith((".left", ".right")):
            assert found[name] == pytest.approx(first[name], abs=1e-3), name
    for matrix in ("layer.0.query", "layer.5.down"):
        whole = first[f"{matrix}.left"] @ first[f"{matrix}.right"]
        assert found[f"{matrix}.left"] @ found[f"{matrix}.right"] == pytest.approx(whole, abs=2e-3)


@pytest.mark.parametrize(
    ("held", "told"),
    [
        pytest.param(np.zeros(3, np.float16), r"float16 of shape \(3,\)", id="another size"),
        pytest.param(np.zeros(383_617), "float64", id="another kind"),
        pytest.param("not numbers", "expected a reader", id="no numbers"),
        pytest.param("", "expected a reader", id="empty"),
    ],
)
def test_an_earlier_reader_that_is_none_is_an_error(tmp_path, held, told):
    path = tmp_path / "reader.npy"
    if isinstance(held, str):
        path.write_text(held, encoding="utf-8")
    else:
        np.save(path, held)

    with pytest.raises(ConfigurationError, match=told):
        earlier(path)
