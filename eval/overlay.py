"""Repairs of gold that a person has signed, kept beside the published labels and never in them.

A line a case::

    {"caseId": "c#q19", "published": ["D1:14", "D:11:26"], "proposed": [14, 243],
     "why": "'D:11:26' read as [243]", "signed": null}

``eval audit --write FILE`` writes it; a person reads the messages, corrects ``proposed`` and puts
their name into ``signed``. Only signed lines count, and only while the case still publishes the
same ids. Scores are then shown under the published and under the repaired labels.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import StrictStr, ValidationError

from eval.audit import Proposal
from eval.cases import Case, Id, QaCase, ReadyCase
from sayso.core.value import Value
from sayso.errors import CaseError


class Repair(Value):
    """One line of an overlay."""

    case_id: StrictStr
    published: tuple[Id, ...]
    proposed: tuple[Id, ...]
    why: StrictStr = ""
    signed: StrictStr | None = None


@dataclass(frozen=True)
class Repaired:
    """The cases under repaired labels, those that changed, and notes on lines that did not count."""

    cases: tuple[ReadyCase, ...]
    changed: frozenset[str]
    notes: tuple[str, ...]


def write_overlay(path: Path, proposals: Sequence[Proposal]) -> None:
    """The proposals, unsigned; CaseError where the file exists, since it may hold signatures."""
    lines = [
        Repair(case_id=p.case_id, published=p.published, proposed=p.proposed, why=p.why)
        for p in proposals
    ]
    try:
        with path.open("x", encoding="utf-8") as file:
            for line in lines:
                record = line.model_dump(mode="json", by_alias=True)
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
    except FileExistsError as error:
        raise CaseError(
            f"{path}: is there already; name a new file, signatures are kept"
        ) from error
    except OSError as error:
        raise CaseError(f"{path}: cannot be written: {error.strerror}") from error


def read_overlay(path: Path) -> tuple[Repair, ...]:
    """The lines; CaseError with the line's number for what is no such line or stands twice."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from error
    found: dict[str, Repair] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            repair = Repair.model_validate_json(line)
        except ValidationError as error:
            raise CaseError(
                f"{path}:{number}: no line of an overlay: {error.errors()[0]['msg']}; "
                'expected {"caseId", "published", "proposed", "why", "signed"}'
            ) from error
        if repair.case_id in found:
            raise CaseError(f"{path}:{number}: {repair.case_id!r} stands twice")
        found[repair.case_id] = repair
    return tuple(found.values())


def under(cases: Sequence[ReadyCase], overlay: Sequence[Repair]) -> Repaired:
    """The cases with the evidence that was signed for; spans of a changed case are whole messages."""
    by_id = {repair.case_id: repair for repair in overlay}
    changed: set[str] = set()
    notes: list[str] = []
    repaired = []
    for ready in cases:
        case, repair = ready.case, by_id.pop(ready.case.case_id, None)
        idle = None if repair is None else _idle(repair, case)
        if idle is not None:
            notes.append(f"{case.case_id}: {idle}")
        if repair is None or idle is not None:
            repaired.append(ready)
            continue
        changed.add(case.case_id)
        kept = case.model_copy(update={"evidence": repair.proposed, "spans": ()})
        repaired.append(replace(ready, case=kept))
    notes += [f"{case_id}: the overlay repairs a case that is not there" for case_id in by_id]
    return Repaired(tuple(repaired), frozenset(changed), tuple(notes))


def _idle(repair: Repair, case: Case) -> str | None:
    """Why a line does not count for its case; None where it does."""
    if not isinstance(case, QaCase):
        return "is an arc, whose phases no overlay repairs"
    if not (repair.signed or "").strip():
        return "the proposal is not signed and does not count"
    if not case.answerable:
        return "is marked unanswerable, so that no evidence counts"
    if repair.published != case.evidence:
        return "publishes other ids than those that were signed over"
    return None
