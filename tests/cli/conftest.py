import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sayso.cli.main import run

HEADER = {
    "sayso": "chat", "version": 1, "chatId": "trip", "title": "The trip", "platform": "invented",
    "timezone": "Asia/Shanghai",
    "participants": [{"name": "Ana María", "aliases": ["Nani"]}, "Bo"],
}  # fmt: skip
MESSAGES = [
    ("Ana María", "2024-05-01T09:00:00+08:00", "Good morning! Did you sleep well?", {}),
    ("Bo", "2024-05-01T09:01:00+08:00", "like a stone", {}),
    ("Ana María", "2024-05-01T09:05:00+08:00", "I bought a red kayak for the lake", {}),
    ("Bo", "2024-05-01T09:06:00+08:00", "A kayak?! where will you keep it", {"replyTo": 3}),
    ("Ana María", "2024-05-02T00:30:00+08:00", "In the garage, next to the bicycle", {}),
    ("Bo", "2024-05-03T10:00:00+08:00", "[bold red]evil[/bold red] \x1b[2J\x1b]0;pwned\x07 kayak", {}),
    ("Bo", "2024-05-03T10:01:00+08:00", "look", {"kind": "photo", "caption": "a kayak on a roof"}),
    ("Ana María", "2024-05-09T20:00:00+08:00", "My sister teaches violin in Porto", {}),
]  # fmt: skip


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Sayso = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty archive, and a working folder without a sayso.toml."""
    folder = tmp_path / "home"
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("SAYSO_HOME", str(folder))
    for name in ("SAYSO_DEBUG", "SAYSO_ROUNDS", "SAYSO_SECONDS", "SAYSO_POOL"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def sayso(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sayso:
    """Runs a command line here and returns its code, stdout and stderr."""

    def ran(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = run(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return ran


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    """A chat file of eight messages by two people."""
    return write_chat(tmp_path / "trip.jsonl", HEADER)


@pytest.fixture
def imported(sayso: Sayso, trip: Path) -> Sayso:
    """The same, with the chat imported."""
    assert sayso("import", str(trip)).code == 0
    return sayso


def write_chat(path: Path, header: dict[str, object]) -> Path:
    lines = [header] + [
        {"localId": i, "sender": sender, "sentAt": at, "text": text, "kind": "text", **more}
        for i, (sender, at, text, more) in enumerate(MESSAGES, start=1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
