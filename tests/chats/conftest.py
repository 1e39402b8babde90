from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.chats.importers import Imported, ImportOptions, import_file


@pytest.fixture
def importing(tmp_path: Path) -> Callable[..., Imported]:
    """Import a text as if it were a file; the options by name."""

    def import_text(text: str | bytes, **options: str) -> Imported:
        path = tmp_path / "export.txt"
        path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        (imported,) = import_file(path, ImportOptions.model_validate(options))
        return imported

    return import_text


@pytest.fixture
def exports() -> Path:
    """The folder of invented exports."""
    return Path(__file__).parent / "exports"
