"""What tuning works with: the engine, the current prompts, the model that reflects, the data folder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval.engine import Engine, installed_engine
from eval.tune.demo import DemoCaller, demo_engine
from eval.tune.ledger import FILE, Ledger
from eval.tune.trials import NO_MODEL
from sayso.errors import ConfigurationError
from sayso.reasoning.calling import Caller
from sayso.reasoning.prompts import Prompts, load_prompts


@dataclass(frozen=True)
class Tools:
    """``reflection`` opens the model of that name, None the one that is tuned for.

    ``priced`` says whether that model has a price; ``model`` names the one that is tuned for;
    ``rehearses`` that a rule stands in for it.
    """

    engine: Engine
    prompts: Prompts
    home: Path
    reflection: Callable[[str | None], Caller]
    model: str = ""
    priced: Callable[[str | None], bool] = field(default=lambda name: False)
    rehearses: bool = False

    @property
    def ledger(self) -> Ledger:
        """Where uses of test cases are noted; what a rule has seen, no model has."""
        name = f"rehearsed-{FILE}" if self.rehearses else FILE
        return Ledger(self.home / "tune" / name)


def installed_tools(flags: Mapping[str, Any], *, demo: bool) -> Tools:
    """Those of this installation; ConfigurationError where there is neither a model nor ``demo``."""
    from sayso.assembly import deps_for, model_caller
    from sayso.paths import home, prompts_dir
    from sayso.settings import read_settings

    settings, folder = read_settings(flags), home()
    prompts = load_prompts(settings.prompts or prompts_dir())
    engine = installed_engine(flags, thinks=not demo)
    if demo:
        plain = settings.model_copy(update={"model": None})
        bare = replace(engine, deps_for=lambda chat: deps_for(chat, plain, home=folder))
        engine = demo_engine(bare, prompts)
        return Tools(
            engine, prompts, folder, lambda name: DemoCaller(), model="demo", rehearses=True
        )
    if settings.model is None:
        raise ConfigurationError(NO_MODEL)

    def reflection(name: str | None) -> Caller:
        named = settings.model_copy(update={"model": name or settings.model})
        return model_caller(named, home=folder)

    return Tools(
        engine,
        prompts,
        folder,
        reflection,
        model=settings.model,
        priced=lambda name: (name or settings.model) in settings.prices,
    )
