"""An optional judge: a model that says whether an answer says what the gold answer says.

Its prompt is a file, its verdict one of three words, parsed strictly. What cannot be parsed is
counted apart and enters no mean, and so is a call that brought no reply. Verdicts are appended to
``judge.jsonl`` as they come, under the model's name and the prompt's digest, and none is asked for
twice.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from pydantic import BaseModel, ConfigDict

from eval.cases import QaCase, ReadyCase
from eval.scoring import Row
from sayso.core.metering import Budget, Meter
from sayso.core.trail import Usage
from sayso.errors import StoreError
from sayso.reasoning.calling import Caller, CallError, Request
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.prompt_fields import Field
from sayso.reasoning.prompts import Prompt, load_prompt
from sayso.reasoning.replies import Unusable
from sayso.reasoning.replies_wire import schema_line

STEP, FILE = "eval/judge", "judge.jsonl"
FIELDS: Mapping[str, Field] = {
    "question": Field("the question, on one line", needed=True),
    "expected": Field("the gold answer, fenced as data", needed=True),
    "answer": Field("the answer to be judged, fenced as data", needed=True),
    "marker": Field("the code that opens and closes the fence", needed=True),
    "schema": Field("the JSON schema of the reply, on one line", needed=True),
}
NOTHING = "nothing to be found"
_WORTH = {"correct": 1.0, "partly": 0.5, "wrong": 0.0}

Word = Literal["correct", "partly", "wrong"]
Key = tuple[str, str, int]


class Verdict(BaseModel):
    """What the judge replies."""

    model_config = ConfigDict(extra="forbid")

    verdict: Word
    why: str


@dataclass(frozen=True)
class Judged:
    """One answer judged: the verdict, or the failure that left none."""

    key: Key
    verdict: Word | None
    why: str
    error: str | None = None


@dataclass(frozen=True)
class Judge:
    """The model that judges, and its prompt."""

    caller: Caller
    prompt: Prompt


def load_judge(folder: Path) -> Prompt:
    """The judge's prompt of that set; PromptError where it does not fit."""
    return load_prompt(folder, STEP, FIELDS)


def judge(
    rows: Sequence[Row],
    cases: Sequence[ReadyCase],
    caller: Caller,
    prompt: Prompt,
    folder: Path,
    *,
    on_judged: Callable[[Judged], None] = lambda judged: None,
) -> dict[str, Any]:
    """What ``results.json`` holds of the judge: per mode, how often which verdict and their mean.

    Judges the rows that did not fail and have a gold answer, or rightly none. ``score`` counts
    correct as 1, partly as a half, over the verdicts that could be parsed; None for none.
    """
    gold = {ready.case.case_id: _expected(ready) for ready in cases}
    mark = {"model": caller.name, "digest": prompt.digest}
    known = _known(folder / FILE, mark)
    usage = Usage()
    for row in rows:
        key = (row.case_id, row.mode, row.repeat)
        expected = gold.get(row.case_id)
        if expected is None or row.trail is None or key in known:
            continue
        judged, spent = _ask(row, expected, caller, prompt)
        usage += spent
        known[key] = judged
        _append(folder / FILE, judged, mark)
        on_judged(judged)
    modes = dict.fromkeys(row.mode for row in rows)
    told = {key for key in ((r.case_id, r.mode, r.repeat) for r in rows) if key in known}
    return {
        **mark,
        "usage": usage.model_dump(),
        "modes": {m: _summary([known[key] for key in sorted(told) if key[1] == m]) for m in modes},
    }


def _expected(ready: ReadyCase) -> str | None:
    case = ready.case
    if not isinstance(case, QaCase):
        return None
    if not case.answerable:
        return NOTHING
    return None if case.answer is None else str(case.answer).strip() or None


def _ask(row: Row, expected: str, caller: Caller, prompt: Prompt) -> tuple[Judged, Usage]:
    key = (row.case_id, row.mode, row.repeat)
    assert row.trail is not None
    said = NOTHING if row.abstained else row.trail.answer.text
    inside, marker = fenced({"expected": one_line(expected), "answer": one_line(said)})
    values = {**inside, "question": one_line(row.question), "marker": marker}
    system, user = prompt.filled(values | {"schema": schema_line(Verdict)})
    request = Request(STEP, system, user, Verdict, prompt.digest, f"repeat {row.repeat}")
    meter = Meter(Budget(seconds=600, model_calls=10))
    try:
        told = caller.ask(request, meter)
    except CallError as error:
        return Judged(key, None, "", f"{error.kind}: {error}"), error.spent.usage
    return Judged(key, told.value.verdict, told.value.why), told.usage


def _summary(judged: Sequence[Judged]) -> dict[str, Any]:
    counts: Counter[str] = Counter(one.verdict or _without(one) for one in judged)
    worth = [_WORTH[one.verdict] for one in judged if one.verdict is not None]
    return {
        **{name: counts[name] for name in (*_WORTH, "unparsable", "failed")},
        "score": sum(worth) / len(worth) if worth else None,
        "n": len(worth),
    }


def _without(judged: Judged) -> str:
    """Why there is no verdict: a reply that could not be parsed, or no reply."""
    kind = (judged.error or "").partition(":")[0]
    return "unparsable" if kind in get_args(Unusable) else "failed"


def _known(path: Path, mark: Mapping[str, str]) -> dict[Key, Judged]:
    found: dict[Key, Judged] = {}
    if not path.exists():
        return found
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
    for line in lines:
        try:
            record = json.loads(line.decode("utf-8"))
            key = (record["case_id"], record["mode"], record["repeat"])
            same = all(record[name] == value for name, value in mark.items())
            judged = Judged(key, record["verdict"], record["why"], record["error"])
            if same and judged.error is None and judged.verdict in _WORTH:
                found[key] = judged
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # half a line, as a kill leaves it: asked again
    return found


def _append(path: Path, judged: Judged, mark: Mapping[str, str]) -> None:
    case_id, mode, repeat = judged.key
    record = {"case_id": case_id, "mode": mode, "repeat": repeat, "verdict": judged.verdict,
              "why": judged.why, "error": judged.error, **mark}  # fmt: skip
    line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
    try:
        with path.open("a+b") as file:
            if file.tell() and not _ends_a_line(file):
                line = b"\n" + line  # behind half a line, as a kill leaves it
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
