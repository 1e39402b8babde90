"""What another system returned, read from its file, as trails that our own metrics score.

JSONL, one object a case::

    {"caseId": "trip#q1", "evidence": [4, "D1:3", {"localId": 7, "start": 0, "end": 12}],
     "answer": "on the 9th", "abstained": false, "ranking": [7, 4, 9], "seconds": 0.8}

Only ``caseId`` is required; both camelCase and snake_case are read. ``evidence`` is what it
cites (an id, or an object with an id and characters), ``ranking`` what it retrieved, best first;
without a ranking the evidence stands for it. Or a TREC run, ``qid Q0 docid rank score tag``,
whose ranking it is and whose first ``cutoff`` are what it cites.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from eval.cases import Id, ReadyCase
from eval.gold import resolve
from eval.replay import Run
from sayso.core.chat import Chat
from sayso.core.models import Answer, Candidate, Claim, Evidence, Plan, Question, Unsupported
from sayso.core.spans import document_id
from sayso.core.trail import Trail
from sayso.core.value import Value
from sayso.errors import CaseError

CUTOFF = 5
_TREC_FIELDS = 6


class Cited(Value):
    """A message, and the characters ``[start, end)`` of it; both None = the whole text."""

    local_id: StrictInt | None = None
    source_id: StrictStr | None = None
    start: StrictInt | None = Field(default=None, ge=0)
    end: StrictInt | None = Field(default=None, ge=0)


class Returned(Value):
    """What a system returned for one case."""

    case_id: StrictStr
    evidence: tuple[Id | Cited, ...] = ()
    ranking: tuple[Id, ...] | None = None
    answer: StrictStr = ""
    abstained: StrictBool | None = None  # None: it abstains by returning nothing
    seconds: StrictFloat | StrictInt = 0.0


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
    returned = _trec(path, lines, cutoff) if trec else _jsonl(path, lines)
    known = {ready.case.case_id for ready in cases}
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
    return ExternalRun(runs, tuple(notes))


def trail_of(returned: Returned, ready: ReadyCase, mode: str) -> Trail:
    """The trail as one of our modes would have left it; ids that name no message are unsupported."""
    chat = ready.chat
    evidence: list[Evidence] = []
    lost: list[Unsupported] = []
    for given in returned.evidence:
        cited = given if isinstance(given, Cited) else _whole(given)
        found = _cite(cited, chat)
        if isinstance(found, Unsupported):
            lost.append(found)
        else:
            evidence += found
    once = tuple(dict.fromkeys(sorted(evidence, key=lambda e: (e.sent_at, e.local_id, e.start))))
    ranked = returned.ranking
    if ranked is None:
        ranked = tuple(dict.fromkeys(e.local_id for e in evidence))
    ids = list(dict.fromkeys(i for given in ranked for i in resolve((given,), chat).local_ids))
    abstained = returned.abstained if returned.abstained is not None else not once
    return Trail(
        question=Question(text=ready.case.question, chat_id=chat.chat_id),
        mode=mode,
        plan=Plan(intent="fact", queries=()),
        ranking=tuple(
            Candidate(chat_id=chat.chat_id, local_id=local_id, score=-float(rank))
            for rank, local_id in enumerate(ids)
        ),
        rounds=(),
        graded=(),
        answer=Answer(
            text=returned.answer,
            evidence=once,
            claims=(Claim(text=returned.answer, evidence=once),) if returned.answer else (),
            unsupported=tuple(lost),
            abstained=abstained,
        ),
        steps=(),
        stop_reason="single pass",
    )


def _run(ready: ReadyCase, returned: Returned, name: str) -> Run:
    return Run(ready, name, trail_of(returned, ready, name), None, float(returned.seconds))


def _whole(given: Id) -> Cited:
    return Cited(local_id=given) if isinstance(given, int) else Cited(source_id=given)


def _cite(cited: Cited, chat: Chat) -> list[Evidence] | Unsupported:
    given = cited.source_id if cited.local_id is None else cited.local_id
    ids = resolve((given,), chat).local_ids if given is not None else ()
    if not ids:
        number = given if isinstance(given, int) and given > 0 else 0
        return Unsupported(local_id=number, quote=None, reason=f"{given!r} names no message")
    found = []
    for local_id in ids:
        message = chat.by_id[local_id]
        start = cited.start or 0
        end = len(message.text) if cited.end is None else cited.end
        if not start <= end <= len(message.text):
            return Unsupported(
                local_id=local_id,
                quote=None,
                reason=f"[{start}, {end}) is not within its {len(message.text)} characters",
            )
        found.append(
            Evidence(
                local_id=local_id,
                sender=message.sender,
                sent_at=message.sent_at,
                doc_id=document_id(chat.chat_id, local_id),
                start=start,
                end=end,
                quote=message.text[start:end],
            )
        )
    return found


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
        except json.JSONDecodeError as error:
            raise CaseError(f"{path}:{number}: no JSON object: {error.msg}") from error
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"]))
            known = ", ".join(f.alias or n for n, f in Returned.model_fields.items())
            raise CaseError(
                f"{path}:{number}: {where}: {fault['msg']}; the keys are {known}"
            ) from error
        if one.case_id in found:
            raise CaseError(f"{path}:{number}: {one.case_id!r} stands twice")
        found[one.case_id] = one
    return found


def _trec(path: Path, lines: Iterable[tuple[int, str]], cutoff: int) -> Mapping[str, Returned]:
    """Ranked by score, best first, as trec_eval does; the written rank breaks ties."""
    ranked: dict[str, list[tuple[float, int, str]]] = {}
    for number, line in lines:
        parts = line.split()
        try:
            qid, _, doc, rank, score, _ = parts
            ranked.setdefault(unquote(qid), []).append((-float(score), int(rank), unquote(doc)))
        except ValueError as error:
            raise CaseError(
                f"{path}:{number}: neither a JSON object nor a TREC run line; expected "
                f"{_TREC_FIELDS} fields 'qid Q0 docid rank score tag', found {line[:80]!r}"
            ) from error
    found = {}
    for case_id, rows in ranked.items():
        ids = tuple(_id(doc) for _, _, doc in sorted(rows, key=lambda row: row[:2]))
        found[case_id] = Returned(case_id=case_id, evidence=ids[:cutoff], ranking=ids)
    return found


def _id(doc: str) -> Id:
    """Our own runs name a document ``chat#localId``; others may name an id alone."""
    bare = doc.rpartition("#")[2]
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 19 else bare
