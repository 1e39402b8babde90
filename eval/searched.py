"""Answerable question cases, each with the retriever of its chat, for what is measured in-process."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eval.case_files import read_cases
from eval.cases import ReadyCase
from eval.chats import with_chats
from eval.gold import truth_of
from sayso.retrieval.retriever import HybridRetriever
from sayso.weights import Weights


def searchable(
    cases: Sequence[Path], chats: Sequence[Path], weights: Weights, every: int = 1
) -> Iterator[tuple[ReadyCase, HybridRetriever]]:
    """Every ``every``-th case (at least 1) that has reachable gold, in file order.

    Chats are indexed as they come, said on stderr. Raises as :func:`eval.case_files.read_cases`
    does and as :func:`eval.chats.with_chats` does.
    """
    from sayso.assembly import load_chat
    from sayso.paths import home
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.storage import open_index

    embedder = MiniLM()
    found = with_chats(
        read_cases(cases, "qa").cases, folders=chats, load=lambda n: load_chat(n, home=home())
    )
    retrievers: dict[tuple[str, str], HybridRetriever] = {}
    for ready in found.cases[::every]:
        if truth_of(ready.case, ready.chat).gold in ("none", "unreachable"):
            continue
        key = (ready.dataset, ready.chat.chat_id)
        if key not in retrievers:
            click.echo(f"indexing {ready.chat.chat_id}", err=True)
            index = open_index(ready.chat, embedder, home() / "indexes")[0]
            retrievers[key] = HybridRetriever(ready.chat, index, weights, embedder)
        yield ready, retrievers[key]
