"""The files of the models that are built in: whether each is as it was when it was measured."""

from collections.abc import Callable
from functools import partial

from sayso.errors import StoreError
from sayso.retrieval import categories, embedder, int8_model, pair_reader
from sayso.retrieval.verifying import verified


def faults() -> list[str]:
    """What is wrong with each file that is missing or damaged, and what to do. Reads all of them, 25 MB."""
    files = (*embedder.files(), *int8_model.files(), *pair_reader.files(), *categories.files())
    looks: list[Callable[[], bytes]] = [partial(verified, *one) for one in files]
    return [told for look in (embedder.package_weights, *looks) if (told := _fault(look))]


def _fault(look: Callable[[], bytes]) -> str:
    try:
        look()
    except StoreError as error:
        return str(error)
    return ""
