import json
import re
from pathlib import Path

import pytest

from sayso.chats.importers import import_file

DATA = Path(__file__).parents[3] / "shared/data"
REALTALK = sorted((DATA / "realtalk").glob("*.json"))
LOCOMO = sorted((DATA / "locomo").glob("*.json"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the research sets are not here")


def dia_ids(content: str) -> list[str]:
    """Every dia_id that stands in the file as a key's value, counted without reading its JSON."""
    return re.findall(r'"dia_id": *"([^"]*)"', content)


@pytest.mark.parametrize("path", REALTALK + LOCOMO, ids=lambda p: p.stem)
def test_every_message_of_a_research_file_is_imported(path: Path) -> None:
    ids = dia_ids(path.read_text(encoding="utf-8"))

    (imported,) = import_file(path)
    chat = imported.chat

    assert len(chat.messages) == len(ids)
    assert sorted(chat.by_source_id) == sorted(ids)
    assert [m.local_id for m in chat.messages] == list(range(1, len(ids) + 1))
    assert imported.report.unread.count == imported.report.duplicates.count == 0
    assert len(chat.names) == 2
    assert chat.chat_id == path.stem


def test_all_the_files_are_there() -> None:
    assert (len(REALTALK), len(LOCOMO)) == (7, 5)


@pytest.mark.parametrize("path", REALTALK, ids=lambda p: p.stem)
def test_realtalk_texts_are_the_files_own(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    sessions = [content[key] for key in content if re.fullmatch(r"session_\d+", key)]
    texts = {m["dia_id"]: m["clean_text"] for session in sessions for m in session}

    (imported,) = import_file(path)

    assert {m.source_id: m.text for m in imported.chat.messages} == texts
