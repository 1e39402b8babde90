"""Our span metrics beside Chroma's chunking evaluation: on its data, and by its own functions.

    python -m eval.bench_spans DATA EVALUATION_UTILS

``DATA`` is the folder with its questions (``questions*.csv``) and ``corpora``; EVALUATION_UTILS is
its ``evaluation_utils.py``, which is read from where it lies: nothing of it is kept here.
"""

import csv
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import click

from eval.metrics import get_metric
from eval.standing_alone import run
from sayso.core.spans import SpanRange
from sayso.errors import InputError

CHUNK = 400  # characters
NAMES = ("recall", "precision", "iou")
_FUNCTIONS = ("intersect_two_ranges", "difference", "union_ranges", "sum_of_ranges")
_SIZES = (100, 1000, 3000)
_MANY = 1_000_000
_TIMES = 5  # the best of so many counts

Range = tuple[int, int]
Scores = tuple[float, float, float]  # in the order of NAMES


@dataclass(frozen=True)
class Asked:
    """A question's references, ``[start, end)``, in a corpus of so many characters."""

    references: tuple[Range, ...]
    length: int


def questions(data: Path) -> tuple[Asked, ...]:
    """The questions whose corpus is there; InputError where the folder holds none, or a broken one."""
    corpora = {p.stem: len(p.read_text(encoding="utf-8")) for p in data.glob("corpora/*.md")}
    found = []
    for path in sorted(data.glob("questions*.csv")):
        try:
            found += _of_file(path, corpora)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path}: expected the columns corpus_id and references, a JSON list of objects with "
                f"start_index and end_index; found {type(error).__name__}: {error}"
            ) from error
    if not found:
        raise InputError(f"{data}: no questions*.csv about a corpus in {data / 'corpora'}")
    return tuple(found)


def _of_file(path: Path, corpora: Mapping[str, int]) -> list[Asked]:
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["corpus_id"] in corpora:
                of = json.loads(line["references"])
                ranges = tuple((int(one["start_index"]), int(one["end_index"])) for one in of)
                found.append(Asked(ranges, corpora[line["corpus_id"]]))
    return found


def chunks_with_a_reference(asked: Asked, step: int) -> list[Range]:
    """The chunks, one every ``step`` characters, that hold part of a reference."""
    chunks = [(at, min(at + CHUNK, asked.length)) for at in range(0, asked.length, step)]
    return [
        (start, end)
        for start, end in chunks
        if any(max(start, a) < min(end, b) for a, b in asked.references)
    ]


def ours(retrieved: Sequence[Range], references: Sequence[Range]) -> Scores:
    """By :mod:`eval.metrics.spans`."""
    a, b = ([SpanRange("d", *one) for one in side] for side in (retrieved, references))
    recall, precision, iou = (get_metric(name)(a, b) for name in NAMES)
    return recall, precision, iou


def by(theirs: ModuleType) -> Callable[[Sequence[Range], Sequence[Range]], Scores]:
    """The scores as its evaluation puts them together from its functions."""

    def scores(retrieved: Sequence[Range], references: Sequence[Range]) -> Scores:
        shared: list[Range] = []
        unread = list(references)
        for chunk in retrieved:
            for reference in references:
                both = theirs.intersect_two_ranges(chunk, reference)
                if both is not None:
                    unread = theirs.difference(unread, both)
                    shared = theirs.union_ranges([both, *shared])
        held = theirs.sum_of_ranges(shared)
        # Each chunk in full here, each character once above: what overlaps counts twice below.
        given = theirs.sum_of_ranges(retrieved)
        return (
            held / theirs.sum_of_ranges(references),
            held / given,
            held / (given + theirs.sum_of_ranges(unread)),
        )

    return scores


def invented(count: int, rng: random.Random) -> list[Range]:
    """So many ranges one after the other, with gaps below 200 and lengths below 300."""
    found, at = [], 0
    for _ in range(count):
        start = at + rng.randrange(1, 200)
        at = start + rng.randrange(1, 300)
        found.append((start, at))
    return found


def best_of(work: Callable[[], object], times: int) -> float:
    """Seconds of processor time, at best."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("evaluation_utils", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(data: Path, evaluation_utils: Path) -> None:
    """Print where the two differ, and what each takes."""
    try:
        theirs = by(_module(evaluation_utils))
        asked = questions(data)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    click.echo(
        f"{len(asked)} questions; retrieved: chunks of {CHUNK} that hold part of a reference"
    )
    for step, words in ((CHUNK, "apart"), (CHUNK // 2, "overlapping by half")):
        pairs = []
        for one in asked:
            retrieved = chunks_with_a_reference(one, step)
            pairs.append((theirs(retrieved, one.references), ours(retrieved, one.references)))
        for at, name in enumerate(NAMES):
            differ = sum(abs(a[at] - b[at]) > 1e-9 for a, b in pairs)
            means = [
                sum(side[at] for side in sides) / len(pairs) for sides in zip(*pairs, strict=True)
            ]
            click.echo(
                f"  {words}: {name} theirs {means[0]:.3f}, ours {means[1]:.3f}; {differ} differ"
            )
    rng = random.Random(0)
    for size in _SIZES:
        a, b = invented(size, rng), invented(size, rng)
        slow = best_of(lambda a=a, b=b: theirs(a, b), _TIMES if size == _SIZES[0] else 1)  # type: ignore[misc]
        spans = [[SpanRange("d", *one) for one in side] for side in (a, b)]
        fast = best_of(lambda s=spans: [get_metric(n)(*s) for n in NAMES], _TIMES)  # type: ignore[misc]
        click.echo(
            f"{size} spans a side: theirs {slow:.4f} s, ours {fast:.5f} s, {slow / fast:.0f} times"
        )
    spans = [[SpanRange("d", *one) for one in invented(_MANY, rng)] for _ in range(2)]
    took = best_of(lambda: get_metric("f1")(*spans), 3)
    click.echo(f"{_MANY} spans a side: ours {took:.2f} s a metric")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("theirs", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: no Python file; name Chroma's evaluation_utils.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # somebody else's code may raise anything
        raise InputError(f"{path}: cannot be run: {type(error).__name__}: {error}") from error
    if missing := [name for name in _FUNCTIONS if not hasattr(module, name)]:
        raise InputError(f"{path}: has no {', '.join(missing)}; name Chroma's evaluation_utils.py")
    return module


if __name__ == "__main__":
    sys.exit(run(main))
