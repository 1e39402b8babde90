"""Answerable question cases, each with the retriever of its chat, for what is measured in-process."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eval.case_files import read_cases
from eval.cases import ReadyCase
from eval.chats import with_chats
from eval.gold import truth_of
from eval.saying import note, plain
from sayso.retrieval.retriever import HybridRetriever
from sayso.weights import Weights


def searchable(
    cases: Sequence[Path], chats: Sequence[Path], weights: Weights, every: int = 1
) -> Iterator[tuple[ReadyCase, HybridRetriever]]:
    """Every ``every``-th case (at least 1) that has reachable gold, in file order.

    Chats are indexed as they come, said on stderr, as is what is left out. Raises as
    :func:`eval.case_files.read_cases` does and as :func:`eval.chats.with_chats` does.
    """
    from sayso.assembly import load_chat
    from sayso.paths import home
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.storage import open_index

    embedder = MiniLM()
    found_cases = read_cases(cases, "qa")
    found = with_chats(found_cases.cases, folders=chats, load=lambda n: load_chat(n, home=home()))
    for told in found_cases.left_out:
        note(told)
    retrievers: dict[int, HybridRetriever] = {}
    out = 0
    for ready in found.cases[::every]:
        if truth_of(ready.case, ready.chat).gold in ("none", "unreachable"):
            out += 1
            continue
        key = id(ready.chat)  # two chats may have one chatId; each is held by its cases
        if key not in retrievers:
            click.echo(f"indexing {plain(ready.chat.chat_id)}", err=True)
            index = open_index(ready.chat, embedder, home() / "indexes")[0]
            retrievers[key] = HybridRetriever(ready.chat, index, weights, embedder)
        yield ready, retrievers[key]
    if out:
        note(f"left out {out} cases without an answer, or without evidence that can be found")
