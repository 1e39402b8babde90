"""``python -m eval.bench``: ours against what one would pick instead, in one table.

All systems get the same cases in one run on one machine, each in a process of its own, so that
imports and memory are its own. Times are CPU time, all threads together. Data sets are never
pooled. With ``--curve`` it shows instead how cost grows with the chat: ``--curve 1000 10000``.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

import click
from rich.table import Table
from rich.text import Text

from eval.bench_curve import curve
from eval.bench_peers import SYSTEMS, System, peak_mb
from eval.case_files import read_cases
from eval.cases import ReadyCase
from eval.chats import with_chats
from eval.gold import truth_of
from eval.metrics.ranked import recall_at_k
from eval.standing_alone import chats_option, run
from eval.table import console, plain
from sayso.core.chat import Chat, Message, Participant
from sayso.errors import CaseError
from sayso.paths import arc_data_dir, home

CUTS = (5, 10, 20)
NOTHING = "nothing"
_LEGEND = (
    "r@k: mean recall of the evidence that exists among the first k, in %. Index: CPU seconds per "
    "1,000 messages, by words and with vectors. Question: CPU milliseconds, in-process; ours go all "
    "the way to a cited answer, the others to a list. Memory: the process's peak; {base} MB of it "
    "hold Python and the cases."
)
_LACKING = "not installed: pip install 'sayso[bench]'"
_WARMING = ("Did you book the night train?", "When did the suitcase break?")


@dataclass(frozen=True)
class Measured:
    """What one system did on one data set; ``recalls`` are means in [0, 1] by k.

    ``milliseconds`` has one entry a question; seconds are CPU, summed over the chats. Recall is
    None where no case has evidence that exists.
    """

    recalls: Mapping[int, float | None]
    messages: int
    lexical_seconds: float
    whole_seconds: float
    milliseconds: Sequence[float]
    peak_mb: float


@click.command(help=__doc__)
@click.argument("sizes", nargs=-1, type=click.IntRange(min=1))
@click.option("--cases", multiple=True, type=click.Path(exists=True, path_type=Path),
              help="Case files or folders; default: the shipped ones.")  # fmt: skip
@chats_option
@click.option("--system", "systems", multiple=True, type=click.Choice(list(SYSTEMS)))
@click.option("--curve", "curved", is_flag=True, help="Cost over chats of SIZES messages.")
@click.option("--embed-up-to", default=1000, show_default=True,
              help="Curve: larger chats get seeded random vectors.")  # fmt: skip
@click.option("--worker", nargs=2, hidden=True)
def main(
    sizes: tuple[int, ...],
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    systems: tuple[str, ...],
    curved: bool,
    embed_up_to: int,
    worker: tuple[str, str] | None,
) -> None:
    """Parse, measure, print."""
    if curved != bool(sizes):
        raise click.UsageError("--curve and the SIZES go together")
    if curved:
        console().print(curve(sizes, embed_up_to, tell=lambda line: click.echo(line, err=True)))
        return
    ready = load(cases, chats)
    if worker:
        name, dataset = worker
        click.echo(json.dumps(asdict(measure(name, [r for r in ready if r.dataset == dataset]))))
        return
    chosen = {name: SYSTEMS[name] for name in systems or SYSTEMS}
    given = [part for flag, paths in (("--cases", cases), ("--chats", chats))
             for path in paths for part in (flag, str(path))]  # fmt: skip
    for dataset in dict.fromkeys(r.dataset for r in ready):
        base = _in_a_process(NOTHING, dataset, given)
        found = {
            name: None if system.lacks else _in_a_process(name, dataset, given)
            for name, system in chosen.items()
        }
        about = [r for r in ready if r.dataset == dataset]
        console().print(table(dataset, about, chosen, found), legend(base), "")


def load(cases: Sequence[Path], chats: Sequence[Path]) -> tuple[ReadyCase, ...]:
    """The question cases beside their chats; raises InputError for what is not there."""
    from sayso.assembly import load_chat

    paths = cases or (arc_data_dir() / "cases" / "qa",)
    found = read_cases(paths, "qa").cases
    if not found:
        raise CaseError(f"{', '.join(map(str, paths))}: no question case there")
    return with_chats(found, folders=chats, load=lambda name: load_chat(name, home=home())).cases


def measure(name: str, ready: Sequence[ReadyCase]) -> Measured:
    """The system on the cases, in this process: each chat indexed, then all its questions."""
    cases_of: dict[str, list[ReadyCase]] = {}
    for one in ready:
        cases_of.setdefault(one.chat.chat_id, []).append(one)
    recalls: list[list[float]] = []
    milliseconds: list[float] = []
    lexical = whole = 0.0
    if name != NOTHING:
        system = SYSTEMS[name]
        with tempfile.TemporaryDirectory() as scratch:
            _warm(system, Path(scratch) / "warm")
            for at, of_chat in enumerate(cases_of.values()):
                built = system.build(of_chat[0].chat, _made(Path(scratch) / str(at)))
                lexical, whole = lexical + built.lexical, whole + built.whole
                built.ask(_WARMING[0])
                for one in of_chat:
                    began = process_time()
                    ranking = built.ask(one.case.question)
                    milliseconds.append(1000 * (process_time() - began))
                    expected = truth_of(one.case, one.chat).expected.local_ids
                    if expected:
                        recalls.append([recall_at_k(ranking, expected, k) for k in CUTS])
    return Measured(
        recalls={
            k: statistics.fmean(row[i] for row in recalls) if recalls else None
            for i, k in enumerate(CUTS)
        },
        messages=sum(len(of_chat[0].chat.messages) for of_chat in cases_of.values()),
        lexical_seconds=lexical,
        whole_seconds=whole,
        milliseconds=milliseconds,
        peak_mb=peak_mb(),
    )


def table(
    dataset: str,
    ready: Sequence[ReadyCase],
    systems: Mapping[str, System],
    found: Mapping[str, Measured | None],
) -> Table:
    """One row a system; a system that is not installed says so."""
    with_gold = sum(bool(truth_of(r.case, r.chat).expected.local_ids) for r in ready)
    messages = next((m.messages for m in found.values() if m), 0)
    shown = Table(
        title=Text(
            f"{plain(dataset) or 'cases'}: {len(ready)} questions, {with_gold} with evidence; "
            f"{messages} messages"
        ),
        title_justify="left",
    )
    shown.add_column("system", no_wrap=True)
    for column in (*(f"r@{k}" for k in CUTS), "index s/1k", "with vectors",
                   "question ms", "p95", "memory MB"):  # fmt: skip
        shown.add_column(column, justify="right")
    for name, system in systems.items():
        one = found[name]
        # Behind the name: in a column of figures it would make that one wide.
        title = system.title if one is not None else f"{system.title}: {_LACKING}"
        shown.add_row(Text(title), *(_cells(one) if one is not None else ()))
    return shown


def legend(base: Measured) -> Text:
    """What the columns say; ``base`` measured a process that only read the cases."""
    return Text(_LEGEND.format(base=f"{base.peak_mb:.0f}"), style="dim")


def _cells(one: Measured) -> list[str]:
    per = 1000 / max(one.messages, 1)
    recalls = ["n/a" if v is None else f"{100 * v:.1f}" for v in one.recalls.values()]
    ordered = sorted(one.milliseconds)
    return [
        *recalls,
        f"{per * one.lexical_seconds:.3f}",
        "–" if one.whole_seconds == one.lexical_seconds else f"{per * one.whole_seconds:.2f}",
        f"{statistics.median(ordered):.1f}",
        f"{ordered[int(0.95 * (len(ordered) - 1))]:.1f}",
        f"{one.peak_mb:.0f}",
    ]


def _in_a_process(name: str, dataset: str, given: Sequence[str]) -> Measured:
    command = [sys.executable, "-m", "eval.bench", *given, "--worker", name, dataset]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    held = json.loads(done.stdout)
    return Measured(**{**held, "recalls": {int(k): v for k, v in held["recalls"].items()}})


def _warm(system: System, folder: Path) -> None:
    """Load what loads at the first use: modules, a model, a graph."""
    said = ("I booked the night train", "Great! Which day?", "On the 9th", "My suitcase broke")
    at = datetime(2024, 3, 1, 10, tzinfo=UTC)
    chat = Chat(
        chat_id="warm",
        title="warm",
        platform="invented",
        participants=(Participant(name="Ana"), Participant(name="Ben")),
        messages=tuple(
            Message(local_id=n, sender="Ana" if n % 2 else "Ben", sent_at=at, text=text)
            for n, text in enumerate(said, 1)
        ),
    )
    built = system.build(chat, _made(folder))
    for question in _WARMING:
        built.ask(question)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(run(main))
