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
    Among,
    Embedder,
    Encoded,
    Progress,
)
from sayso.retrieval.folders import FAULTS, clear, sha256_of
from sayso.retrieval.surroundings import ChatTexts

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


def keys_of(among: Sequence[Among]) -> Hashes:
    """A digest of each text and of all that it is read among."""
    texts = list(dict.fromkeys(t for one in among for t in (*one.before, one.text, *one.after)))
    digest = dict(zip(texts, hashes_of(texts).tolist(), strict=True))
    # Digests of digests: whatever stands between texts could stand in one.
    return hashes_of(
        [
            f"{len(one.before)} {' '.join(str(digest[t]) for t in (*one.before, one.text, *one.after))}"
            for one in among
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
    are embedded, and none where more than that are missing; where the embedder reads them among others, a
    text counts once for each surroundings that it has. Each chunk is stored in ``chunks`` as it is done,
    under a name that holds its digest. ``progress`` hears (texts done, texts in all), first before any is
    embedded; nothing where none is missing. Vectors of another length than the embedder's are not used,
    nor a state of nothing but zeros. Raises StoreError where the embedder has only zeros for words, though
    it reads some language.
    """
    told = ChatTexts(texts, session, embedder)
    wanted = hashes_of(texts) if told.among is None else keys_of(told.among)
    found: dict[int, Row] = {}
    unlike = None
    for rows in _stored(known, chunks):
        length = _length(rows)
        if length == embedder.dimensions:
            found.update(rows)
        elif length is not None:
            unlike = length
    todo = sorted(
        i for i in np.unique(wanted, return_index=True)[1].tolist() if int(wanted[i]) not in found
    )
    if patience is not None and len(todo) > patience:
        missing = sum(key not in found for key in wanted.tolist())
        return Embedded(_composed(wanted, found, embedder), missing, unlike, wanted)
    if progress and todo:
        progress(len(texts) - len(todo), len(texts))
    for start in range(0, len(todo), CHUNK):
        part = todo[start : start + CHUNK]

        def heard(done: int, _: int, before: int = start) -> None:
            if progress:
                progress(len(texts) - len(todo) + before + done, len(texts))

        encoded = told.encoded(part, heard)
        if not encoded.vectors.any() and _length(found) is None:
            _complain_of_zeros([texts[i] for i in part], embedder)
        found.update(_rows(wanted[part], encoded))
        if len(todo) > CHUNK:
            _store(chunks, wanted[part], encoded)
    return Embedded(_composed(wanted, found, embedder), 0, unlike, wanted)


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
