"""``sayso doctor``: how sayso is set up here, and what of that does not work."""

import json
from collections.abc import Iterator
from typing import Any

import click

from sayso.cli.rendering import Ink, columns, ink, say, say_json
from sayso.cli.visible import inline, one_line
from sayso.model_flags import model_options
from sayso.paths import home

_BROKEN = 2
_BUILT_IN = frozenset({"embeddings", "weights", "prompts"})
_DIGITS = 12  # of a digest
_ABILITIES = (
    ("jsonSchema", "json_schema"),
    ("tools", "tools"),
    ("jsonMode", "json_mode"),
    ("stream", "stream"),
    ("usage", "usage"),
)

Record = dict[str, Any]  # a part of what Examination.record gives


@click.command("doctor")
@model_options
@click.option("--no-probe", is_flag=True, help="Do not call the model to see what it can do.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor_command(
    ctx: click.Context,
    /,
    no_probe: bool,
    as_json: bool,
    **model_settings: Any,  # the settings of a model, under their names
) -> None:
    """Show settings, chats and model as sayso sees them here, and what does not work.

    A model that is configured gets a few small calls. Exit codes: 0 all is well, 2 something is
    broken.
    """
    # Only here: the rest of this command needs none of what that loads.
    from sayso.cli.examining import Examination

    record = Examination(model_settings, home()).all(probing=not no_probe).record()
    if as_json:
        say_json(record)
    else:
        say(_lines(record, ink()))
    ctx.exit(_BROKEN if record["broken"] else 0)


def _lines(record: Record, ink: Ink) -> Iterator[str]:
    rows = [
        [name, _value(name, of["value"]), one_line(of["from"])]
        for name, of in record["settings"].items()
    ]
    yield from _part("Settings", columns(rows), ink)
    held = ", ".join(f"{name} {v}" for name, v in record["versions"].items() if v)
    yield from _part("Versions", [held], ink)
    yield from _part("Data", [_data(record["data"])], ink)
    yield from _part("Chats", _chats(record["chats"]), ink)
    yield from _part("Prompts", _prompts(record["prompts"]), ink)
    yield from _part("Model", _model(record["model"]), ink)
    yield from _part("Tracing", [_tracing(record["tracing"])], ink)
    yield from (f"{ink('advice', 'heading')}: {one_line(text)}" for text in record["advice"])
    yield from (f"{ink('broken', 'warning')}: {one_line(text)}" for text in record["broken"])
    if not record["broken"]:
        yield "all is well"


def _part(title: str, lines: list[str], ink: Ink) -> Iterator[str]:
    yield ink(title, "heading")
    yield from (f"  {line}" for line in lines)


def _value(name: str, value: Any) -> str:  # a setting's
    if value is None:
        if name in _BUILT_IN:
            return "the one built in"
        return "a quarter of the window, at most 4096" if name == "completion" else "none"
    return inline(value if isinstance(value, str) else json.dumps(value))


def _data(of: Record) -> str:
    state = (
        "not there yet"
        if not of["exists"]
        else f"rights {of['mode']}"
        if of["mode"]
        else "no folder"
    )
    return f"{inline(of['folder'])}, {state}"


def _chats(chats: list[Record]) -> list[str]:
    rows = [
        [
            inline(c["chatId"]),
            f"{c['messages']} messages",
            c["language"],
            inline(c["embeddings"]),
            f"index {c['index']}",
        ]
        for c in chats
    ]
    return columns(rows, right=frozenset({1})) if rows else ["none"]


def _prompts(of: Record) -> list[str]:
    rows = [
        [step, f"version {p['version']}", p["digest"][:_DIGITS] if p["model"] else "asks no model"]
        for step, p in of["steps"].items()
    ]
    return [inline(of["folder"]), *(columns(rows) if rows else [])]


def _model(of: Record | None) -> list[str]:
    if of is None:
        return ["none: answers are put together from quoted messages (--model, SAYSO_MODEL)"]
    lines = [f"{inline(of['name'])}, OPENAI_API_KEY {'set' if of['key'] else 'not set'}"]
    if "address" in of:
        window = f"{of['window']:,} tokens" if of["window"] else "not known"
        lines += [f"at {inline(of['address'])}, window {window}"]
    can = of["can"]
    if can is None:
        return [*lines, "not asked what it can do"]
    if can["problem"] is not None:
        return [*lines, "does not answer" if not can["reachable"] else "answers with an error"]
    told = ", ".join(f"{name} {'yes' if can[key] else 'no'}" for key, name in _ABILITIES)
    return [*lines, told, f"structured replies by {can['way']}"]


def _tracing(of: Record) -> str:
    if of["host"] is None:
        return "off"
    return f"to {inline(of['host'])}" + ("" if of["used"] else ", not used: no model, or offline")
