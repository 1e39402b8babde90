"""Embedding a chat in chunks: what is known is not done again, what is done is never lost."""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sayso.errors import StoreError
from sayso.paths import private_folder
from sayso.retrieval.embedder import (
    TOKEN_DIMENSIONS,
    ContextEmbedder,
    Embedder,
    Encoded,
    Progress,
    Stretch,
)
from sayso.retrieval.folders import FAULTS, clear, sha256_of
from sayso.retrieval.stretches import stretches

CHUNK = 2048
KNOWN = ("hashes", "vectors", "contexts", "tokens", "starts")

_STORED = ("vectors", "tokens", "counts", "contexts")

Hashes = NDArray[np.uint64]
Row = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int8]]
_WORD = re.compile(r"\w")


class Embedded(NamedTuple):
    """A chat's vectors in the order of its texts.

    ``missing`` of them are not there yet, and are zero. ``unlike`` is the length of vectors that
    were known and not used, since the embedder's have another; None where there were none. ``keys``
    (texts,) are the digests that the vectors are known by.
    """

    encoded: Encoded
    missing: int
    unlike: int | None
    keys: Hashes


def hashes_of(texts: Sequence[str]) -> Hashes:
    """A 64-bit digest of each text; equal texts have equal vectors."""
    return np.asarray(
        [
            int.from_bytes(
                hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
            )
            for t in texts
        ],
        dtype=np.uint64,
    )


def keys_of(stretches: Sequence[Stretch]) -> Hashes:
    """A digest of each text of the stretches and of all that is read with it."""
    # Digests of digests: whatever stands between texts could stand in one.
    parts = [hashes_of([s.before, *s.texts]).tolist() for s in stretches]
    runs = hashes_of([" ".join(map(str, part)) for part in parts]).tolist()
    return hashes_of(
        [
            f"{place} of {run}"
            for run, stretch in zip(runs, stretches, strict=True)
            for place in range(len(stretch.texts))
        ]
    )


def embed_missing(
    texts: Sequence[str],
    session: Sequence[int],
    embedder: Embedder,
    chunks: Path,
    *,
    known: Mapping[str, NDArray[np.generic]] | None,
    progress: Progress | None,
    patience: int | None,
) -> Embedded:
    """All texts' vectors in their order; ``session`` numbers that of each.

    ``known`` are arrays of an earlier state, by the names in KNOWN. At most ``patience`` distinct texts
    are embedded, and none where more than that are missing; where the embedder reads texts together,
    all of a run count. Each chunk is stored in ``chunks`` as it is done, under a name that holds its
    digest. ``progress`` hears (texts done, texts in all), first before any is embedded; nothing where
    none is missing. Vectors of another length than the embedder's are not used, nor a state of nothing
    but zeros. Raises StoreError where the embedder has only zeros for words, though it reads some
    language.
    """
    work = _work(texts, session, embedder)
    found: dict[int, Row] = {}
    unlike = None
    for rows in _stored(known, chunks):
        length = _length(rows)
        if length == embedder.dimensions:
            found.update(rows)
        elif length is not None:
            unlike = length
    # All keys of a run are known, or none is.
    todo = list({key: one for one in work if (key := int(one.keys[0])) not in found}.values())
    left = sum(len(one.stretch.texts) for one in todo)
    wanted = np.concatenate([np.zeros(0, np.uint64), *(one.keys for one in work)])
    if patience is not None and left > patience:
        missing = sum(key not in found for key in wanted.tolist())
        return Embedded(_composed(wanted, found, embedder), missing, unlike, wanted)
    # Like lengths together: padding is what batches cost.
    todo.sort(key=lambda one: sum(map(len, one.stretch.texts)))
    done = len(texts) - left
    if progress and todo:
        progress(done, len(texts))
    for part in _parts(todo):

        def heard(of_part: int, _: int, before: int = done) -> None:
            if progress:
                progress(before + of_part, len(texts))

        encoded = _encoded([one.stretch for one in part], embedder, heard)
        if not encoded.vectors.any() and _length(found) is None:
            _complain_of_zeros([text for one in part for text in one.stretch.texts], embedder)
        keys = np.concatenate([one.keys for one in part])
        found.update(_rows(keys, encoded))
        if left > CHUNK:
            _store(chunks, keys, encoded)
        done += len(keys)
    return Embedded(_composed(wanted, found, embedder), 0, unlike, wanted)


class _Run(NamedTuple):
    """Texts that are embedded at once, with the digest of each."""

    stretch: Stretch
    keys: Hashes


def _work(texts: Sequence[str], session: Sequence[int], embedder: Embedder) -> list[_Run]:
    """What the embedder reads together, in the order of the texts; each by itself where it reads so."""
    together = isinstance(embedder, ContextEmbedder)
    runs = stretches(texts, session) if together else [Stretch("", (text,)) for text in texts]
    keys = keys_of(runs) if together else hashes_of(texts)
    ends = np.cumsum([len(run.texts) for run in runs])
    return [
        _Run(run, keys[end - len(run.texts) : end]) for run, end in zip(runs, ends, strict=True)
    ]


def _parts(todo: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Runs of about a chunk's texts, at least one."""
    part: list[_Run] = []
    size = 0
    for one in todo:
        if part and size + len(one.keys) > CHUNK:
            yield part
            part, size = [], 0
        part.append(one)
        size += len(one.keys)
    if part:
        yield part


def _encoded(runs: Sequence[Stretch], embedder: Embedder, progress: Progress) -> Encoded:
    if isinstance(embedder, ContextEmbedder):
        return embedder.encode_together(runs, progress)
    return embedder.encode([text for run in runs for text in run.texts], progress)


def _length(rows: Mapping[int, Row]) -> int | None:
    """How many numbers the vectors of a state have; None where it has none but zeros."""
    return next((len(vector) for vector, _, _ in rows.values() if vector.any()), None)


def _complain_of_zeros(texts: Sequence[str], embedder: Embedder) -> None:
    """Raise StoreError where words got no vectors from an embedder that is there to read them.

    Before they are stored: what is known is not embedded again, and zeros would stay.
    """
    reads_nothing = embedder.languages is not None and not embedder.languages
    words = sum(bool(_WORD.search(text)) for text in texts)
    if words and not reads_nothing:
        raise StoreError(
            f"embeddings {embedder.name}: the vectors of {words} texts are all zeros, so nothing "
            "can be found by them; configure embeddings that work, or none"
        )


def _stored(
    known: Mapping[str, NDArray[np.generic]] | None, chunks: Path
) -> Iterator[dict[int, Row]]:
    if known is not None:
        starts = known["starts"].astype(np.int64)
        counts = np.diff(starts).astype(np.int32)
        held = Encoded(known["vectors"], known["tokens"], counts, known["contexts"])  # type: ignore[arg-type]
        yield _rows(known["hashes"].astype(np.uint64), held)
    for path in _files(chunks):
        with suppress(*FAULTS):
            if path.stem != sha256_of(path):
                path.unlink(missing_ok=True)
                continue
            with np.load(path, allow_pickle=False) as held_file:
                encoded = Encoded(*(held_file[n] for n in _STORED))
                rows = _rows(held_file["hashes"], encoded)
            yield rows


def _rows(hashes: Hashes, encoded: Encoded) -> dict[int, Row]:
    starts = np.concatenate([[0], np.cumsum(encoded.counts)]).tolist()
    return {
        key: (encoded.vectors[i], encoded.contexts[i], encoded.tokens[starts[i] : starts[i + 1]])
        for i, key in enumerate(hashes.tolist())
    }


def _composed(
    wanted: Hashes,
    found: Mapping[int, Row],
    embedder: Embedder,
) -> Encoded:
    rows = [found.get(key) for key in wanted.tolist()]
    vectors = np.zeros((len(rows), embedder.dimensions), dtype=np.float32)
    width = next((len(row[1]) for row in rows if row is not None), 0)
    contexts = np.zeros((len(rows), width), dtype=np.float32)
    tokens = [np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8)]
    counts = np.zeros(len(rows), dtype=np.int32)
    for i, row in enumerate(rows):
        if row is not None:
            vectors[i], contexts[i], of_text = row
            tokens.append(of_text)
            counts[i] = len(of_text)
    return Encoded(vectors, np.concatenate(tokens), counts, contexts)


def _files(chunks: Path) -> list[Path]:
    """What the folder holds; nothing where it may not be looked into.

    Another process may finish meanwhile and clear its chunks away, the folder with them.
    """
    with suppress(OSError):
        return sorted(chunks.glob("*.npz"))
    return []


def _store(chunks: Path, hashes: Hashes, encoded: Encoded) -> None:
    # Another process that finishes meanwhile clears the folder away; what it stored is as good.
    # Where nothing can be stored, an interruption costs more and the index is the same.
    with suppress(OSError):
        _write(chunks, hashes, encoded)


def _write(chunks: Path, hashes: Hashes, encoded: Encoded) -> None:
    clear(chunks, unless_folder=True)
    private_folder(chunks)
    with (
        tempfile.TemporaryDirectory(prefix=".new-", dir=chunks) as new,
    ):
        scratch = Path(new) / "chunk.npz"
        np.savez(
            scratch,
            hashes=hashes,
            **{name: getattr(encoded, name) for name in _STORED},
        )
        scratch.replace(chunks / f"{sha256_of(scratch)}.npz")
