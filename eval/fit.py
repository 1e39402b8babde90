"""``python -m eval.fit CASES…``: refit the engine's weights from any case files, cross-validated.

Prints what weights reach on groups of chats that they were not fitted on (chats that share people
are one group), what those of one data set reach on the others, and writes the weights fitted on
everything. Data sets are never pooled into one figure. With ``--multilingual`` it fits the groups
for embedders that give words no vectors, else those for MiniLM and for words alone; what it does not
fit stays as ``--out`` has it, or as shipped. The shipped encoder knows the questions that it was
fitted on: figures of those need ``--encoders``. Of ``--lessons`` some teach screen and ranking,
others relevance and abstaining (see :mod:`eval.lessons`), and none is judged.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from rich.table import Table

from eval.case_files import read_cases
from eval.cases import ReadyCase
from eval.chats import with_chats
from eval.encoders import Encoders, encoders_option
from eval.fit_data import Asked, asked
from eval.fit_figures import Figures, by_category, category_table, figures, sureness
from eval.fit_lists import Listed, listed_unseen, screening_weights, without_meaning
from eval.fit_models import Floats
from eval.fit_phrase_data import EXAMPLES, invented, of_cases
from eval.fit_reading import Readings, Whole, cross_read, fit_whole, phrases_apart
from eval.fit_stages import Beside, cross_validate, judged
from eval.lessons import NO_LESSONS, Lessons, lessons_of, lessons_option
from eval.refitting import held_for, write
from eval.risk import risk_table
from eval.standing_alone import chats_option, run
from eval.table import console, plain
from eval.terms import fitted_on, terms_option
from sayso.core.chat import Chat
from sayso.errors import CaseError
from sayso.retrieval.embedder import Embedder
from sayso.retrieval.index import Index
from sayso.weights import Form

NO_FORMS: Mapping[str, Form] = MappingProxyType({})
FITTED = ["screening", "ranking", "relevance", "answerable"]
# Longer words than the others begin with: entries of the two say of each group what it comes from.
FITTED_VECTORS = [f"{name}_vectors" for name in (*FITTED, "ranking_arc")]
# The parts of them, see eval.lessons.
_LESSONS_TEACH = (("screening", "ranking"), ("relevance", "answerable"), ("ranking",))


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; default: nowhere.")
@terms_option
@click.option(
    "--transfer", is_flag=True, help="Also judge each set by weights of the others alone."
)
@click.option(
    "--phrases",
    "taught",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Cases that the shipped phrases were fitted on: read by phrases fitted without them.",
)
@click.option(
    "--multilingual",
    is_flag=True,
    help="By multilingual-e5-small (an extra): the weights for embedders that give words no vectors.",
)
@lessons_option
@encoders_option
def main(
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    out: Path | None,
    terms: dict[str, str],
    transfer: bool,
    taught: tuple[Path, ...],
    multilingual: bool,
    lessons: tuple[Path, ...],
    encoders: Encoders | None,
) -> None:
    """Parse, fit, print, write."""
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.multilingual import MultilingualE5

    held = held_for(out)  # before the long work: what cannot be written is refused here
    by = MultilingualE5() if multilingual else MiniLM()
    apart = None if multilingual else encoders
    rows = load(cases, chats, embedder=by, encoders=apart)
    check_cases(rows, cases)
    if transfer and len({row.dataset for row in rows if len(row.gold)}) < 2:
        raise CaseError("--transfer: fewer than two data sets have a case with an answer")
    taken = taken_of(lessons, chats, by, apart)
    screening = screening_weights([*rows, *taken.ranking])
    lists = listed_unseen(rows, beside=taken.ranking)
    beside = taken.listed(screening)
    terminal = console()
    cross = cross_validate(lists, beside=beside)
    terminal.print(table("judged on groups not fitted on", figures(cross.judged, cross.fits)))
    examples = list(of_cases(taught, chats)) if taught else []
    if taught and not examples:
        raise CaseError(f"{', '.join(map(str, taught))}: no case there teaches a phrase")
    if examples:
        examples += invented(EXAMPLES.read_text(encoding="utf-8"))
    readings = Readings(phrases_apart(examples))
    closely = cross_read(lists, cross, readings)
    read = figures(*closely)
    how = "" if taught else "; phrases by the shipped weights, whatever these were fitted on"
    terminal.print(table(f"the same, read closely (agent){how}", read))
    terminal.print(category_table(by_category(cross.judged), by_category(closely[0])))
    for title, judged_so in (("oneshot", cross.judged), ("agent", closely[0])):
        title = f"{title}, the surest answered: lost F1 in % on groups not fitted on"
        terminal.print(risk_table(title, sureness(judged_so)))
    if transfer:
        unseen = rows
        if apart is not None:
            unseen = load(cases, chats, encoders=apart, by_dataset=True)
        others_alone = listed_unseen(unseen, by_dataset=True, beside=taken.ranking)
        found = cross_validate(others_alone, by_dataset=True, beside=beside)
        terminal.print(
            table("judged by weights of the other sets", figures(found.judged, found.fits))
        )
        others = Readings(phrases_apart(examples, by_dataset=True))
        read = figures(*cross_read(others_alone, found, others))
        terminal.print(table(f"the same, read closely (agent){how}", read))
    whole = fit_whole(lists, cross, readings, beside)
    in_sample = figures([judged(one, whole.fit) for one in lists], [whole.fit] * len(lists))
    terminal.print(table("in-sample (all of it was fitted on)", in_sample))
    if multilingual:
        groups, cuts = whole.groups(screening, "_vectors"), whole.cuts("_vectors")
    else:
        groups, cuts = _beside_words_alone(whole, screening, lists, readings, beside)
    forms = whole.forms(by.name)
    if out is not None:
        names = FITTED_VECTORS if multilingual else FITTED
        write(out, record(groups, cuts, rows, terms, taken, held=held, names=names, forms=forms))
        click.echo(f"written to {out}", err=True)


def _beside_words_alone(
    whole: Whole,
    screening: Floats,
    lists: Sequence[Listed],
    readings: Readings,
    beside: Beside,
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Groups and cuts, with those for where the embedder cannot read; prints how these do."""
    blind_lists = [without_meaning(one) for one in lists]
    blind_beside = beside.each(without_meaning)
    blind_cross = cross_validate(blind_lists, beside=blind_beside)
    blind = fit_whole(blind_lists, blind_cross, readings, blind_beside)
    blind_screening = screening_weights(
        [one.asked for one in [*blind_lists, *blind_beside.ranking]]
    )
    title = "by words only, on groups not fitted on"
    console().print(table(title, figures(blind_cross.judged, blind_cross.fits)))
    groups = whole.groups(screening) | blind.groups(blind_screening, "_lexical")
    return groups, whole.cuts() | blind.cuts("_lexical")


def taken_of(
    lessons: Sequence[Path],
    chats: Sequence[Path],
    embedder: Embedder | None = None,
    encoders: Encoders | None = None,
) -> Lessons:
    """Of the lessons those that are learned from, read by encoders that have not seen them."""
    rows = load(lessons, chats, embedder=embedder, encoders=encoders) if lessons else []
    return lessons_of(rows)


def load(
    cases: Sequence[Path],
    chats: Sequence[Path],
    changed: Callable[[Chat], Chat] | None = None,
    indexes: Path | None = None,
    embedder: Embedder | None = None,
    encoders: Encoders | None = None,
    *,
    by_dataset: bool = False,
) -> list[Asked]:
    """The cases of the files and folders with their features, by MiniLM unless told.

    With ``encoders``, each by one that has not seen its group, or by one that has seen none of its data
    set. With ``changed``, of chats so changed; keep their indexes apart, in the folder ``indexes``.
    """
    from sayso.assembly import load_chat
    from sayso.paths import home
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.storage import open_index

    by = embedder or MiniLM()
    placed = with_chats(
        read_cases(cases, "qa").cases,
        folders=chats,
        load=lambda name: load_chat(name, home=home()),
    )

    def index_of(chat: Chat, by: Embedder) -> Index:
        click.echo(f"indexing {plain(chat.chat_id)}", err=True)
        return open_index(chat, by, indexes or home() / "indexes")[0]

    ready = placed.cases
    if changed is not None:
        ready = tuple(replace(r, chat=changed(r.chat)) for r in ready)
    parts: Sequence[tuple[Embedder, Sequence[ReadyCase]]] = [(by, ready)]
    if encoders is not None:
        parts = encoders.parts(ready, by_dataset=by_dataset)
    return [
        one for reader, part in parts for one in asked(part, partial(index_of, by=reader), reader)
    ]


def check_cases(rows: Sequence[Asked], cases: Sequence[Path]) -> None:
    """Raise CaseError where there is nothing to fit on, or nothing to judge it by.

    What is fitted on one group of people is judged on another: two have to have a case with an answer.
    """
    named = ", ".join(map(str, cases))
    if not rows:
        raise CaseError(f"{named}: no question case there that can be fitted on")
    groups = {row.group for row in rows}
    if len(groups) < 2:
        raise CaseError(
            f"{named}: {len(rows)} cases of one group of people: what is fitted on one group is "
            "judged on another, so there must be two; add cases of a chat between other people"
        )
    if len({row.group for row in rows if len(row.gold)}) < 2:
        raise CaseError(f"{named}: fewer than two groups of people have a case with an answer")


def table(title: str, found: dict[str, Figures]) -> Table:
    """One row a data set; shares in %."""
    shown = Table(title=title)
    for column in (
        "set", "n", "r@5", "r@10", "r@20", "r@50", "F1", "rec", "prec", "ids", "best cut F1",
        "--recall", "ids", "abstain F1", "recall lost",
    ):  # fmt: skip
        shown.add_column(column, justify="left" if column == "set" else "right")
    for name, one in sorted(found.items()):
        shown.add_row(name, *one.cells())
    return shown


def record(
    groups: Mapping[str, Mapping[str, float]],
    cuts: Mapping[str, float],
    rows: Sequence[Asked],
    terms: Mapping[str, str],
    taken: Lessons = NO_LESSONS,
    *,
    held: Mapping[str, Any],
    names: Sequence[str] = FITTED,
    forms: Mapping[str, Form] = NO_FORMS,
) -> dict[str, object]:  # Any: JSON
    """The weights file ``held`` with these; cuts that are not fitted here keep their values.

    ``names`` are the words that the groups fitted here begin with.
    """
    counts = Counter(row.dataset for row in rows)
    fitted = fitted_on(counts, names, terms, held["fittedOn"])
    for part, teaches in zip(taken, _LESSONS_TEACH, strict=True):
        taught = [name for name in names if name.removesuffix("_vectors") in teaches]
        of_part = Counter(row.dataset for row in part)
        fitted += fitted_on(of_part, taught, terms, held["fittedOn"])
    # What is not refitted here (arcs, phrases) still comes from where it came from.
    fitted += [f for f in held["fittedOn"] if not set(f["groups"]) & set(names)]
    return {
        **held,
        "version": held["version"] + 1,
        "fittedOn": fitted,
        "groups": {**held["groups"], **groups},
        "cuts": {**held["cuts"], **cuts},
        "forms": {
            **held.get("forms", {}),
            **{name: form.model_dump(by_alias=True) for name, form in forms.items()},
        },
    }


if __name__ == "__main__":
    sys.exit(run(main))
