"""A search from end to end: GEPA on train and valid, then what valid and test say of the winner."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.tune.choosing import Outcome, confirm
from eval.tune.evolved import INTERRUPTED, Candidate, Evolved, Plan, check_budget
from eval.tune.evolving import evolve
from eval.tune.keeping import FILE, Kept
from eval.tune.leakage import Known
from eval.tune.records import evolved_record, outcome_record
from eval.tune.reflecting import Allowed, Reflector, load_reflection
from eval.tune.runs import Asked, begin, check_same, finish, made_of, new_run, reopen
from eval.tune.spending import usage_line
from eval.tune.splits import Splits
from eval.tune.tools import Tools
from eval.tune.trials import Trials
from eval.tune.trying import inherited
from eval.tune.unseen import learn, told_before
from eval.tune.versions import in_set
from eval.tune.view import outcome_lines
from sayso.errors import ConfigurationError, ReasoningError

Say = Callable[[str], None]


@dataclass(frozen=True)
class Search:
    """What a search found; without an ``outcome`` it did not come to its end.

    ``lost`` says how many runs failed, in words.
    """

    folder: Path
    evolved: Evolved
    outcome: Outcome | None
    record: Mapping[str, Any]
    usage: tuple[str, ...]
    lost: str | None = None


def search(
    asked: Asked,
    tools: Tools,
    trials: Trials,
    parts: Splits,
    *,
    metric: str,
    out: Path,
    resume: Path | None = None,
    again: bool = False,
    say: Say = lambda text: None,
) -> Search:
    """Search within the budgets, choose by valid, confirm on test; everything is in the folder.

    Raises ConfigurationError before the first trial where the budget is too small, a price is
    missing, or a run to go on with was made of something else.
    """
    plan = Plan(asked.step, metric, asked.budget, asked.batch, asked.seed, asked.max_cost)
    check_budget(plan, parts.train, parts.valid)
    _check_prices(asked, tools)
    known = Known(parts.all)
    for line in _before(asked, tools, parts, known, again):
        say(line)
    folder = _folder(asked, tools, parts, out, resume)
    learn(tools.ledger, (*parts.train, *parts.valid), asked.step, folder)
    if trials.kept.path is None:
        trials.kept = Kept(folder / FILE)
    reflector = Reflector(
        tools.reflection(asked.reflection_model), load_reflection(tools.prompts.folder), folder, known,
        Allowed(asked.reflection_calls, asked.reflection_tokens, asked.max_cost),
        on_refused=lambda text, why: say(f"a proposal was refused: {'; '.join(why)}"),
    )  # fmt: skip

    def scored(one: Candidate, best: Candidate, runs: int) -> None:
        say(f"{runs} of {plan.budget} runs: a candidate has {100 * one.mean:.1f} points on valid; "
            f"best so far {100 * best.mean:.1f}")  # fmt: skip

    evolved = evolve(
        plan, tools.prompts, trials, reflector, parts.train, parts.valid,
        folder=folder, on_scored=scored,
    )  # fmt: skip
    outcome = None
    if evolved.complete and evolved.candidates:
        try:
            outcome = confirm(
                "the best candidate", in_set(tools.prompts, evolved.best.prompt), tools.prompts,
                trials, parts, metric=metric, known=known, ledger=tools.ledger, folder=folder,
                among=len(evolved.candidates) - 1, again=again, seed=asked.seed,
            )  # fmt: skip
        except KeyboardInterrupt:
            evolved = replace(evolved, complete=False, why=INTERRUPTED)
        except ReasoningError as error:
            evolved = replace(evolved, complete=False, why=str(error))
    record = {"asked": asked.step, "metric": metric, **evolved_record(evolved)}
    if outcome is not None:
        record["outcome"] = outcome_record(outcome)
    finish(folder, record)
    usage = (
        f"runs took now: {usage_line(trials.fresh)}",
        f"reflection took in all: {usage_line(evolved.reflection)}",
    )
    return Search(folder, evolved, outcome, record, usage, trials.lost_line())


def search_lines(done: Search) -> list[str]:
    """The search as a person reads it."""
    evolved = done.evolved
    lines = [
        f"{evolved.runs} runs, {evolved.iterations} iterations, {evolved.reflections} reflections, "
        f"{len(evolved.candidates)} prompts scored on valid; ended: {evolved.why}"
    ]
    if evolved.candidates:
        first, best = evolved.candidates[0], evolved.best
        lines.append(
            f"on valid: the current prompt {100 * first.mean:.1f}, the best {100 * best.mean:.1f}"
        )
    lines += outcome_lines(done.outcome) if done.outcome else []
    return [*lines, *done.usage, f"written to {done.folder}"]


def _folder(asked: Asked, tools: Tools, parts: Splits, out: Path, resume: Path | None) -> Path:
    now = made_of(tools.prompts, tools.engine.settings, parts)
    if resume is not None:
        check_same(resume, reopen(resume)[1], now)
        return resume
    folder = new_run(out, datetime.now(UTC))
    begin(folder, asked, now)
    return folder


def _before(asked: Asked, tools: Tools, parts: Splits, known: Known, again: bool) -> list[str]:
    """What the person should know before anything is spent."""
    tokens = "any number of" if asked.reflection_tokens is None else str(asked.reflection_tokens)
    cost = "" if asked.max_cost is None else f", cost at most {asked.max_cost:g} in all"
    lines = [
        f"at most {asked.budget} runs of a case with {tools.model or 'the model'}, and "
        f"{asked.reflection_calls} reflections with {asked.reflection_model or tools.model or 'it'} "
        f"({tokens} tokens{cost})"
    ]
    lines += told_before(tools.ledger, parts, candidates=1, again=again)
    leaks = known.leaks(f"{tools.prompts[asked.step].system}\n{tools.prompts[asked.step].user}")
    return [*lines, inherited(leaks)] if leaks else lines


def _check_prices(asked: Asked, tools: Tools) -> None:
    if asked.max_cost is None:
        return
    for name in (None, asked.reflection_model):
        if not tools.priced(name):
            raise ConfigurationError(
                f"--max-cost needs the price of {name or tools.model or 'the model'}: write it as "
                "[prices.NAME] with prompt and completion into sayso.toml"
            )
