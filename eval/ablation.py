"""``python -m eval.ablation CASES…``: what each part of the engine is worth, left out one at a time.

Every part's features are zeroed (or, where a part is weights, left out of the ranking), all stages
are fitted anew without them, and each group of chats is judged by weights that have not seen it.
The candidates of the screen stay the same. The table is Markdown; data sets stand side by side and
are never pooled.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from eval.encoders import Encoders, encoders_option
from eval.fit import check_cases, load, taken_of
from eval.fit_figures import Figures, figures
from eval.fit_lists import Listed, listed_unseen, screening_weights, without
from eval.fit_stages import Beside, Cross, cross_validate
from eval.lessons import lessons_option
from eval.standing_alone import chats_option, run
from sayso.core.chat import Chat
from sayso.retrieval.features import AMONG, CROSSED, MEANT, NAMES
from sayso.weights import OF_PEOPLE, UNCOVERED

FIXED_SIZE = 2  # messages; about the mean of the learned cut
PARTS: dict[str, frozenset[str]] = {
    "shared words": frozenset(
        ["own", "pair", "window", "session", "when_window", "covered", "window_covered", "unheard"]
    ),
    "meaning (all of the embedding)": frozenset(MEANT),
    "word by word (late interaction)": frozenset(n for n in NAMES if n.endswith("words")),
    "what kind of answer is asked for": frozenset(
        ["where_place", "many_number", "who_name", "names_something", "when_has_time"]
    ),
    "who speaks, and among many of whom": frozenset(["by_person", "first_person", *OF_PEOPLE]),
    "dates": frozenset(["near_date", "spoken_date", "when_has_time"]),
    "neighbours and session": frozenset(
        n for n in NAMES if any(part in n for part in ("pair", "window", "session"))
    )
    | {"near_category"},
    "the messages that it is read among": frozenset(["context_cosine"]),
    "everyday categories": frozenset(["in_category", "near_category"]),
    "replies with what they answer": frozenset(
        ["answers_other", "before_cosine", "answer_cosine", "answer_words", "ends_asking"]
    ),
}


# Left out as weights: zeroed as features they would go from the other stages, too.
WEIGHED: dict[str, frozenset[str]] = {
    "weights that go by the question's length": frozenset(
        n for n in CROSSED if n.startswith("asked_long_")
    ),
    "weights that go by its asking for a list": frozenset(
        n for n in CROSSED if n.startswith("asked_list_")
    ),
    "weights that go by how much of it is covered": frozenset(
        n for n in CROSSED if n.startswith(UNCOVERED)
    ),
    "weights of their own where more than two write": frozenset(AMONG),
    "the learned form of question and message": frozenset(["bilinear"]),
}


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@lessons_option
@encoders_option
def main(
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    lessons: tuple[Path, ...],
    encoders: Encoders | None,
) -> None:
    """Parse, fit, print a line a part as it is done."""
    shown: list[str] | None = None
    for name, found in ablated(cases, chats, lessons, encoders):
        if shown is None:
            shown = sorted(found)
            click.echo("\n".join(heading(shown)))
        click.echo(line(name, [found[s] for s in shown]))


def ablated(
    cases: Sequence[Path],
    chats: Sequence[Path],
    lessons: Sequence[Path] = (),
    encoders: Encoders | None = None,
) -> Iterator[tuple[str, dict[str, Figures]]]:
    """Each part's name with the figures without it, by data set; "nothing" first."""
    rows = load(cases, chats, encoders=encoders)
    check_cases(rows, cases)
    taken = taken_of(lessons, chats, encoders=encoders)
    beside = taken.listed(screening_weights([*rows, *taken.ranking]))
    lists = listed_unseen(rows, beside=taken.ranking)
    whole = cross_validate(lists, beside=beside)
    yield "nothing", figures(whole.judged, whole.fits)
    yield "abstaining", figures(whole.judged, never_abstaining(whole).fits)
    yield f"the learned cut (always {FIXED_SIZE})", figures(whole.judged, whole.fits, FIXED_SIZE)
    for name, names in PARTS.items():
        less = partial(without, names=names)
        yield name, _figures([less(one) for one in lists], whole, beside.each(less))
    for name, names in WEIGHED.items():
        cross = cross_validate(lists, near=whole, left_out=names, beside=beside)
        yield name, figures(cross.judged, cross.fits)
    del lists
    with tempfile.TemporaryDirectory() as folder:
        bare = load(cases, chats, without_captions, Path(folder), encoders=encoders)
        unexplained = listed_unseen(bare, beside=taken.ranking)
        yield "captions of pictures", _figures(unexplained, None, beside)


def never_abstaining(cross: Cross) -> Cross:
    """The same fits with no bar for an answer."""
    fits = [replace(fit, cuts={**fit.cuts, "abstain": 0.0}) for fit in cross.fits]
    return replace(cross, fits=fits)


def without_captions(chat: Chat) -> Chat:
    """The chat with its pictures unexplained."""
    messages = tuple(m.model_copy(update={"caption": None}) for m in chat.messages)
    return Chat.model_validate(
        {**dict(chat), "messages": messages}
    )  # a copy would keep what it remembers


def heading(sets: Sequence[str]) -> list[str]:
    """The table's first two lines."""
    cells = [f"{name}: {figure}" for name in sets for figure in ("recall@10", "F1", "abstain F1")]
    return ["| without | " + " | ".join(cells) + " |", "|---" + "|---:" * len(cells) + "|"]


def line(name: str, found: Sequence[Figures]) -> str:
    """One part's line, shares in %."""
    cells = []
    for one in found:
        abstained = "–" if one.abstain_f1 is None else f"{100 * one.abstain_f1:.1f}"
        cells += [f"{100 * one.recalls[1]:.1f}", f"{100 * one.returned[0]:.1f}", abstained]
    return f"| {name} | " + " | ".join(cells) + " |"


def _figures(lists: Sequence[Listed], near: Cross | None, beside: Beside) -> dict[str, Figures]:
    cross = cross_validate(lists, near=near, beside=beside)
    return figures(cross.judged, cross.fits)


if __name__ == "__main__":
    sys.exit(run(main))
