"""LongMemEval: each question with the history it is asked of, sessions between a user and an assistant.

A session has a time to the minute and its turns have none: they follow each other within that
minute, a second apart or closer. Sessions go by their dates; one that stands twice, under two
dates, is there twice. A turn's source_id is ``{session id}:{turn}``, from 1.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sayso.chats.clock import checked, placed, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import Object, shown, text_of
from sayso.chats.importers.format import Format
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.several import read_several
from sayso.chats.importers.streaming import head_of, listed

NAME = "LongMemEval JSON"
_TIME = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: \([A-Za-z]{3}\))? (\d{1,2}):(\d{2})", re.ASCII)


def recognises(export: Export) -> bool:
    """Whether it is a question with a history, or a list of such."""
    value = export.json
    return is_question(value) or any(map(is_question, head_of(value)))


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The history of every question, under the question's id."""
    given = [export.json] if isinstance(export.json, dict) else listed(export.json) or ()

    def found() -> Iterator[tuple[int, Object]]:
        return ((n, q) for n, q in enumerate(given) if is_question(q))

    wanted = [(text_of(q.get("question_id")), f"{n}") for n, q in found()]
    if len(wanted) == 1:
        return (_history(next(found()), export, options),)
    parts = zip(ids_for(wanted, options.chat_id), found(), strict=True)
    return read_several(parts, lambda part, chosen: _history(part, export, chosen), options, export)


LONGMEMEVAL = Format("longmemeval", NAME, "sayso import longmemeval_oracle.json", recognises, read)


def sessions(question: Object) -> Iterator[tuple[str, Any, Any]]:
    """Each session's id, made unique by ``#2`` and so on, its date and its turns, in file order."""
    seen: Counter[str] = Counter()
    ids, dates = question.get("haystack_session_ids"), question.get("haystack_dates")
    for n, turns in enumerate(question["haystack_sessions"]):
        named = ids[n] if isinstance(ids, list) and n < len(ids) else None
        session_id = named if isinstance(named, str) and named else f"session_{n + 1}"
        seen[session_id] += 1
        times = seen[session_id]
        date = dates[n] if isinstance(dates, list) and n < len(dates) else None
        yield (session_id if times == 1 else f"{session_id}#{times}"), date, turns


def is_question(value: Any) -> bool:
    """Whether it is a question with its history."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("question_id"), str)
        and isinstance(value.get("haystack_sessions"), list)
    )


def _history(found: tuple[int, Object], export: Export, options: ImportOptions) -> Draft:
    n, question = found
    findings = Findings()
    head = header(
        export, options, "longmemeval", chat_id=ids_for([(text_of(question.get("question_id")), f"{n}")], None)[0],
        owner="user",
    )  # fmt: skip
    zone = zone_named(head.timezone, "--timezone")
    records: list[Record] = []
    for i, (session_id, date, turns) in enumerate(sessions(question)):
        where = f"/{n}/haystack_sessions/{i}"
        try:
            start = placed(read_time(date), zone)
        except ValueError as error:
            findings.unread.append(Fault(where=where, reason=f"{error}"))
            continue
        turns = turns if isinstance(turns, list) else [turns]
        step = min(timedelta(seconds=1), timedelta(minutes=1) / max(1, len(turns)))
        for k, turn in enumerate(turns):
            try:
                records.append(
                    _turn(turn, f"{where}/{k}", start + k * step, f"{session_id}:{k + 1}")
                )
            except ValueError as error:
                findings.unread.append(Fault(where=f"{where}/{k}", reason=f"{error}"))
    return assemble(head, records, export=export, form=NAME, findings=findings, options=options)


def _turn(turn: Any, where: str, sent_at: datetime, source_id: str) -> Record:
    role = turn.get("role") if isinstance(turn, dict) else None
    content = turn.get("content") if isinstance(turn, dict) else None
    if not isinstance(role, str) or not role.strip() or not isinstance(content, str) or not content:
        raise ValueError(f"expected a role and content, found {shown(turn)}")
    return Record(where=where, sender=role, sent_at=sent_at, text=content, source_id=source_id)


def read_time(given: Any) -> datetime:
    """The wall clock time of a session or question; ValueError for anything else."""
    found = _TIME.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is None:
        raise ValueError(f"expected a time such as '2023/05/30 (Tue) 23:17', found {shown(given)}")
    try:
        return checked(datetime(*map(int, found.groups())))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError as error:
        raise ValueError(f"no such time: {given!r:.60}") from error
