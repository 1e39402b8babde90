"""GEPA over one step's prompt, within our budget and rules.

GEPA keeps no state of its own here. A run that is resumed begins again with the same seed, and what
was run or said before is read from what was kept: so it goes exactly the way of an unbroken one.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eval.cases import ReadyCase
from eval.tune.adapter import Adapter
from eval.tune.evolved import INTERRUPTED, Candidate, Evolved, Plan, check_budget
from eval.tune.reflecting import Reflector
from eval.tune.trials import Trials
from eval.tune.watching import Watch
from sayso.errors import ConfigurationError, ReasoningError
from sayso.reasoning.prompts import Prompts

EXTRA = "sayso tune evolve needs the package gepa: pip install 'sayso[tune]'"


def evolve(
    plan: Plan,
    base: Prompts,
    trials: Trials,
    reflector: Reflector,
    train: Sequence[ReadyCase],
    valid: Sequence[ReadyCase],
    *,
    folder: Path,
    on_scored: Callable[[Candidate, Candidate, int], None] = lambda one, best, runs: None,
) -> Evolved:
    """Search until the budget of runs or of reflection ends.

    ``on_scored`` hears of each candidate that was scored on valid, of the best so far, and of the
    runs that were counted. Candidates are written to the folder as they come. KeyboardInterrupt
    and runs that are all lost give what was found by then, not ``complete``.
    """
    optimize = _gepa()
    check_budget(plan, train, valid)
    adapter = Adapter(plan, base, trials, reflector)
    watch = Watch(plan, adapter, len(valid), folder, on_scored)
    complete = True
    try:
        optimize(
            seed_candidate={plan.step: base[plan.step].system},
            trainset=list(train),
            valset=list(valid),
            adapter=adapter,
            reflection_minibatch_size=plan.batch,
            stop_callbacks=watch.stops,
            callbacks=[watch],
            logger=_Silent(),
            track_best_outputs=False,
            seed=plan.seed,
        )
    except KeyboardInterrupt:
        complete, watch.why = False, INTERRUPTED
    except ReasoningError as error:  # every run of a batch was lost
        complete, watch.why = False, str(error)
    if adapter.broken is not None:
        raise adapter.broken
    return Evolved(
        candidates=tuple(watch.found),
        runs=watch.runs,
        iterations=watch.iterations,
        reflections=reflector.asked,
        reflection=reflector.spent,
        refused=adapter.refused,
        why=watch.why,
        complete=complete and reflector.failed is None,
    )


class _Silent:
    """GEPA's own log is of its innards; the person hears from us."""

    def log(self, message: str) -> None:
        pass


def _gepa() -> Callable[..., Any]:
    try:
        from gepa.api import optimize
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "gepa":
            raise
        raise ConfigurationError(EXTRA) from error
    return optimize
