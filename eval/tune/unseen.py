"""Test cases are seen once, by one winner: what is told of that before a run, noted, and refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eval.cases import ReadyCase
from eval.tune.keeping import digest_of
from eval.tune.ledger import Ledger, Use, mark_of
from eval.tune.points import fewest
from eval.tune.splits import Splits
from eval.tune.tries import changed_steps
from eval.tune.versions import said_digest
from sayso.reasoning.prompts import Prompts

LEARNED = "some of the test cases were learned from before: their figure is no test"


@dataclass(frozen=True)
class Opened:
    """Whether the test cases may be scored: ``refused`` says why not, in words.

    ``uses`` counts the winners that they were scored for, this one included.
    """

    refused: str | None = None
    uses: int = 0
    notes: tuple[str, ...] = ()


def open_test(
    ledger: Ledger, parts: Splits, base: Prompts, winner: Prompts, folder: Path, *, again: bool
) -> Opened:
    """Note that this winner is held against the current prompts on test, where that is still a test."""
    learned = ledger.learned(parts.test)
    if learned and not again:
        return Opened(_known(learned))
    use = _use(parts, base, winner, folder)
    others = ledger.others(parts.test, use.seed, use.winner)
    if others and not again:
        return Opened(_used(others))
    meanwhile = ledger.note(use)
    if meanwhile and not again:
        return Opened(_used(meanwhile))
    uses = len(others) + 1
    return Opened(None, uses, (_said_used(uses, len(parts.test)), *([LEARNED] if learned else [])))


def learn(ledger: Ledger, cases: Sequence[ReadyCase], step: str, folder: Path) -> None:
    """Note that prompts are proposed or chosen by these cases, so that they are no test later."""
    if cases:
        ledger.note(Use(_now(), step, _marks(cases), "", "", str(folder.absolute()), "learned"))


def told_before(ledger: Ledger, parts: Splits, *, candidates: int, again: bool) -> list[str]:
    """What a person should know before anything is spent on choosing and confirming."""
    lines = [
        *few("valid", parts.valid, fewest(candidates), "tell a gain from chance"),
        *few("test", parts.test, fewest(1), "confirm a gain"),
    ]
    earlier = {"scored": ledger.uses(parts.test), "learned from": ledger.learned(parts.test)}
    for what, uses in earlier.items():
        if uses and not again:
            lines.append(
                f"test cases were {what} before ({uses[-1].at[:10]}, {uses[-1].where}): another "
                "winner will not be confirmed on them without --again"
            )
    return lines


def few(part: str, cases: Sequence[ReadyCase], least: int, what: str) -> list[str]:
    """That a part's cases can never say what is asked of them, where they are too few."""
    if not 0 < len(cases) < least:
        return []
    return [f"{part} has {len(cases)} cases: fewer than {least} can never {what}"]


def _use(parts: Splits, base: Prompts, winner: Prompts, folder: Path) -> Use:
    return Use(
        at=_now(),
        step=", ".join(changed_steps(base, winner)),
        cases=_marks(parts.test),
        seed=_digest(base),
        winner=_digest(winner),
        where=str(folder.absolute()),
    )


def _marks(cases: Sequence[ReadyCase]) -> tuple[str, ...]:
    return tuple(sorted(mark_of(ready) for ready in cases))


def _digest(prompts: Prompts) -> str:
    return digest_of({s: said_digest(p) for s, p in prompts.by_step.items() if p.model})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _known(learned: Sequence[Use]) -> str:
    last = learned[-1]
    return (
        f"not confirmed: some of the test cases were learned from on {last.at[:10]} ({last.step}, "
        f"{last.where}), so they are no test; give each group of people one split in the cases, or "
        "say --again and the result will say so"
    )


def _used(others: Sequence[Use]) -> str:
    last = others[-1]
    return (
        f"not confirmed: the test cases were scored for another prompt on {last.at[:10]} "
        f"({last.step}, {last.where}), so they are no test any more; bring new ones, or say --again "
        "and the result will say so"
    )


def _said_used(uses: int, cases: int) -> str:
    if uses == 1:
        return (
            f"the {cases} test cases have now been used, for this winner and the current prompt; "
            "they can confirm no other"
        )
    return f"the {cases} test cases have been used {uses} times: their figure is no longer a test"
