"""The files of the models that are built in: whether each is as it was when it was measured."""

from sayso.errors import StoreError
from sayso.retrieval import embedder, int8_model, pair_reader
from sayso.retrieval.verifying import verified


def faults() -> list[str]:
    """What is wrong with each file that is missing or damaged, and what to do. Reads all of them, 25 MB."""
    found = []
    for path, digest in [*embedder.files(), *int8_model.files(), *pair_reader.files()]:
        try:
            verified(path, digest)
        except StoreError as error:
            found.append(str(error))
    return found
