"""What another system returned, read from its file, as trails that our own metrics score.

JSONL, one object a case::

    {"caseId": "trip#q1", "evidence": [4, "D1:3", {"localId": 7, "start": 0, "end": 12}],
     "answer": "on the 9th", "abstained": false, "ranking": [7, 4, 9], "seconds": 0.8}

Only ``caseId`` is required; both camelCase and snake_case are read. ``evidence`` is what it
cites (an id, or an object with an id and characters), ``ranking`` what it retrieved, best first;
without a ranking the evidence stands for it. Or a TREC run, ``qid Q0 docid rank score tag``,
whose ranking it is and whose first ``cutoff`` are what it cites. An id that names no message of
the case's chat is an unsupported citation, and in a ranking it keeps its rank.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pydantic import ValidationError

from eval.cases import Id, ReadyCase
from eval.replay import Run
from eval.returned import Returned, trail_of
from sayso.errors import CaseError

CUTOFF = 5
_TREC_FIELDS = 6


@dataclass(frozen=True)
class ExternalRun:
    """Runs in the order of the cases; ``notes`` say what was not there or belongs to no case."""

    runs: tuple[Run, ...]
    notes: tuple[str, ...]


def read_run(
    path: Path, cases: Sequence[ReadyCase], *, name: str, cutoff: int = CUTOFF
) -> ExternalRun:
    """The file's results for these cases under the mode's ``name``; a case it lacks returned nothing.

    Raises CaseError with the line for what is neither JSONL of such objects nor a TREC run, and
    for a case that stands twice.
    """
    lines = _lines(path)
    trec = bool(lines) and not lines[0][1].lstrip().startswith("{")
    known = {ready.case.case_id: ready.chat.chat_id for ready in cases}
    returned = _trec(path, lines, cutoff, known) if trec else _jsonl(path, lines)
    strangers = [case_id for case_id in returned if case_id not in known]
    missing = [ready.case.case_id for ready in cases if ready.case.case_id not in returned]
    if returned and len(strangers) == len(returned):
        raise CaseError(
            f"{path}: none of its {len(returned)} cases is among those of --cases; "
            f"it has {strangers[0]!r}, they have {cases[0].case.case_id if cases else None!r}"
        )
    runs = tuple(
        _run(ready, returned.get(ready.case.case_id) or Returned(case_id=ready.case.case_id), name)
        for ready in cases
    )
    notes = []
    if missing:
        notes.append(
            f"{path}: {len(missing)} of {len(cases)} cases have no result there "
            f"(the first is {missing[0]!r}); they count as having returned nothing"
        )
    if strangers:
        notes.append(f"{path}: {len(strangers)} results belong to no case, as {strangers[0]!r}")
    lost = [(run, one) for run in runs if run.trail for one in run.trail.answer.unsupported]
    if lost:
        (run, one), many = lost[0], len(lost)
        told = f"{many} citation{'s' if many > 1 else ''} cannot be read in the chat of the case"
        notes.append(f"{path}: {told}, as of {run.ready.case.case_id!r}: {one.reason}")
    return ExternalRun(runs, tuple(notes))


def _run(ready: ReadyCase, returned: Returned, name: str) -> Run:
    return Run(ready, name, trail_of(returned, ready, name), None, float(returned.seconds))


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from error
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _jsonl(path: Path, lines: Iterable[tuple[int, str]]) -> Mapping[str, Returned]:
    found: dict[str, Returned] = {}
    for number, line in lines:
        try:
            one = Returned.model_validate(json.loads(line))
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"]))
            known = ", ".join(f.alias or n for n, f in Returned.model_fields.items())
            raise CaseError(
                f"{path}:{number}: {where}: {fault['msg']}; the keys are {known}"
            ) from error
        except (ValueError, RecursionError) as error:  # also thousands of digits, or of brackets
            raise CaseError(f"{path}:{number}: no JSON object: {error}") from error
        if one.case_id in found:
            raise CaseError(f"{path}:{number}: {one.case_id!r} stands twice")
        found[one.case_id] = one
    return found


def _trec(
    path: Path, lines: Iterable[tuple[int, str]], cutoff: int, chats: Mapping[str, str]
) -> Mapping[str, Returned]:
    """Ranked by score, best first, as trec_eval does; the written rank breaks ties.

    ``chats`` has the chat of each case.
    """
    ranked: dict[str, list[tuple[float, int, str]]] = {}
    for number, line in lines:
        parts = line.split()
        try:
            qid, _, doc, rank, score, _ = parts
            ranked.setdefault(unquote(qid), []).append((-_number(score), int(rank), unquote(doc)))
        except ValueError as error:
            raise CaseError(
                f"{path}:{number}: neither a JSON object nor a TREC run line; expected "
                f"{_TREC_FIELDS} fields 'qid Q0 docid rank score tag', found {line[:80]!r}"
            ) from error
    found = {}
    for case_id, rows in ranked.items():
        docs = dict.fromkeys(doc for _, _, doc in sorted(rows, key=lambda row: row[:2]))
        ids = tuple(_id(doc, chats.get(case_id, "")) for doc in docs)
        found[case_id] = Returned(case_id=case_id, evidence=ids[:cutoff], ranking=ids)
    return found


def _id(doc: str, chat_id: str) -> Id:
    """Our own runs name a document ``chat#localId``; others may name an id alone.

    A message of another chat stays what it is, so that it is not taken for one of this chat.
    """
    bare = doc.removeprefix(f"{chat_id}#")
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 19 else bare


def _number(text: str) -> float:
    """The number, of which NaN is none: nothing can be ranked by it."""
    number = float(text)
    if math.isnan(number):
        raise ValueError(f"{text} is no number")
    return number
