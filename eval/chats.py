"""Each case beside its chat.

A chat is looked for, in this order: in the case file itself where that holds chats; in the
folders that were named; in a folder ``chats`` beside the case file or up to two folders above;
among the imported chats. In a folder, a file's stem or the chatId of its header names the chat.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.cases import FiledCase, ReadyCase
from sayso.chats.importers.importing import import_file
from sayso.core.chat import Chat
from sayso.errors import ChatNotFoundError, InputError

Load = Callable[[str], Chat]


@dataclass(frozen=True)
class Placed:
    """The cases with their chats, and the file of each chat that was read from one."""

    cases: tuple[ReadyCase, ...]
    files: dict[str, Path]


def with_chats(cases: Sequence[FiledCase], *, folders: Sequence[Path], load: Load) -> Placed:
    """The cases, each beside its chat; a chat is loaded once.

    ``load`` takes a path or the id of an imported chat and raises ChatNotFoundError. Raises
    ChatNotFoundError that names every chat that is nowhere, before any is loaded twice.
    """
    chats: dict[str, Chat] = {}
    several: dict[Path, dict[str, Chat]] = {}
    missing: dict[str, None] = {}
    ready: list[ReadyCase] = []
    files: dict[str, Path] = {}
    for filed in cases:
        file = _file_of(filed, folders)
        name = filed.case.chat if file is None else str(file)
        if filed.chat_within is not None:
            # No one chat goes by this file's path.
            name = f"{filed.file}, {filed.chat_within}"
            if filed.file not in several:
                several[filed.file] = {i.chat.chat_id: i.chat for i in import_file(filed.file)}
            if filed.chat_within in several[filed.file]:
                chats[name] = several[filed.file][filed.chat_within]
            else:
                missing[name] = None
        elif name not in chats and name not in missing:
            try:
                chats[name] = load(name)
            except ChatNotFoundError:
                missing[name] = None
        if name in chats:
            ready.append(ReadyCase(filed.case, chats[name], filed.dataset))
            if file is not None:
                files[name] = file
    if missing:
        raise ChatNotFoundError(_nowhere(list(missing), folders))
    return Placed(tuple(ready), files)


def _file_of(filed: FiledCase, folders: Sequence[Path]) -> Path | None:
    if filed.holds_chat:
        return filed.file
    beside = [parent / "chats" for parent in list(filed.file.resolve().parents)[:3]]
    for folder in (*folders, *beside):
        found = _in_folder(filed.case.chat, folder)
        if found is not None:
            return found
    return None


def _in_folder(chat: str, folder: Path) -> Path | None:
    try:
        files = sorted(f for f in folder.iterdir() if f.is_file()) if folder.is_dir() else []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}") from error
    by_stem = [f for f in files if f.stem == chat]
    if len(by_stem) > 1:
        names = ", ".join(f.name for f in by_stem)
        raise InputError(f"{folder}: chat {chat!r} could be any of {names}; keep one of them there")
    by_header = (f for f in files if f.suffix == ".jsonl" and _header_id(f) == chat)
    return by_stem[0] if by_stem else next(by_header, None)


def _header_id(file: Path) -> str | None:
    """The chatId that the first line of a canonical chat file states."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            header = json.loads(lines.readline())
    except (OSError, ValueError, RecursionError):  # some other file, which is not our business
        return None
    if not isinstance(header, dict) or "sayso" not in header:
        return None
    named = header.get("chatId", header.get("chat_id"))
    return named if isinstance(named, str) else None


def _nowhere(missing: Sequence[str], folders: Sequence[Path]) -> str:
    looked = ", ".join(str(folder) for folder in folders) or "none named"
    shown = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if missing[10:] else "")
    return (
        f"the cases need chats that are not there: {shown}; looked in --chats "
        f"({looked}), in a folder chats beside the cases and among the imported chats; "
        "import them, or name their folder with --chats"
    )
