"""What a benchmark runs on: the modes, and how their chats and Deps come about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.core.chat import Chat
from sayso.core.seams import Deps, Mode
from sayso.errors import ConfigurationError

if TYPE_CHECKING:
    from eval.judging import Judge
    from sayso.settings import Settings


@dataclass(frozen=True)
class Engine:
    """The modes by name; ``load`` takes a chat's id or path; ``settings`` go into the results.

    ``notes`` are told to the person before a run, in words. ``judge`` opens the model that judges
    answers and its prompt; None where no model is configured.
    """

    modes: Mapping[str, Mode]
    load: Callable[[str], Chat]
    deps_for: Callable[[Chat], Deps]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    judge: Callable[[], "Judge"] | None = None


def installed_engine(flags: Mapping[str, Any] | None = None, *, thinks: bool = True) -> Engine:
    """The modes of this installation, with the settings and data folder of this process.

    ``flags`` are settings that go before those of the environment and the file. Not ``thinks``:
    nothing will be asked, so a model that is configured need not be there.
    """
    # Here, not above: a caller with an engine of its own needs none of these.
    from sayso.assembly import NO_MODEL, deps_for, load_chat
    from sayso.modes import MODES
    from sayso.paths import home
    from sayso.settings import read_settings
    from sayso.weights import weights_of

    settings, folder = read_settings(flags), home()
    return Engine(
        modes=MODES,
        load=lambda name: load_chat(name, home=folder),
        deps_for=lambda chat: deps_for(chat, settings, home=folder),
        settings=settings.model_dump(mode="json", exclude={"base_url"})
        | {"weights_version": weights_of(settings.weights).version}
        | (_thinker(settings) if thinks else {}),
        notes=() if settings.model or not thinks else (NO_MODEL,),
        judge=None if settings.model is None else lambda: _judge(settings, folder),
    )


def _judge(settings: "Settings", folder: Path) -> "Judge":
    from eval.judging import Judge, load_judge
    from sayso.assembly import model_caller
    from sayso.paths import prompts_dir

    return Judge(model_caller(settings, home=folder), load_judge(settings.prompts or prompts_dir()))


def _thinker(settings: "Settings") -> dict[str, Any]:
    """Who thinks: with a model its host (an address may hold a password) and the prompts' digests."""
    if settings.model is None:
        return {"reasoner": "extractive"}
    from sayso.paths import prompts_dir
    from sayso.reasoning.model_address import address_of, host_of
    from sayso.reasoning.prompts import load_prompts

    prompts = load_prompts(settings.prompts or prompts_dir())
    return {
        "reasoner": "model",
        "model_host": host_of(address_of(settings)),
        "prompts_digests": {step: p.digest for step, p in prompts.by_step.items() if p.model},
    }


def with_modes(engine: Engine, names: Sequence[str]) -> Engine:
    """The engine with every ``module:function`` of the names as a mode under that name, and "whole".

    The function is called as our modes are, ``(Question, Deps) -> Trail``, or as
    ``(question: str, chat: Chat) -> {"evidence": […], "answer": …}``, the shape of a line that
    ``eval score`` reads; which one, its first parameter's annotation or name tells: ``question:
    Question`` is ours. ConfigurationError where it is not there.
    """
    from eval.callables import mode_of
    from sayso.modes import EVERY_MODE, WHOLE

    strangers = {name: mode_of(name) for name in names if ":" in name}
    if WHOLE in names and WHOLE not in engine.modes:
        if engine.settings.get("model") is None:
            raise ConfigurationError(
                f"mode {WHOLE} gives whole chats to a language model, and none is configured: "
                "name one with --model (SAYSO_MODEL)"
            )
        strangers[WHOLE] = EVERY_MODE[WHOLE]
    return replace(engine, modes={**engine.modes, **strangers}) if strangers else engine
