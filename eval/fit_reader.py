"""``python -m eval.fit_reader LESSONS…``: fit the reader that the agent's grader reads with.

It reads a question and a message as one text (a cross-encoder) and learns from the questions of chats
that were written to be learned from, ``arc_data/lessons``: to tell a message that answers from three
that look so. The encoder learns from them first, and the reader goes on from there, once through all.
Learning from no other chat, it has seen none that anything is judged on. ``--beside`` an earlier reader
what is written is the mean of both. Takes more than an hour on two cores. Needs the extra ``fit`` (JAX).
"""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from eval.fit_encoder import BATCH, Lesson, check_enough, fitted, learned_from, needs_jax, searching
from eval.refitting import writable
from eval.standing_alone import chats_option, run
from sayso.errors import CaseError, ConfigurationError
from sayso.retrieval.embedder import tokenizer
from sayso.retrieval.int8_model import RANK, joined, step_shapes
from sayso.retrieval.pair_reader import HEAD_SIZE, placed

if TYPE_CHECKING:
    from eval.encoder import Steps  # imports JAX, an extra

_BESIDE = 3  # messages that look like an answer, for each that is one
_LOOKING_SO = 20  # of the screen's best
# Pairs of like length are padded to one of these: for each new one all is compiled anew.
_WIDTHS = (48, 80)
_SHORTER = 3 / 5  # of the pairs, which are padded by themselves
_SHARP = 10.0  # what the cosine of the two texts is multiplied by at first


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option(
    "--beside",
    callback=lambda _, __, path: None if path is None else earlier(path),
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier reader: the mean of both is written.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; default: nowhere.")
def main(
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    beside: NDArray[np.float16] | None,
    out: Path | None,
) -> None:
    """Parse, fit, write."""
    needs_jax("the reader")
    if out is not None:
        writable(out)
    found = learned_from(cases, chats)
    check_enough(found, cases)
    taught = [one for one in found if len(one.beside) >= _BESIDE]
    if len(taught) < BATCH:
        raise CaseError(
            f"{', '.join(map(str, cases))}: {len(taught)} questions in chats that have {_BESIDE} messages "
            f"beside those that answer; expected {BATCH} at least"
        )
    click.echo(f"{len(taught)} examples", err=True)
    numbers = kept(fitted_reader(taught, fitted(taught, "lessons")))
    if beside is not None:
        numbers = mean_of(numbers, beside)
    if out is None:
        return
    with out.open("wb") as file:
        np.save(file, numbers, allow_pickle=False)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    click.echo(f"written to {out}, sha256 {digest}", err=True)


def fitted_reader(taught: Sequence[Lesson], begun: "Steps") -> "Steps":
    """The steps of a reader and its head, from where an encoder's steps end.

    ``taught`` have three messages beside each at least, and are a batch at least.
    """
    import jax
    import jax.numpy as jnp
    import optax

    from eval.encoder import HEAD, Encoder
    from sayso.retrieval.embedder import package_weights

    encoder = Encoder(package_weights())

    def lost(steps: Any, parts: Any, order: Any) -> Any:
        worth = jnp.concatenate([encoder.together(steps, *part) for part in parts])
        return -jax.nn.log_softmax(worth[order].reshape(-1, 1 + _BESIDE), axis=1)[:, 0].mean()

    slope = jax.jit(jax.value_and_grad(lost))
    cut, drawn = tokenizer(), Random(1)
    told = drawn.sample(taught, len(taught))
    rounds = len(told) // BATCH
    search = searching(rounds)
    steps = {**begun, HEAD[0]: jnp.zeros(384), HEAD[1]: jnp.asarray(_SHARP)}
    state = search.init(steps)

    @jax.jit
    def stepped(steps: Any, state: Any, by: Any) -> Any:
        change, state = search.update(by, state)
        return optax.apply_updates(steps, change), state

    with click.progressbar(range(rounds), label="reader", file=sys.stderr) as shown:
        for at in shown:
            batch = told[at * BATCH : (at + 1) * BATCH]
            _, by = slope(steps, *_given(batch, drawn, cut))
            steps, state = stepped(steps, state, by)
            steps[HEAD[1]].block_until_ready()  # else the bar runs ahead of what is done
    return steps


def _given(batch: Sequence[Lesson], drawn: Random, cut: Any) -> tuple[Any, NDArray[np.int64]]:
    """The pairs in two parts, the shorter ones first, and where in them each question's stand: the one
    that answers, then those beside.
    """
    asked: list[str] = []
    told: list[str] = []
    for one in batch:
        asked += [one.query] * (1 + _BESIDE)
        told += [drawn.choice(one.gold), *drawn.sample(one.beside[:_LOOKING_SO], _BESIDE)]
    order = np.argsort([len(a) + len(b) for a, b in zip(asked, told, strict=True)], kind="stable")
    middle = int(len(order) * _SHORTER)
    parts = tuple(
        padded_pairs([asked[i] for i in part], [told[i] for i in part], cut)
        for part in (order[:middle], order[middle:])
    )
    return parts, np.argsort(order)


def padded_pairs(
    asked: Sequence[str], told: Sequence[str], cut: Any
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
    """Token ids (pairs, width), their mask, and which of the two texts each is of."""
    pairs = [
        placed(a.ids, b.ids)
        for a, b in zip(cut.encode_batch(list(asked)), cut.encode_batch(list(told)), strict=True)
    ]
    longest = max(len(ids) for ids, _ in pairs)
    width = next(w for w in _WIDTHS if longest <= w)
    ids = np.zeros((len(pairs), width), dtype=np.int32)
    halves = np.zeros_like(ids)
    mask = np.zeros((len(pairs), width), dtype=np.float32)
    for row, (of, half) in enumerate(pairs):
        ids[row, : len(of)], halves[row, : len(of)], mask[row, : len(of)] = of, half, 1
    return ids, mask, halves


def kept(steps: "Steps") -> NDArray[np.float16]:
    """The steps and the head as one row, in the order that the reader takes them in."""
    from eval.encoder import HEAD

    found = {name: np.asarray(value) for name, value in steps.items()}
    head = [np.ravel(found[name]).astype(np.float16) for name in HEAD]
    return np.concatenate([joined(found), *head])


def earlier(path: Path) -> NDArray[np.float16]:
    """The numbers of a reader as this command writes them. Raises ConfigurationError for other files."""
    shape = (sum(int(np.prod(of)) for of in step_shapes().values()) + HEAD_SIZE,)
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ConfigurationError(f"{path}: expected a reader, found {error}") from error
    if found.shape != shape or found.dtype != np.float16:
        raise ConfigurationError(
            f"{path}: {found.dtype} of shape {found.shape}; expected float16 of shape {shape}, as "
            "python -m eval.fit_reader writes it"
        )
    return np.asarray(found, dtype=np.float16)


def mean_of(one: NDArray[np.float16], other: NDArray[np.float16]) -> NDArray[np.float16]:
    """The mean of two readers' numbers; of a product of thin matrices that of the products, the nearest
    of their rank.
    """
    first, second = _by_name(one), _by_name(other)
    found = {name: (first[name] + second[name]) / 2 for name in first}
    for name in [n for n in found if n.endswith(".left")]:
        right = f"{name.removesuffix('.left')}.right"
        whole = (first[name] @ first[right] + second[name] @ second[right]) / 2
        left, weights, turned = np.linalg.svd(whole, full_matrices=False)
        halves = np.sqrt(weights[:RANK])
        found[name], found[right] = left[:, :RANK] * halves, halves[:, None] * turned[:RANK]
    head = (one[-HEAD_SIZE:].astype(np.float64) + other[-HEAD_SIZE:]) / 2
    return np.concatenate([joined(found), head.astype(np.float16)])


def _by_name(reader: NDArray[np.float16]) -> dict[str, NDArray[np.float64]]:
    shapes = step_shapes()
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])[:-1]
    parts = np.split(reader[:-HEAD_SIZE].astype(np.float64), ends)
    return {name: part.reshape(shapes[name]) for name, part in zip(shapes, parts, strict=True)}


if __name__ == "__main__":
    sys.exit(run(main))
