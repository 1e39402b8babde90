"""``python -m eval.fit_reader LESSONS…``: fit the reader that the agent's grader reads with.

It reads a question and a message as one text (a cross-encoder) and learns from the questions of chats
that were written to be learned from, ``arc_data/lessons``: to tell a message that answers from three
that look so. The encoder learns from them first, and the reader goes on from there, once through all.
Learning from no other chat, it has seen none that anything is judged on. Takes more than an hour on
two cores. Needs the extra ``fit`` (JAX).
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
from sayso.errors import CaseError
from sayso.retrieval.embedder import tokenizer
from sayso.retrieval.pair_reader import placed

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
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; default: nowhere.")
def main(cases: tuple[Path, ...], chats: tuple[Path, ...], out: Path | None) -> None:
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
    from sayso.retrieval.int8_model import joined

    found = {name: np.asarray(value) for name, value in steps.items()}
    head = [np.ravel(found[name]).astype(np.float16) for name in HEAD]
    return np.concatenate([joined(found), *head])


if __name__ == "__main__":
    sys.exit(run(main))
