from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest

from sayso.core.models import Plan
from sayso.retrieval.index import Index
from sayso.retrieval.lexical import Lexicon
from sayso.retrieval.retriever import HybridRetriever
from sayso.retrieval.storage import open_index
from sayso.weights import shipped_weights

FILES = (
    "digests.json", "words.json", "local_ids.npy", "sender.npy", "seconds.npy", "vectors.npy",
    "pair_norm.npy", "window_norm.npy", "marks.npy", "starts.npy", "docs.npy", "counts.npy",
    "lengths.npy", "session.npy",
)  # fmt: skip
PLAN = Plan(intent="fact", queries=("red kayak in Porto",))


def equal(one: Index, other: Index) -> bool:
    arrays = [f.name for f in fields(Index) if f.name not in ("lexicon", "senders")]
    postings = [f.name for f in fields(Lexicon) if f.name != "vocabulary"]
    return (
        one.senders == other.senders
        and one.lexicon.vocabulary == other.lexicon.vocabulary
        and all(same(getattr(one, n), getattr(other, n)) for n in arrays)
        and all(same(getattr(one.lexicon, n), getattr(other.lexicon, n)) for n in postings)
    )


def same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)


@pytest.fixture
def chat(make_chat):
    return make_chat(
        ("Ana", "I bought a red kayak 😀"),
        ("Bo", "去北京吗？"),
        ("Ana", "My sister teaches violin in Porto"),
    )


@pytest.fixture
def search(chat, word_bags):
    def found(index: Index) -> list[str]:
        retriever = HybridRetriever(
            chat, index, shipped_weights(), lambda t: word_bags.embed([t])[0]
        )
        return [c.model_dump_json() for c in retriever.search(PLAN, 50)]

    return found


def the_only_index(folder):
    (place,) = folder.iterdir()
    return place


def flipped(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path):
    path.write_bytes(b"")


def deleted(path):
    path.unlink()


def test_an_index_is_built_once_and_loaded_as_it_was_built(chat, word_bags, search, tmp_path):
    built, first = open_index(chat, word_bags, tmp_path / "indexes")
    loaded, second = open_index(chat, word_bags, tmp_path / "indexes")

    assert (first, second) == ("index built", "index loaded")
    assert equal(loaded, built)
    assert search(loaded) == search(built)


def test_an_empty_chat_has_an_index_too(make_chat, word_bags, tmp_path):
    built, _ = open_index(make_chat(), word_bags, tmp_path)
    loaded, note = open_index(make_chat(), word_bags, tmp_path)

    assert note == "index loaded"
    assert equal(loaded, built)


@pytest.mark.parametrize("damage", [flipped, truncated, emptied, deleted])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_index_is_rebuilt_with_a_note(damage, name, chat, word_bags, search, tmp_path):
    built, _ = open_index(chat, word_bags, tmp_path)
    before = search(built)
    damage(the_only_index(tmp_path) / name)

    rebuilt, note = open_index(chat, word_bags, tmp_path)

    assert "damaged" in note
    assert "rebuilt" in note
    assert search(rebuilt) == before
    assert open_index(chat, word_bags, tmp_path)[1] == "index loaded"


def test_every_file_of_an_index_is_one_of_those_that_are_verified(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)

    assert {p.name for p in the_only_index(tmp_path).iterdir()} == set(FILES)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"text": "I bought a blue kayak"}, id="text"),
        pytest.param({"sender": "Cleo"}, id="sender"),
        pytest.param({"caption": "a kayak"}, id="caption"),
        pytest.param({"local_id": 9}, id="localId"),
    ],
)
def test_a_changed_chat_never_meets_the_old_index(change, chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    messages = (chat.messages[0].model_copy(update=change), *chat.messages[1:])

    _, note = open_index(chat.model_copy(update={"messages": messages}), word_bags, tmp_path)

    assert note == "index built"
    assert len(list(tmp_path.iterdir())) == 2


def test_another_chat_and_another_embedder_have_their_own_index(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    other = type(word_bags)()
    other.name = "other-bags"

    assert open_index(chat, other, tmp_path)[1] == "index built"
    same_messages = chat.model_copy(update={"chat_id": "twin"})
    assert open_index(same_messages, word_bags, tmp_path)[1] == "index built"


@pytest.mark.parametrize("damaged", [False, True], ids=["nothing there", "a damaged one there"])
def test_many_saves_at_once_leave_one_whole_index(damaged, chat, word_bags, search, tmp_path):
    before = search(open_index(chat, word_bags, tmp_path / "elsewhere")[0])
    folder = tmp_path / "indexes"
    if damaged:
        open_index(chat, word_bags, folder)
        flipped(the_only_index(folder) / "vectors.npy")

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_index(chat, word_bags, folder)[0], range(24)))

    assert all(search(index) == before for index in opened)
    assert len(list(folder.iterdir())) == 1
    assert open_index(chat, word_bags, folder)[1] == "index loaded"


def test_a_save_that_fails_leaves_no_scratch_behind(chat, word_bags, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "save", full)

    with pytest.raises(OSError, match="no space left"):
        open_index(chat, word_bags, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_progress_is_heard_only_while_building(chat, tmp_path, minilm):
    heard: list[tuple[int, int]] = []
    open_index(chat, minilm, tmp_path, lambda *at: heard.append(at))
    built = list(heard)
    open_index(chat, minilm, tmp_path, lambda *at: heard.append(at))

    assert built[-1] == (3, 3)
    assert heard == built
