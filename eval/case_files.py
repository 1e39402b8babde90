"""Case files, as they come, to cases of the kind that was asked for.

JSONL or a JSON list of our own cases; the reference arc form (``expected_phases``,
``time_range``, ``evidence_dia_ids``, ``query_type``); REALTALK, LoCoMo and LongMemEval files, which
hold chats and questions in one. A record is an arc case where it has phases, else a question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from eval.case_records import load_records
from eval.cases import ArcCase, Case, CaseKind, FiledCase, QaCase, kind_of
from eval.longmemeval import is_longmemeval, longmemeval_cases
from sayso.chats.ids import checked_chat_id
from sayso.errors import CaseError, InputError

SUFFIXES = (".json", ".jsonl")
REALTALK_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense"}
LOCOMO_CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "unanswerable",
}
# Folders that sort cases by kind say nothing of the set they belong to.
_SORTING_FOLDERS = {"", "cases", "qa", "arc"}
# The reference arc form's names for what our arc cases hold.
_REFERENCE = {
    "expected_phases": "phases",
    "expectedPhases": "phases",
    "evidence_dia_ids": "evidence",
    "evidenceDiaIds": "evidence",
}
_TYPES = {"int", "str", "float", "bool"}
_EXPECTED = {"tuple_type": "a list", "model_type": "an object", "string_type": "a text",
             "int_type": "a whole number", "bool_type": "true or false"}  # fmt: skip
_ARC_MARKS = {"phases", "expected_phases", "expectedPhases"}

Record = Mapping[str, Any]  # a JSON object: what it holds is checked when it becomes a case


@dataclass(frozen=True)
class CaseSet:
    """The cases of one kind; ``left_out`` says per folder what was not taken, in words."""

    cases: tuple[FiledCase, ...]
    left_out: tuple[str, ...] = ()


class _Fault(Exception):
    """What is wrong with a case; who knows where it stands says so."""


class _Parsed(NamedTuple):
    """A file's cases, and whether it is a case file at all."""

    cases: tuple[FiledCase, ...]
    has_cases: bool


def read_cases(paths: Sequence[Path], kind: CaseKind) -> CaseSet:
    """The cases of that kind in the files and folders, in the order given; folders sorted by path.

    A file that stands twice is read once. Raises CaseError for a named file without a case of
    the kind, for a file that breaks its format, and for a caseId that stands twice.
    """
    seen: set[Path] = set()
    cases: list[FiledCase] = []
    left_out: list[str] = []
    for path in paths:
        if path.is_dir():
            inside = [f for f in sorted(path.rglob("*")) if f.suffix.lower() in SUFFIXES]
            parsed = {f: _parse(f) for f in inside if f.is_file() and _first(f, seen)}
            cases.extend(c for p in parsed.values() for c in p.cases if kind_of(c.case) == kind)
            left_out.extend(_left_out(path, parsed, kind))
        elif _first(path, seen):
            cases.extend(_of_kind(path, _parse(path), kind))
    _each_id_once(cases)
    return CaseSet(tuple(cases), tuple(left_out))


def _first(path: Path, seen: set[Path]) -> bool:
    new = path.resolve() not in seen
    seen.add(path.resolve())
    return new


def _of_kind(path: Path, parsed: _Parsed, kind: CaseKind) -> tuple[FiledCase, ...]:
    asked = tuple(c for c in parsed.cases if kind_of(c.case) == kind)
    if asked:
        return asked
    if not parsed.has_cases:
        raise CaseError(
            f"{path}: holds no case; expected a list or lines of objects with a question, "
            "or a REALTALK or LoCoMo file"
        )
    if kind == "arc":
        raise CaseError(f"{path}: holds QA cases only; leave out --arc-cases to run them")
    raise CaseError(
        f"{path}: holds ARC cases only; add --arc-cases to run them, with a command that has it"
    )


def _left_out(folder: Path, parsed: Mapping[Path, _Parsed], kind: CaseKind) -> Iterator[str]:
    others = sum(kind_of(c.case) != kind for p in parsed.values() for c in p.cases)
    strangers = sum(not p.has_cases for p in parsed.values())
    if others:
        yield f"{folder}: left out {others} {'QA' if kind == 'arc' else 'ARC'} cases"
    if strangers:
        yield f"{folder}: left out {strangers} files without cases"


def _each_id_once(cases: Sequence[FiledCase]) -> None:
    first: dict[str, FiledCase] = {}
    for case in cases:
        other = first.setdefault(case.case.case_id, case)
        if other is not case:
            raise CaseError(
                f"{case.file}: caseId {case.case.case_id!r} stands twice, also in {other.file}; "
                "give each case its own caseId, or run the files apart"
            )


def _parse(path: Path) -> _Parsed:
    loaded = load_records(path)
    records = loaded.found
    holders = [r for r in records if isinstance(r, dict) and isinstance(r.get("qa"), list)]
    if holders and len(holders) == len(records):
        chats, alone = _chats_of(path, holders), len(holders) == 1
        cases = [
            c
            for r, chat in zip(holders, chats, strict=True)
            for c in _embedded(path, r, chat, alone)
        ]
        return _Parsed(tuple(cases), has_cases=bool(cases))
    if is_longmemeval(records):
        try:
            return _Parsed(tuple(longmemeval_cases(path, records)), has_cases=True)
        except ValidationError as error:
            raise CaseError(f"{path}: {_said(error)}") from error
    if not all(isinstance(r, dict) for r in records) or not any("question" in r for r in records):
        return _Parsed((), has_cases=False)
    dataset = next((p.name for p in path.resolve().parents if p.name not in _SORTING_FOLDERS), "")
    cases = []
    for at, record in enumerate(records, 1):
        try:
            cases.append(FiledCase(_own_case(at, record), path, dataset))
        except _Fault as fault:
            raise CaseError(f"{path}: {loaded.place(at)}: {fault}") from fault
    return _Parsed(tuple(cases), has_cases=True)


def _chats_of(path: Path, holders: Sequence[Record]) -> list[str]:
    """The chat of each conversation, by the id that it gets when the file is read as chats."""
    if len(holders) == 1:
        return [path.stem]
    chats: list[str] = []
    for n, record in enumerate(holders, 1):
        named = record.get("sample_id")
        try:
            chat = checked_chat_id(f"{named}" if isinstance(named, str | int) else "", path.name)
        except InputError:
            chat = f"{path.stem}_{n}"
        chats.append(f"{path.stem}_{n}" if chat in chats else chat)
    return chats


def _embedded(path: Path, holder: Record, chat: str, alone: bool) -> Iterator[FiledCase]:
    """The questions of a REALTALK or LoCoMo record, which also holds the chat."""
    if "conversation" in holder:
        dataset, categories = "locomo", LOCOMO_CATEGORIES
    elif any(key.startswith("session_") for key in holder):
        dataset, categories = "realtalk", REALTALK_CATEGORIES
    else:
        return
    # A list of REALTALK chats is no format of theirs: only of LoCoMo's can several share a file.
    within = None if alone or dataset != "locomo" else chat
    for at, record in enumerate(holder["qa"], 1):
        place = f"qa {at}" if alone else f"{chat}, qa {at}"
        if not isinstance(record, dict):
            raise CaseError(f"{path}: {place}: expected an object, found {record!r}")
        fields = {k: v for k, v in record.items() if k != "adversarial_answer"}
        number = fields.get("category")
        if not isinstance(number, int) or number not in categories:
            known = ", ".join(f"{n} {name}" for n, name in categories.items())
            raise CaseError(f"{path}: {place}: category {number!r}; expected one of: {known}")
        fields["category"] = categories[number]
        fields["answerable"] = fields["category"] != "unanswerable"
        evidence = fields.get("evidence")
        fields["evidence"] = [evidence] if isinstance(evidence, str) else (evidence or [])
        fields |= {"caseId": f"{chat}#q{at}", "chat": chat}
        try:
            case = _validated(QaCase, fields)
        except _Fault as fault:
            raise CaseError(f"{path}: {place}: {fault}") from fault
        held = alone or within is not None
        yield FiledCase(case, path, dataset, holds_chat=held, chat_within=within)


def _own_case(at: int, record: Record) -> Case:
    fields = dict(record)
    if "caseId" not in fields and "case_id" not in fields:
        fields["caseId"] = f"{fields.get('chat')}#q{at}"
    if not _ARC_MARKS & fields.keys():
        return _validated(QaCase, fields)
    query_type = fields.pop("query_type", fields.pop("queryType", "arc_narrative"))
    if query_type != "arc_narrative":
        raise _Fault(f"query_type {query_type!r}; with phases it can only be 'arc_narrative'")
    renamed = _renamed(fields)
    if isinstance(renamed["phases"], list):
        phases = [_renamed(p) if isinstance(p, dict) else p for p in renamed["phases"]]
        renamed |= {"phases": phases}
    return _validated(ArcCase, renamed)


def _renamed(record: Record) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for key, value in record.items():
        name = _REFERENCE.get(key, key)
        if name in renamed:
            raise _Fault(f"{name!r} is given twice, also as {key!r}")
        renamed[name] = value
    return renamed


def _validated(form: type[Case], fields: Record) -> Case:
    try:
        return form.model_validate(fields)
    except ValidationError as error:
        raise _Fault(_said(error, form)) from error


def _said(error: ValidationError, form: type[Case] | None = None) -> str:
    """The first fault in our words: which key, what it holds, what it should."""
    fault = error.errors()[0]
    # Where a value may be of several types, pydantic adds the one that it tried.
    where = ".".join(str(part) for part in fault["loc"] if part not in _TYPES)
    name = {"extra_forbidden": "unknown key", "missing": "missing key"}.get(fault["type"])
    if name:
        own = form.model_fields.items() if form and len(fault["loc"]) == 1 else ()
        known = ", ".join(of.alias or key for key, of in own)
        return f"{name} {where!r}" + (f"; known keys: {known}" if known else "")
    tried = any(part in _TYPES for part in fault["loc"])
    expected = "a number or a text" if tried else _EXPECTED.get(fault["type"])
    told = f"expected {expected}" if expected else fault["msg"].removeprefix("Value error, ")
    return f"{where} = {fault['input']!r:.60}: {told}"
