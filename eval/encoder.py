"""all-MiniLM-L6-v2 with gradients, in JAX: what :mod:`eval.fit_encoder` and ``fit_reader`` fit of it.

The same sums as the graph that ships (see :mod:`sayso.retrieval.int8_model`), in float32. Biases, norms
and the columns' scales are moved, and to each matrix a product of two thin ones is added (LoRA, Hu et al.
2021): 383,232 numbers for 22 million, so that a few thousand examples cannot make it forget what it was
trained on.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.int8_model import RANK, moved_names, stored_weights, thin

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_FAR = -1e9  # what padding is kept out by
_ROUND = 32  # widths are whole multiples of it: each new one is compiled anew

# What a reader has beside: weights of the first token's vector, and of the cosine of the two texts.
HEAD = ("head.first", "head.cosine")

Steps = dict[str, Any]  # JAX ships no types that numpy's agree with


class Encoder:
    """The model as the package has it, and how it is moved."""

    def __init__(self, package: bytes) -> None:
        held = {name: np.asarray(value) for name, value in stored_weights(package).items()}
        self.words = jnp.asarray(held["words"] * held["words.scale"], dtype=jnp.float32)
        self.places = jnp.asarray(held["places"] * held["places.scale"], dtype=jnp.float32)
        self.kinds = jnp.asarray(held["kinds"])
        self.matrices = {
            n: jnp.asarray(v, dtype=jnp.float32)
            for n, v in held.items()
            if n.startswith("layer.") and v.dtype == np.int8
        }
        self.moved = {n: jnp.asarray(held[n].reshape(-1)) for n in moved_names(held)}

    def still(self) -> Steps:
        """No step at all: the package's model. The left one of two thin matrices is drawn, the same
        each time; where both were 0 neither would ever be moved.
        """
        drawn = np.random.default_rng(0)
        steps = {name: jnp.zeros_like(value) for name, value in self.moved.items()}
        for name, matrix in self.matrices.items():
            rows, columns = matrix.shape
            left, right = thin(name)
            steps[left] = jnp.asarray(drawn.normal(0, rows**-0.5, (rows, RANK)), jnp.float32)
            steps[right] = jnp.zeros((RANK, columns), jnp.float32)
        return steps

    def vectors(self, steps: Steps, ids: NDArray[np.int32], mask: NDArray[np.float32]) -> Any:
        """Unit vectors (texts, 384) of texts given as token ids (texts, width), padding masked by 0."""
        return _unit(_mean(self._hidden(steps, ids, mask, jnp.zeros_like(ids)), mask))

    def together(
        self,
        steps: Steps,
        ids: NDArray[np.int32],
        mask: NDArray[np.float32],
        halves: NDArray[np.int32],
    ) -> Any:
        """How far the second of two texts answers the first (pairs,), read as one.

        ``halves`` (pairs, width) tell which of the two each token is of, 0 or 1. Beside the steps of the
        model there are those of :data:`HEAD`, as :mod:`sayso.retrieval.pair_reader` has it.
        """
        x = self._hidden({n: v for n, v in steps.items() if n not in HEAD}, ids, mask, halves)
        asked, told = (_unit(_mean(x, mask * part)) for part in (1 - halves, halves))
        return x[:, 0] @ steps[HEAD[0]] + steps[HEAD[1]] * (asked * told).sum(1)

    def _hidden(self, steps: Steps, ids: Any, mask: Any, halves: Any) -> Any:
        at = {
            n: v * (1 + steps[n]) if n.endswith(".scale") else v + steps[n]
            for n, v in self.moved.items()
        } | {n: v for n, v in steps.items() if n not in self.moved}
        far = (1 - mask[:, None, None, :]) * _FAR
        x = self.words[ids] + self.places[: ids.shape[1]] + self.kinds[halves]
        x = _normed(x, at["norm.weight"], at["norm.bias"])
        for layer in range(_LAYERS):
            x = self._layer(at, f"layer.{layer}", x, far)
        return x

    def _layer(self, at: Steps, name: str, x: Any, far: Any) -> Any:
        def times(x: Any, part: str) -> Any:
            matrix = f"{name}.{part}"
            left, right = thin(matrix)
            whole = (x @ self.matrices[matrix]) * at[f"{matrix}.scale"] + at[f"{matrix}.bias"]
            return whole + (x @ at[left]) @ at[right]

        texts, width, size = x.shape
        heads = (texts, width, _HEADS, size // _HEADS)
        query, key, value = (
            times(x, part).reshape(heads).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        near = query @ key.transpose(0, 1, 3, 2) / np.sqrt(size // _HEADS)
        seen = (jax.nn.softmax(near + far, axis=-1) @ value).transpose(0, 2, 1, 3)
        x = _normed(
            times(seen.reshape(x.shape), "out") + x,
            at[f"{name}.norm.weight"],
            at[f"{name}.norm.bias"],
        )
        up = jax.nn.gelu(times(x, "up"), approximate=False)
        return _normed(
            times(up, "down") + x, at[f"{name}.end.norm.weight"], at[f"{name}.end.norm.bias"]
        )


def padded(
    texts: Sequence[Sequence[int]], most: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Token ids (texts, width) and their mask, cut to at most ``most`` tokens a text."""
    width = -(-min(most, max(map(len, texts))) // _ROUND) * _ROUND
    ids = np.zeros((len(texts), width), dtype=np.int32)
    mask = np.zeros((len(texts), width), dtype=np.float32)
    for row, text in enumerate(texts):
        kept = text[:most]
        ids[row, : len(kept)] = kept
        mask[row, : len(kept)] = 1
    return ids, mask


def _mean(x: Any, mask: Any) -> Any:
    return (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)


def _unit(x: Any) -> Any:
    return x / jnp.linalg.norm(x, axis=1, keepdims=True)


def _normed(x: Any, weight: Any, bias: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(spread + _EPSILON) * weight + bias
