"""Encoders that have not seen a part of the chats, as ``python -m eval.fit_encoder --apart`` writes them.

What an encoder was fitted on looks easier than it is, for the encoder and for all that is weighed by
its cosines. So a fit that tells figures reads each chat by an encoder without it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from eval.cases import ReadyCase
from eval.fit_data import groups_of
from sayso.errors import ConfigurationError
from sayso.retrieval.embedder import Embedder, MiniLM, package_weights
from sayso.retrieval.int8_model import moved

MANIFEST = "encoders.json"


@dataclass(frozen=True)
class Encoders:
    """The encoder of each group of chats and of each data set; of others, what ships."""

    folder: Path
    groups: Mapping[str, str]
    datasets: Mapping[str, str]
    _known: dict[str, MiniLM] = field(default_factory=dict)

    def parts(
        self, cases: Sequence[ReadyCase], *, by_dataset: bool = False
    ) -> list[tuple[Embedder, list[ReadyCase]]]:
        """The cases by the encoder that has not seen them (or, if told, none of their data set)."""
        groups = groups_of(cases)
        found: dict[str, list[ReadyCase]] = {}
        for case in cases:
            group = groups[f"{case.dataset}/{case.chat.chat_id}"]
            file = self.datasets.get(case.dataset) if by_dataset else self.groups.get(group)
            found.setdefault(file or "", []).append(case)
        return [(self._of(file), part) for file, part in found.items()]

    def without(self, group: str) -> Embedder:
        """The encoder that has not seen a group, named with its data set or by its first chat alone."""
        files = {f for name, f in self.groups.items() if group in (name, name.partition("/")[2])}
        return self._of(files.pop() if len(files) == 1 else "")

    def _of(self, file: str) -> MiniLM:
        if file not in self._known:
            self._known[file] = MiniLM()
            if file:
                steps = np.load(self.folder / file, allow_pickle=False)
                self._known[file] = MiniLM(fitted=steps)
        return self._known[file]


def encoders_in(folder: Path) -> Encoders:
    """What the folder holds. Raises ConfigurationError where that is not what was written."""
    path = folder / MANIFEST
    try:
        held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = Encoders(folder, dict(held["groups"]), dict(held["datasets"]))
        for file in {*found.groups.values(), *found.datasets.values()}:
            moved(package_weights(), np.load(folder / file, allow_pickle=False))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"{path}: expected what python -m eval.fit_encoder --apart writes ({error})"
        ) from error
    return found


def _read(_: click.Context, __: click.Parameter, folder: Path | None) -> Encoders | None:
    return None if folder is None else encoders_in(folder)


encoders_option: Callable[[Any], Any] = click.option(
    "--encoders",
    callback=_read,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Encoders that have not seen the chats they read (eval.fit_encoder --apart).",
)
