import numpy as np
import pytest

from sayso.errors import StoreError
from sayso.retrieval import int8_model
from sayso.retrieval.embedder import MiniLM, package_weights
from sayso.retrieval.int8_model import joined, moved, moved_names, shipped_steps, stored_weights

TEXTS = ["When did Ana move?", "we moved in last Saturday!"]


def test_no_step_leaves_the_package_as_it_is():
    package = package_weights()

    assert moved(package, np.zeros_like(shipped_steps())) == package


def test_steps_move_what_they_name_and_nothing_else():
    package = package_weights()
    before = stored_weights(package)
    steps = {n: np.zeros(before[n].size, np.float32) for n in moved_names(before)}
    steps["norm.bias"][3] = 0.5
    steps["layer.2.up.scale"][7] = 0.25

    after = stored_weights(moved(package, joined(steps)))

    changed = {n: np.flatnonzero(after[n] != before[n]).tolist() for n in before}
    assert {n: at for n, at in changed.items() if at} == {"norm.bias": [3], "layer.2.up.scale": [7]}
    assert after["norm.bias"][3] == pytest.approx(before["norm.bias"][3] + 0.5)
    ratio = after["layer.2.up.scale"].flat[7] / before["layer.2.up.scale"].flat[7]
    assert ratio == pytest.approx(1.25)


def test_steps_of_another_model_are_refused():
    with pytest.raises(ValueError, match=r"\(5,\) steps; expected \(51456,\)"):
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
