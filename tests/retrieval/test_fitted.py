import numpy as np
import pytest

from sayso.errors import StoreError
from sayso.retrieval import int8_model
from sayso.retrieval.embedder import MiniLM, package_weights
from sayso.retrieval.int8_model import (
    RANK,
    joined,
    moved,
    shipped_steps,
    step_shapes,
    stored_weights,
    thin,
)

TEXTS = ["When did Ana move?", "we moved in last Saturday!"]


def test_no_step_leaves_the_package_as_it_is():
    package = package_weights()

    assert moved(package, np.zeros_like(shipped_steps())) == package


def test_steps_move_what_they_name_and_nothing_else():
    package = package_weights()
    before = stored_weights(package)
    steps = _none()
    steps["norm.bias"][3] = 0.5
    steps["layer.2.up.scale"][0, 7] = 0.25

    after = stored_weights(moved(package, joined(steps)))

    changed = {n: np.flatnonzero(after[n] != before[n]).tolist() for n in before}
    assert {n: at for n, at in changed.items() if at} == {"norm.bias": [3], "layer.2.up.scale": [7]}
    assert after["norm.bias"][3] == pytest.approx(before["norm.bias"][3] + 0.5)
    ratio = after["layer.2.up.scale"].flat[7] / before["layer.2.up.scale"].flat[7]
    assert ratio == pytest.approx(1.25)


def test_a_product_is_added_to_its_matrix_to_half_a_step_of_8_bits():
    package = package_weights()
    before = stored_weights(package)
    name, drawn = "layer.4.down", np.random.default_rng(1)
    left, right = thin(name)
    steps = _none()
    steps[left] = drawn.normal(0, 0.05, (1536, RANK)).astype(np.float16)
    steps[right] = drawn.normal(0, 0.05, (RANK, 384)).astype(np.float16)
    steps[f"{name}.scale"] += 0.5

    after = stored_weights(moved(package, joined(steps)))

    assert {n for n in before if (after[n] != before[n]).any()} == {name, f"{name}.scale"}
    wanted = before[name] * before[f"{name}.scale"] * 1.5
    wanted = wanted + steps[left].astype(np.float32) @ steps[right].astype(np.float32)
    scale = after[f"{name}.scale"]
    assert (np.abs(after[name] * scale - wanted) <= 0.501 * scale).all()
    assert np.abs(after[name]).max() == 127


def _none():
    return {name: np.zeros(shape, np.float32) for name, shape in step_shapes().items()}


def test_steps_of_another_model_are_refused():
    with pytest.raises(ValueError, match=r"\(5,\) steps; expected \(383232,\)"):
        moved(package_weights(), np.zeros(5, np.float16))


def test_what_ships_is_moved_and_8_bit_integers_keep_it():
    shipped, plain = MiniLM(), MiniLM(fitted=None)
    found = shipped.encode(TEXTS).vectors

    assert (found * plain.encode(TEXTS).vectors).sum(axis=1).max() < 0.999
    assert (found * shipped.in_float32(TEXTS).vectors).sum(axis=1).min() > 0.98


def test_vectors_of_one_fit_are_never_taken_for_those_of_another():
    some = np.full_like(shipped_steps(), 0.001)

    names = [MiniLM().name, MiniLM(fitted=None).name, MiniLM(fitted=some).name]

    assert len(set(names)) == 3
    assert MiniLM(fitted=some).name == names[2]


def test_a_damaged_file_of_steps_is_an_error(tmp_path, monkeypatch):
    held = bytearray(int8_model.FITTED.read_bytes())
    held[-1] ^= 1
    damaged = tmp_path / "minilm-fitted.npy"
    damaged.write_bytes(held)
    monkeypatch.setattr(int8_model, "FITTED", damaged)

    with pytest.raises(StoreError, match=r"minilm-fitted\.npy: sha256 is"):
        shipped_steps()
