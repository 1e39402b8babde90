import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from eval import fit_encoder
from eval.encoder import Encoder, padded
from eval.encoders import MANIFEST, encoders_in
from eval.fit_encoder import Lesson, _beside_each_other, _left_out, after, fitted, kept, main
from sayso.errors import CaseError, ConfigurationError
from sayso.retrieval.embedder import MiniLM, package_weights, tokenizer

QA = Path(__file__).parents[2] / "arc_data/cases/qa"
LESSONS = Path(__file__).parents[2] / "arc_data/lessons"
TEXTS = ["When did Ana move to Porto?", "we finally moved in last Saturday!", "ok"]


def test_the_model_with_gradients_is_the_model():
    encoder = Encoder(package_weights())
    given = padded([e.ids for e in tokenizer().encode_batch(TEXTS)], 64)

    found = np.asarray(encoder.vectors(encoder.still(), *given))

    assert np.allclose(found, MiniLM(fitted=None).in_float32(TEXTS).vectors, atol=1e-4)


def test_what_it_learns_is_what_the_embedder_reads_by(drawers):
    lessons = drawers(48)
    steps = kept(fitted(lessons, "a test"))
    before, after = (_lead(MiniLM(fitted=by), lessons[3]) for by in (None, steps))

    assert steps.dtype == np.float16
    assert np.isfinite(steps).all()
    assert after > before


def test_what_is_learned_first_is_where_the_rest_begins(drawers):
    lessons = drawers(48)
    first = fitted(lessons, "first")
    going_on, alone = fitted(lessons, "a test", first), fitted(lessons, "a test")

    of_first, further, once = (
        _lead(MiniLM(fitted=kept(steps)), lessons[3]) for steps in (first, going_on, alone)
    )
    assert once == pytest.approx(of_first, abs=1e-3)
    assert further > of_first


def _lead(embedder, one):
    """How far the answer is ahead of what looks like it, in cosines with the question."""
    query, gold, *beside = embedder.encode([one.query, *one.gold, *one.beside]).vectors
    return float(gold @ query - max(other @ query for other in beside))


def test_half_is_kept_of_what_comes_after_the_lessons(monkeypatch):
    def moved_by_two(taught, title, begun=None):
        return {"a": (begun or {"a": 0.0})["a"] + 2.0}

    monkeypatch.setattr(fit_encoder, "fitted", moved_by_two)

    assert after({"a": 5.0}, [], "a test") == {"a": 6.0}
    assert after(None, [], "a test") == {"a": 2.0}


def test_other_answers_to_a_question_do_not_compete_with_the_one_drawn():
    both = Lesson("q", ["one", "two"], ["three"], "mine", "mine/1")
    texts, answers, apart = _beside_each_other([both, both], Random(1))

    assert answers.sum(axis=1).tolist() == [1.0, 1.0]
    for row in range(2):
        drawn = texts[int(answers[row].argmax())]
        kept_out = {texts[i] for i in np.flatnonzero(apart[row] < 0)}
        assert kept_out <= {"one", "two"}
        assert "three" not in kept_out
        assert drawn in {"one", "two"}
        assert apart[row, answers[row].argmax()] == 0


def test_every_group_and_every_set_is_left_out_once(drawers):
    others = [one._replace(dataset="yours", group="yours/1") for one in drawers(2)]

    left_out = _left_out([*drawers(4), *others])

    assert left_out == [
        ("groups", {"mine/0"}),
        ("groups", {"mine/1"}),
        ("groups", {"yours/1"}),
        ("datasets", {"mine"}),
        ("datasets", {"yours"}),
    ]


def test_the_command_writes_encoders_apart_and_the_fit_reads_by_them(tmp_path):
    files = [str(QA / "lena_and_jonah.jsonl"), str(QA / "lantern_crew.jsonl")]

    few = tmp_path / "lessons" / "climbing_club.jsonl"
    few.parent.mkdir()
    whole = (LESSONS / "cases" / "qa" / few.name).read_text("utf-8")
    few.write_text("".join(whole.splitlines(keepends=True)[:20]), "utf-8")
    taught = ["--lessons", str(few), "--chats", str(LESSONS / "chats")]

    done = CliRunner().invoke(main, [*files, *taught, "--apart", str(tmp_path)])

    assert done.exit_code == 0, done.output
    manifest = json.loads((tmp_path / MANIFEST).read_text("utf-8"))
    assert manifest["groups"].pop("lessons/climbing_club") == "without-lessons.npy"
    assert len(manifest["groups"]) == len(set(manifest["groups"].values())) == 2
    found = encoders_in(tmp_path)
    assert found.groups == manifest["groups"] | {"lessons/climbing_club": "without-lessons.npy"}


def test_a_folder_without_encoders_is_an_error_that_names_what_is_missing(tmp_path):
    with pytest.raises(ConfigurationError, match=r"encoders\.json: expected what"):
        encoders_in(tmp_path)


def test_an_encoder_that_is_missing_or_none_is_an_error_before_anything_is_read_by_it(tmp_path):
    told = {"groups": {"mine/1": "a.npy"}, "datasets": {}}
    (tmp_path / MANIFEST).write_text(json.dumps(told), "utf-8")
    with pytest.raises(ConfigurationError, match=r"a\.npy"):
        encoders_in(tmp_path)

    (tmp_path / "a.npy").write_bytes(b"junk!")
    with pytest.raises(ConfigurationError, match=r"encoders\.json: expected what"):
        encoders_in(tmp_path)


def test_one_group_alone_leaves_nothing_to_fit_without_it(drawers):
    with pytest.raises(CaseError, match="one group of people"):
        _left_out([one._replace(group="mine/1") for one in drawers(4)])


def test_too_few_questions_and_a_place_that_cannot_be_written_end_before_the_fit(tmp_path):
    few = tmp_path / "few.jsonl"
    chat = {"chat": "lena_and_jonah", "question": "Who?", "answerable": False}
    few.write_text(json.dumps(chat), "utf-8")
    chats = str(QA.parents[1] / "chats")

    with pytest.raises(CaseError, match="0 questions with an answer"):
        main.main([str(few), "--chats", chats], standalone_mode=False)
    with pytest.raises(ConfigurationError, match="there is no folder"):
        main.main([str(few), "--out", str(tmp_path / "no/x.npy")], standalone_mode=False)
