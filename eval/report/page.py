"""``report.html``: a run as one file that needs no network, with and without JavaScript."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from eval.cases import Case
from eval.report.case_table import Line, case_table, cases_of
from eval.report.case_view import arc_lines, case_view
from eval.report.figures import Figures, estimates_record, figures_of
from eval.report.markup import h, html
from eval.report.meanings import meanings_list
from eval.report.sections import head, plots
from eval.report.tables import (
    abstention_table,
    change_tables,
    cost_table,
    metrics_table,
    repeats_table,
)
from eval.report.timeline import HOW_TO_READ
from eval.scoring import Row
from sayso.core.chat import Chat
from sayso.errors import StoreError

# Details of cases stand in the page itself up to the first bound, so that they open without
# JavaScript; then in its data, up to the second; the rest of them is left out.
IN_PAGE = 2_000_000
IN_ALL = 12_000_000
_MANY_CASES = 300  # beyond, one neighbour of a message instead of two
_ARCS_SHOWN = 12
_ORACLES = {"retrieval": "grader", "evidence": "generator"}


@dataclass
class Room:
    """Characters that are left for details, and the details that the page's data hold."""

    in_page: int = IN_PAGE
    in_all: int = IN_ALL
    later: dict[str, str] = field(default_factory=dict)
    left_out: int = 0
    without_script: int = 0


def write_report(
    path: Path,
    *,
    results: Mapping[str, Any],
    rows: Sequence[Row],
    chats: Mapping[str, Chat],
    cases: Mapping[str, Case] | None = None,
    title: str = "",
) -> Path:
    """Write the run as one HTML page and return its path; StoreError if it cannot be written.

    ``results`` is what ``results.json`` holds of ``rows``. ``chats`` are by chatId; messages of a
    chat that is missing are left out. ``cases`` are by caseId: with them, expected answers, phases
    and expected characters are shown. Takes seconds, and a minute for a thousand cases a mode.
    """
    page = report(results, rows, chats=chats, cases=cases or {}, title=title)
    scratch = path.with_name(f".{path.name}.new")
    try:
        scratch.write_text(page, encoding="utf-8", newline="\n")
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def report(
    results: Mapping[str, Any],
    rows: Sequence[Row],
    *,
    chats: Mapping[str, Chat],
    cases: Mapping[str, Case],
    title: str = "",
    room: Room | None = None,
) -> str:
    """The page as text; ``room`` bounds its size."""
    sets = figures_of(results, rows)
    room = room or Room()
    many = len({row.case_id for row in rows}) > _MANY_CASES
    sections = [
        _section(n, one, chats, cases, room, neighbours=1 if many else 2)
        for n, one in enumerate(sets)
    ]
    script = _asset("report.js")
    name = title or f"{results['kind'].upper()} run of {_when(results['timestamp'])}"
    data = {
        "figures": {one.name: estimates_record(one) for one in sets},
        "later": room.later,
    }
    page = h(
        "html",
        h(
            "head",
            h("meta", charset="utf-8"),
            h("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
            h("meta", name="viewport", content="width=device-width, initial-scale=1"),
            h("meta", name="color-scheme", content="light dark"),
            h("meta", name="referrer", content="no-referrer"),
            h("title", name),
            h("style", _asset("report.css")),
        ),
        h(
            "body",
            h("header", h("h1", name), _about(results), _contents(sets)),
            h("main", sections),
            h("footer", _cuts(room, many=many)),
            h("script", _inert_json(data), type="application/json", id="data"),
            h("script", script),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{html(page)}\n"


def _section(
    number: int,
    figures: Figures,
    chats: Mapping[str, Chat],
    cases: Mapping[str, Case],
    room: Room,
    *,
    neighbours: int,
) -> Element:
    section = f"set{number}"
    found = cases_of(figures.rows, figures.modes, chats, cases)
    lines = [Line(f"{section}-{n}", of) for n, of in enumerate(found, 1)]
    details = {
        line.key: view
        for line in lines
        if (view := _placed(line, room, neighbours=neighbours)) is not None
    }
    arcs = [
        h("figure", h("figcaption", h("a", h("bdi", of.any.question), href=f"#{line.key}")), drawn)
        for line in lines
        if (of := line.of).any.kind == "arc" and (drawn := arc_lines(of)) is not None
    ]
    return h(
        "section",
        h("h2", h("bdi", figures.name or "Cases")),
        head(figures),
        plots(figures),
        h("h3", "Arcs on a time line") if arcs else None,
        h("p", HOW_TO_READ, class_="note") if arcs else None,
        h("div", arcs[:_ARCS_SHOWN], class_="plots") if arcs else None,
        h("p", f"{len(arcs) - _ARCS_SHOWN} more arcs: open their cases below.", class_="note")
        if len(arcs) > _ARCS_SHOWN
        else None,
        h("h3", "Numbers"),
        meanings_list(figures.kind),
        metrics_table(figures),
        change_tables(figures),
        repeats_table(figures),
        abstention_table(figures),
        cost_table(figures),
        h("h3", "Cases"),
        case_table(lines, details, section=section),
        id=section,
    )


def _placed(line: Line, room: Room, *, neighbours: int) -> Element | None:
    """The case's details for the page itself; None where they stand in its data, or nowhere."""
    if room.in_all <= 0:
        room.left_out += 1
        note = "The details are left out of this page for want of room; rows.jsonl has them."
        return h("p", note, class_="note")
    view = case_view(line.of, neighbours=neighbours)
    written = html(view)
    if room.in_page - len(written) >= 0:
        room.in_page -= len(written)
        room.in_all -= len(written)
        return view
    room.in_page = 0  # what follows follows in the data as well
    room.without_script += 1
    room.later[line.key] = written
    room.in_all -= len(json.dumps(written, ensure_ascii=False)) + 5 * written.count("<")
    return None


def _about(results: Mapping[str, Any]) -> Element:
    config = results.get("config", {})
    settings, versions = config.get("settings", {}), config.get("versions", {})
    model = settings.get("model") or f"none ({settings.get('reasoner', 'not recorded')})"
    told: list[Element | str] = [
        f"sayso {versions.get('sayso', '')} · model: ",
        h("bdi", str(model)),
    ]
    options = config.get("options", {})
    if to := _ORACLES.get(options.get("oracle")):
        told.append(f" · oracle: the expected messages were handed to the {to}")
    if options.get("overlay"):
        told.append(" · scored under repaired labels")
    if not results.get("complete", True):
        told.append(" · interrupted: only the cases that had ended")
    plain = json.dumps(
        {k: config[k] for k in ("options", "settings", "versions") if k in config},
        ensure_ascii=False,
        indent=1,
        default=str,
    )
    return h(
        "div",
        h("p", told),
        h("details", h("summary", "Settings and versions"), h("pre", plain)) if config else None,
    )


def _when(timestamp: str) -> str:
    """``2024-05-06 00:00 UTC``, to the minute."""
    at = datetime.fromisoformat(timestamp).astimezone(UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _contents(sets: Sequence[Figures]) -> Element | None:
    if len(sets) < 2:
        return None
    links = [
        h("li", h("a", h("bdi", one.name or "Cases"), href=f"#set{n}"))
        for n, one in enumerate(sets)
    ]
    return h("nav", h("ul", links), aria_label="Data sets")


def _cuts(room: Room, *, many: bool) -> list[Element]:
    told = [
        "Every number comes from results.json and rows.jsonl beside this page.",
        f"Messages stand with {'one neighbour' if many else 'two neighbours'} on either side; at "
        "most 30 are marked in a case; long messages and answers are shortened (…).",
    ]
    if room.without_script:
        told.append(f"Without JavaScript, {room.without_script} cases do not open.")
    if room.left_out:
        told.append(
            f"For want of room, {room.left_out} cases have no details; rows.jsonl has them."
        )
    return [h("p", " ".join(told))]


def _policy(script: str) -> str:
    """Nothing is fetched, and no other script runs than ours."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _inert_json(data: Mapping[str, Any]) -> str:
    """JSON that no HTML reader takes for markup: without any ``<``."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
