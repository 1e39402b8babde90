"""LoCoMo's observations: sentences about a speaker, each with the message that says so.

A record of LoCoMo holds them under ``observation``, by session and speaker, each as a sentence and
the id (or ids) of its message. They ask nothing and are never judged: the encoder learns from them
that a message in the first person says what somebody else would put in the third.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from eval.case_records import load_records
from eval.cases import FiledCase, QaCase
from sayso.errors import CaseError


def observed(cases: Sequence[FiledCase]) -> list[FiledCase]:
    """A case for each observation in the files of these cases, beside the same chat.

    Raises CaseError where what stands under ``observation`` is not of LoCoMo's form.
    """
    found = []
    for path, of_file in groupby(sorted(cases, key=lambda c: str(c.file)), key=lambda c: c.file):
        first = {c.case.chat: c for c in reversed(list(of_file))}
        records = [r for r in load_records(path).found if isinstance(r, dict) and r.get("qa")]
        told = [r.get("observation") for r in records]
        if not any(told):
            continue
        for chat, one in zip(reversed(first), told, strict=True):
            try:
                found += [replace(first[chat], case=c) for c in _cases(chat, one or {})]
            except (AttributeError, TypeError, ValueError) as error:
                raise CaseError(
                    f"{path}: observation: expected sessions, each with speakers, each with pairs "
                    f"of a sentence and a message's id, found another shape ({error})"
                ) from error
    return found


def _cases(chat: str, told: dict[str, Any]) -> Iterator[QaCase]:
    for session, speakers in told.items():
        for speaker, pairs in speakers.items():
            for at, (sentence, evidence) in enumerate(pairs, 1):
                yield QaCase(
                    case_id=f"{chat}#{session}#{speaker}#{at}",
                    chat=chat,
                    question=sentence,
                    evidence=tuple(evidence) if isinstance(evidence, list) else (evidence,),
                )
