"""Any Python callable as a mode: ``--mode module:function``.

Two shapes are taken. One with two parameters, the second named ``deps``, is a mode of ours:
``(Question, Deps) -> Trail``. Any other is called with the question's text and, if it takes a
second, the chat; what it returns is a mapping of the keys that ``eval score`` reads (``evidence``,
``ranking``, ``answer``, ``abstained``), or just a list of ids.
"""

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from eval.cases import QaCase, ReadyCase
from eval.returned import Returned, trail_of
from sayso.core.models import Question
from sayso.core.seams import Deps, Mode
from sayso.core.trail import Trail
from sayso.errors import ConfigurationError


def mode_of(name: str) -> Mode:
    """The callable of that name as a mode; ConfigurationError where there is none.

    Modules are also looked for in the working folder, where a colleague's script lies.
    """
    module, _, attribute = name.partition(":")
    if str(os.getcwd()) not in sys.path:  # noqa: PTH109  # sys.path holds strings
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"--mode {name}: cannot be loaded ({error}); expected MODULE:FUNCTION, importable here"
        ) from error
    if not callable(found):
        raise ConfigurationError(f"--mode {name}: {attribute} is no function")
    try:
        parameters = list(inspect.signature(found).parameters)
    except ValueError as error:  # some that are written in C do not tell
        raise ConfigurationError(f"--mode {name}: {error}; wrap it in a function") from error
    if parameters[1:2] == ["deps"]:
        return cast("Mode", found)
    return _asking(name, found, with_chat=len(parameters) > 1)


def _asking(name: str, function: Callable[..., Any], *, with_chat: bool) -> Mode:
    def mode(question: Question, deps: Deps) -> Trail:
        given = (question.text, deps.chat) if with_chat else (question.text,)
        told = function(*given)
        if isinstance(told, str | bytes):
            raise TypeError(f"{name} returned a text; expected ids, or a mapping with 'answer'")
        fields = dict(told) if isinstance(told, Mapping) else {"evidence": tuple(told or ())}
        case = QaCase(case_id="asked", chat=deps.chat.chat_id, question=question.text)
        try:
            returned = Returned.model_validate({"case_id": "asked", **fields})
        except ValidationError as error:
            fault = error.errors()[0]
            raise TypeError(
                f"{name} returned {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            ) from error
        return trail_of(returned, ReadyCase(case, deps.chat), name)

    return mode
