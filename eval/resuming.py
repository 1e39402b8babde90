"""Going on with a run that stopped: what has ended stays, the rest is still to do."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.engine import Engine
from eval.folder import open_folder
from eval.preparing import Prepared, Request, Resumed, plain, prepare
from eval.replay import tasks_of
from sayso.errors import ConfigurationError, InputError

OVERLAY = "the overlay"


def resume(
    path: Path,
    engine: Engine,
    *,
    retry_errors: bool = False,
    limit: int | None = None,
    jobs: int | None = None,
) -> Prepared:
    """The run of that folder, ready to go on: what has ended stays, the rest is still to do.

    ``retry_errors`` runs failed rows again, too; a larger ``limit`` adds the new cases. Raises
    ConfigurationError where settings, versions, cases or chats are no longer what they were, since
    its rows would then not be of one kind; InputError while another process writes the run.
    """
    folder, record = open_folder(path)
    request = request_of(record)
    request = replace(
        request, limit=limit if limit is not None else request.limit, jobs=jobs or request.jobs
    )
    before = record["config"]
    prepared = prepare(request, engine)
    _same_as_before(path, before, prepared.config)
    prepared = replace(prepared, config=_with_digests_of(before, prepared.config))
    held = folder.hold()
    try:
        mended, kept, size = folder.mend(), folder.kept(), folder.size()
    finally:
        held.let_go()
    places = {task.key for task in tasks_of(prepared.cases, prepared.modes, request.repeats)}
    rows = tuple(row for row in kept.rows if (row.case_id, row.mode, row.repeat) in places)
    stays = tuple(row for row in rows if row.error is None or not retry_errors)
    notes = [f"{path}: {len(stays)} of {prepared.total} runs are there already"]
    if mended:
        notes.append(f"{path}: half a last row was cut off; its case runs again")
    if stays and (others := _differing(before.get("code", {}), prepared.config["code"])):
        notes.append(
            f"{path}: the code of {', '.join(others)} is no longer that of the "
            f"{len(stays)} runs that stay; a run of one code needs a new folder"
        )
    if len(kept.rows) > len(rows):
        notes.append(f"{path}: {len(kept.rows) - len(rows)} rows are of cases left out now")
    return replace(prepared, resumed=Resumed(folder, stays, size), notes=(*prepared.notes, *notes))


def request_of(record: Mapping[str, Any]) -> Request:
    """The request that a ``run.json`` holds; InputError where it holds none."""
    try:
        return Request(**{k: _unplain(k, v) for k, v in record["request"].items()})
    except TypeError as error:
        raise InputError(f"the run's request cannot be read: {error}; start a new run") from error


def resumed_flags(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model with which the run was made, for an engine that goes on with it.

    ``given`` are those of the command line by name, None where not named; ConfigurationError for
    one that is not the run's. An address is in no record, so it is taken as given.
    """
    held: Mapping[str, Any] = open_folder(path)[1]["config"]["settings"]
    for name, value in given.items():
        if value is not None and name in held and _plain_json(value) != held[name]:
            flag = "--no-cache" if name == "cache" else f"--{name.replace('_', '-')}"
            raise ConfigurationError(
                f"{path}: {flag} cannot change what a resumed run is (its {name} is "
                f"{held[name]!r}, not {value!r}); leave it out"
            )
    return {name: held.get(name, value) for name, value in given.items()}


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [n for n in {**before, **now} if before.get(n) != now.get(n)]


def _same_as_before(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    changed = [
        f"{name} ({', '.join(differing)})"
        for name in ("settings", "versions")
        if (differing := _differing(_plain_json(before[name]), _plain_json(now[name])))
    ]
    changed += changed_data(before, now)
    if changed:
        raise ConfigurationError(
            f"{path}: cannot go on, since these changed: {', '.join(changed)}; "
            "restore them, or start a new run without --resume"
        )


def changed_data(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What cases and chats of a run's configuration are no longer what they were, in words.

    A chat or a chat's file that only one of both has read is none: a limit may leave it out.
    """
    then, today = before["digests"], now["digests"]
    changed = [f"chat {name}" for name in _both(then["chats"], today["chats"])]
    changed += _both(then["files"], today["files"])
    had, has = set(then.get("cases", today["cases"])), set(today["cases"])
    changed += [f"{name} (new)" for name in sorted(has - had)]
    changed += [f"{name} (gone)" for name in sorted(had - has)]
    if then.get("overlay") != today["overlay"]:
        changed.append(OVERLAY)
    return changed


def _both(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [name for name, digest in now.items() if before.get(name, digest) != digest]


def _with_digests_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, whose digests still tell of what a smaller limit leaves out now."""
    then, today = before["digests"], now["digests"]
    kept = {name: {**then[name], **today[name]} for name in ("files", "chats")}
    return {**now, "digests": {**today, **kept}}


def _plain_json(value: Any) -> Any:  # what JSON makes of a record, to compare with one read back
    return json.loads(json.dumps(value, default=str))


def config_key(config: Mapping[str, Any]) -> str:
    """Twelve hex digits of what rows of one kind share: settings, versions and code."""
    shared = {k: config.get(k) for k in ("settings", "versions", "code")}
    told = json.dumps(_plain_json(shared), sort_keys=True)
    return hashlib.sha256(told.encode("utf-8")).hexdigest()[:12]


def run_record(prepared: Prepared, at: datetime) -> dict[str, Any]:
    """What ``run.json`` holds: enough to go on with the run, and to tell whether that is allowed."""
    request = {k: _absolute(v) for k, v in asdict(prepared.request).items()}
    return {
        "sayso": "run",
        "version": 1,
        "timestamp": at.astimezone(UTC).isoformat(timespec="seconds"),
        "request": request | {"modes": list(prepared.modes)},
        "config": _plain_json(prepared.config),
    }


def _unplain(name: str, value: Any) -> Any:  # a field of Request as run.json holds it
    match name, value:
        case (("out" | "overlay"), str()):
            return Path(value)
        case (("cases" | "chats"), list()):
            return tuple(Path(part) for part in value)
        case _, list():
            return tuple(value)
    return value


def _absolute(value: Any) -> Any:  # a field of Request; a run goes on from any working folder
    match value:
        case Path():
            return str(value.absolute())
        case tuple():
            return [_absolute(part) for part in value]
    return plain(value)
