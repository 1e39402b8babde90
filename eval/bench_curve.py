"""How cost grows with the chat: synthetic chats of given sizes, imported, opened and asked.

The chats are seeded; their words are those of the shipped English chats as often as there, a few
in a hundred from an open tail of rare ones, so that the vocabulary grows as it does. Up to a
size, messages get their real vectors; above, seeded random ones, which cost a search the same.
Questions are the shipped ones, embedded for real. Each size is imported in one process and asked
in another, as in use.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from eval.bench_peers import peak_mb
from eval.case_files import read_cases
from sayso.assembly import INDEXES
from sayso.chats.importers.importing import import_file
from sayso.chats.store import ChatStore
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.modes import MODES
from sayso.paths import arc_data_dir
from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Among, Embedder, Encoded, MiniLM, Progress
from sayso.retrieval.storage import open_index
from sayso.settings import Settings
from sayso.weights import shipped_weights

CHAT = "synthetic"
QUESTIONS = 30
_SEED = 7
_SOURCES = ("lena_and_jonah", "lantern_crew")
_RARE = 0.03
_PEOPLE = ("Ana", "Ben", "Chloe", "Dan")
_COLUMNS = (
    "askable s", "surface s", "vectors s", "import MB",
    "open s", "oneshot ms", "agent ms", "ask MB",
)  # fmt: skip


@dataclass(frozen=True)
class Imported:
    """CPU seconds: ``askable`` from the file until it can be asked by words, ``surface`` of them
    the reading of the words; ``vectors`` from then on.
    """

    askable: float
    surface: float
    vectors: float
    peak_mb: float


@dataclass(frozen=True)
class Opened:
    """CPU seconds to open the chat and its stored index, and median CPU milliseconds a question."""

    open: float
    oneshot: float
    agent: float
    peak_mb: float


class SeededVectors:
    """Random unit vectors for messages, real ones for queries."""

    name = "seeded-random"
    dimensions = MiniLM.dimensions
    languages: frozenset[str] | None = MiniLM.languages
    centred = False
    worded = True

    def __init__(self) -> None:
        self._random = np.random.default_rng(_SEED)
        self._real = MiniLM()

    def encode_among(self, among: Sequence[Among], progress: Progress | None = None) -> Encoded:
        """See :class:`sayso.retrieval.embedder.ContextEmbedder`."""
        texts = [one.text for one in among]
        return replace(self.encode(texts), contexts=self._unit(len(texts), self.dimensions))

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`; a word vector for every other word."""
        counts = np.asarray([1 + len(t.split()) // 2 for t in texts], dtype=np.int32)
        vectors = self._unit(len(texts), self.dimensions)
        tokens = np.rint(self._unit(int(counts.sum()), TOKEN_DIMENSIONS) * 127).astype(np.int8)
        return Encoded.alone(vectors, tokens, counts)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        return self._real.encode_queries(texts)

    def _unit(self, n: int, dimensions: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        drawn = self._random.standard_normal((n, dimensions), dtype=np.float32)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def curve(sizes: Sequence[int], embed_up_to: int, tell: Callable[[str], None]) -> RenderableType:
    """One row a size, and the exponent of growth over all of them.

    ``tell`` hears a line as each stage of a size is done, so that a long run that is broken off
    has said what it measured.
    """
    shown = Table(title="cost over the size of the chat (CPU; MB: peak)", title_justify="left")
    for column in ("messages", "vectors", *_COLUMNS):
        shown.add_column(column, justify="right")
    rows: list[list[float]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as home:
            given = [str(size), str(embed_up_to), home]
            imported = Imported(**_in_a_process("import", given))
            tell(f"{size:,} messages imported: {_named(imported)}")
            opened = Opened(**_in_a_process("ask", given))
            tell(f"{size:,} messages asked: {_named(opened)}")
        rows.append([*asdict(imported).values(), *asdict(opened).values()])
        vectors = "real" if size <= embed_up_to else "random"
        shown.add_row(f"{size:,}", vectors, *(f"{v:,.2f}" for v in rows[-1]))
    if len(sizes) > 1:
        # Vectors of two kinds are no one curve.
        slopes = [f"{slope(sizes, column):.2f}" for column in zip(*rows, strict=True)]
        slopes[_COLUMNS.index("vectors s")] = "–"
        shown.add_section()
        shown.add_row("slope", "", *slopes)
    told = (
        "askable: from the file until its words can be searched; surface: the part of it that "
        "reads the words; vectors: from then on (random ones are drawn, stored and indexed, not "
        f"embedded); questions: median of {QUESTIONS}; slope: of log cost over log size, 1 is linear."
    )
    return Group(shown, Text(told, style="dim"))


def _named(measured: Imported | Opened) -> str:
    units = {"peak_mb": "MB", "oneshot": "ms", "agent": "ms"}
    return ", ".join(f"{k} {v:,.2f} {units.get(k, 's')}" for k, v in asdict(measured).items())


def slope(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The exponent b of cost ≈ a · sizeᵇ, by least squares on logarithms; sizes differ."""
    x = [log(n) for n in sizes]
    y = [log(max(c, 1e-6)) for c in costs]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    over = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / over


def synthetic_lines(size: int) -> Iterator[str]:
    """A canonical chat file of so many messages; the same for the same size."""
    chosen = random.Random(_SEED)
    texts = [text for name in _SOURCES for text in _texts(name)]
    lengths = [len(text.split()) for text in texts]
    words = [word for text in texts for word in text.split()]
    header = {
        "sayso": "chat", "version": 1, "chatId": CHAT, "title": CHAT, "platform": "invented",
        "timezone": "UTC", "participants": list(_PEOPLE),
    }  # fmt: skip
    yield json.dumps(header)
    at = datetime(2015, 1, 1, 8, tzinfo=UTC)
    for local_id in range(1, size + 1):
        pause = timedelta(hours=9) if chosen.random() < 1 / 30 else timedelta(0)
        at += pause + timedelta(seconds=chosen.randrange(5, 180))
        said = [_word(chosen, words) for _ in range(chosen.choice(lengths))]
        yield json.dumps(
            {
                "localId": local_id,
                "sender": chosen.choice(_PEOPLE),
                "sentAt": at.isoformat(),
                "text": " ".join(said),
            }
        )


def _word(chosen: random.Random, words: Sequence[str]) -> str:
    if chosen.random() < _RARE:
        return f"qu{int(chosen.paretovariate(0.5)) % 10**9:x}"
    return chosen.choice(words)


def _texts(chat: str) -> list[str]:
    lines = (arc_data_dir() / "chats" / f"{chat}.jsonl").read_text("utf-8").splitlines()
    return [text for line in lines[1:] if (text := json.loads(line)["text"]).strip()]


def _questions() -> list[str]:
    cases = read_cases([arc_data_dir() / "cases" / "qa" / f"{n}.jsonl" for n in _SOURCES], "qa")
    return [filed.case.question for filed in cases.cases][:QUESTIONS]


def _embedder(size: int, embed_up_to: int) -> Embedder:
    return MiniLM() if size <= embed_up_to else SeededVectors()


def import_once(size: int, embedder: Embedder, home: Path) -> Imported:
    """A synthetic chat imported into the data folder ``home``."""
    from sayso.retrieval.index import build_surface

    file = home / f"{CHAT}.jsonl"
    file.write_text("\n".join(synthetic_lines(size)) + "\n", "utf-8")
    embedder.encode(["warm"])
    marks: list[float] = []

    def heard(done: int, total: int) -> None:
        if not marks:
            marks.append(process_time())

    began = process_time()
    (imported,) = import_file(file)
    chat, _ = ChatStore(home).add(imported.chat)
    open_index(chat, embedder, home / INDEXES, heard)
    ended = process_time()
    peak = peak_mb()
    again = process_time()
    build_surface(chat)
    surface = process_time() - again
    return Imported(marks[0] - began, surface, ended - marks[0], peak)


def ask_once(embedder: Embedder, home: Path) -> Opened:
    """The imported chat opened and asked."""
    from sayso.reasoning.extractive import ExtractiveReasoner
    from sayso.retrieval.pair_reader import PairReader
    from sayso.retrieval.retriever import HybridRetriever

    embedder.encode_queries(["warm"])
    began = process_time()
    chat = ChatStore(home).load(CHAT)
    index, _ = open_index(chat, embedder, home / INDEXES)
    opened = process_time() - began
    weights = shipped_weights()
    medians: dict[str, float] = {}
    for mode in ("oneshot", "agent"):
        # A retriever remembers the vectors of its queries: each mode gets one of its own.
        retriever = HybridRetriever(chat, index, weights, embedder)
        deps = Deps(chat, retriever, ExtractiveReasoner(weights, PairReader()), Settings().budget)
        ask = MODES[mode]
        ask(Question(text="When did the suitcase break?", chat_id=CHAT), deps)
        took = []
        for text in _questions():
            started = process_time()
            ask(Question(text=text, chat_id=CHAT), deps)
            took.append(1000 * (process_time() - started))
        medians[mode] = statistics.median(took)
    return Opened(opened, medians["oneshot"], medians["agent"], peak_mb())


def _in_a_process(stage: str, given: Sequence[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "eval.bench_curve", stage, *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    held: dict[str, float] = json.loads(done.stdout)
    return held


def main(stage: str, size: str, embed_up_to: str, home: str) -> None:
    """One stage of one size; its figures as JSON."""
    embedder = _embedder(int(size), int(embed_up_to))
    place = Path(home)
    done = (
        import_once(int(size), embedder, place) if stage == "import" else ask_once(embedder, place)
    )
    sys.stdout.write(json.dumps(asdict(done)))


if __name__ == "__main__":
    main(*sys.argv[1:])
