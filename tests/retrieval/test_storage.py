import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from sayso.core.models import Plan
from sayso.retrieval import embedding, storage, surroundings
from sayso.retrieval.index import Index, Meaning, Surface
from sayso.retrieval.lexical import Lexicon
from sayso.retrieval.retriever import HybridRetriever
from sayso.retrieval.storage import (
    BUILT,
    COMPLETED,
    DAMAGED,
    LOADED,
    OUTDATED,
    REBUILT,
    RENEWED,
    UNREADABLE,
    UNREMARKABLE,
    WHOLE,
    digest_of,
    index_state,
    open_index,
)
from tests.retrieval.conftest import WordBags

ROOT = Path(__file__).parents[2]
FILES = {
    "surface": (
        "digests.json", "words.json", "local_ids.npy", "sender.npy", "seconds.npy", "marks.npy",
        "spoken.npy", "categories.npy", "postings_starts.npy", "postings_docs.npy",
        "postings_counts.npy", "postings_lengths.npy", "postings_session.npy",
    ),
    "meaning": (
        "digests.json", "words.json", "vectors.npy", "tokens.npy", "starts.npy", "pair_norm.npy",
        "next_norm.npy", "window_norm.npy", "centre.npy", "lengths.npy", "hashes.npy",
        "contexts.npy", "texts.npy",
    ),
}  # fmt: skip
STORED = [f"{folder}/{name}" for folder, names in FILES.items() for name in names]
WORDS = ("lexicon", "senders", "language")
PLAN = Plan(intent="fact", queries=("red kayak in Porto",))


def equal(one: Index, other: Index) -> bool:
    surface = [f.name for f in fields(Surface) if f.name not in WORDS]
    postings = [f.name for f in fields(Lexicon) if f.name != "vocabulary"]
    meaning = [f.name for f in fields(Meaning) if f.name != "missing"]
    first, second = one.surface, other.surface
    return (
        (first.senders, first.language) == (second.senders, second.language)
        and first.lexicon.vocabulary == second.lexicon.vocabulary
        and one.meaning.missing == other.meaning.missing
        and all(same(getattr(first, n), getattr(second, n)) for n in surface)
        and all(same(getattr(first.lexicon, n), getattr(second.lexicon, n)) for n in postings)
        and all(same(getattr(one.meaning, n), getattr(other.meaning, n)) for n in meaning)
    )


def same(one: np.ndarray, other: np.ndarray) -> bool:
    # A message that speaks of no day holds NaN there.
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@pytest.fixture
def chat(make_chat):
    return make_chat(
        ("Ana", "I bought a red kayak 😀"),
        ("Bo", "去北京吗？"),
        ("Ana", "My sister teaches violin in Porto"),
        ("Bo", "?!"),
    )


@pytest.fixture
def search(word_bags, even_weights):
    def found(chat, index: Index) -> list[str]:
        retriever = HybridRetriever(chat, index, even_weights, word_bags)
        return [c.model_dump_json() for c in retriever.search(PLAN, 50)]

    return found


@pytest.fixture
def own_words_alone(even_weights):
    groups = {
        name: {feature: float(feature == "own") for feature in weights}
        for name, weights in even_weights.groups.items()
    }
    return even_weights.model_copy(update={"groups": groups})


@pytest.fixture
def long_chat(make_chat):
    return make_chat(*(("Ana", f"{'so ' * (i % 3)}kayak {i}") for i in range(10)))


@pytest.fixture
def small_chunks(monkeypatch):
    """Three texts a chunk, and each read among no others."""
    monkeypatch.setattr(embedding, "CHUNK", 3)
    monkeypatch.setattr(surroundings, "_TEXTS", 0)


def grown(chat, make_chat, *more: str):
    return make_chat(*((m.sender, m.text) for m in chat.messages), *(("Bo", t) for t in more))


def places(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir())


def the_only_index(folder: Path) -> Path:
    (place,) = places(folder)
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

    assert (first, second) == (BUILT, LOADED)
    assert equal(loaded, built)
    assert search(chat, loaded) == search(chat, built)
    assert len(word_bags.seen) == 4


def test_a_loaded_index_is_mapped_and_not_read_into_memory(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    index, _ = open_index(chat, word_bags, tmp_path)

    for owner, names in (
        (index.meaning, [f.name for f in fields(Meaning) if f.name != "missing"]),
        (index.surface, ["local_ids", "sender", "seconds", "marks", "spoken", "categories"]),
        (index.surface.lexicon, [f.name for f in fields(Lexicon) if f.name != "vocabulary"]),
    ):
        for name in names:
            assert isinstance(getattr(owner, name).base, np.memmap), name
            assert not getattr(owner, name).flags.writeable, name


@pytest.mark.parametrize(
    "said", [(), ("?!",), ("", "…"), ("kayak",), ("kayak", "")], ids=lambda s: f"{s}"
)
def test_the_smallest_chats_have_an_index_too(said, make_chat, word_bags, tmp_path):
    chat = make_chat(*(("Ana", text) for text in said))
    built, _ = open_index(chat, word_bags, tmp_path)
    loaded, note = open_index(chat, word_bags, tmp_path)

    assert note == LOADED
    assert equal(loaded, built)


@pytest.mark.parametrize("damage", [flipped, truncated, emptied, deleted])
@pytest.mark.parametrize("name", STORED)
def test_a_damaged_index_is_rebuilt_with_a_note(damage, name, chat, word_bags, search, tmp_path):
    built, _ = open_index(chat, word_bags, tmp_path)
    before = search(chat, built)
    damage(the_only_index(tmp_path) / name)

    rebuilt, note = open_index(chat, word_bags, tmp_path)

    assert note == REBUILT
    assert equal(rebuilt, built)
    assert search(chat, rebuilt) == before
    assert open_index(chat, word_bags, tmp_path)[1] == LOADED


@pytest.mark.parametrize(("folder", "note"), [("surface", BUILT), ("meaning", COMPLETED)])
def test_a_missing_half_of_an_index_is_built_again(folder, note, chat, word_bags, search, tmp_path):
    built, _ = open_index(chat, word_bags, tmp_path)
    half = the_only_index(tmp_path) / folder
    half.rename(tmp_path.parent / f"{tmp_path.name}-away")

    again, said = open_index(chat, word_bags, tmp_path)

    assert said == note
    assert equal(again, built)


def test_a_damaged_length_costs_no_embedding(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    flipped(the_only_index(tmp_path) / "meaning" / "window_norm.npy")
    word_bags.seen.clear()

    assert open_index(chat, word_bags, tmp_path)[1] == REBUILT
    assert word_bags.seen == []


def test_every_file_of_an_index_is_one_of_those_that_are_verified(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)

    place = the_only_index(tmp_path)
    assert sorted(p.name for p in place.iterdir()) == sorted(FILES)
    for folder, names in FILES.items():
        assert {p.name for p in (place / folder).iterdir()} == set(names)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"text": "I bought a blue kayak"}, id="text"),
        pytest.param({"sender": "Cleo"}, id="sender"),
        pytest.param({"caption": "a kayak"}, id="caption"),
        pytest.param({"local_id": 9}, id="localId"),
    ],
)
def test_a_changed_message_never_meets_the_old_index(change, chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    messages = (chat.messages[0].model_copy(update=change), *chat.messages[1:])

    _, note = open_index(chat.model_copy(update={"messages": messages}), word_bags, tmp_path)

    assert note == BUILT


def test_another_zone_or_lexicon_never_meets_the_old_index(chat, word_bags, monkeypatch):
    before = digest_of(chat, word_bags)

    assert digest_of(chat.model_copy(update={"timezone": "Asia/Tokyo"}), word_bags) != before
    monkeypatch.setattr(storage, "lexicon_digest", lambda: "other")
    assert digest_of(chat, word_bags) != before


def test_another_chat_and_another_embedder_have_their_own_index(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    other = type(word_bags)(name="other-bags")

    assert open_index(chat, other, tmp_path)[1] == BUILT
    assert len(other.seen) == 4
    twin = chat.model_copy(update={"chat_id": "twin"})
    assert open_index(twin, word_bags, tmp_path)[1] == BUILT
    assert open_index(chat, word_bags, tmp_path)[1] == LOADED
    assert open_index(chat, other, tmp_path)[1] == LOADED


class Alone(WordBags):
    """Word bags that cannot be read among others."""

    worded = False
    encode_among = None


def test_a_chat_that_grew_embeds_only_what_is_new_and_clears_its_former_index(
    long_chat, make_chat, tmp_path
):
    alone = Alone()
    open_index(long_chat, alone, tmp_path / "a")
    former = the_only_index(tmp_path / "a")
    alone.seen.clear()
    more = grown(long_chat, make_chat, "red kayak", "kayak 3", "tea")

    index, note = open_index(more, alone, tmp_path / "a")

    assert note == BUILT
    assert sorted(alone.seen) == ["red kayak", "tea"]
    assert not former.exists()
    assert the_only_index(tmp_path / "a").exists()
    assert equal(index, open_index(more, alone, tmp_path / "b")[0])


def test_of_what_is_read_among_others_a_grown_chat_embeds_what_is_near_its_end_and_what_is_new(
    make_chat, word_bags, search, tmp_path
):
    said = [f"kayak {i} and {'more of it ' * 10}" for i in range(29)]
    chat = make_chat(*(("Ana", text) for text in said))
    open_index(chat, word_bags, tmp_path / "a")
    former = the_only_index(tmp_path / "a")
    word_bags.seen.clear()
    more = grown(chat, make_chat, "red kayak", "tea")

    index, note = open_index(more, word_bags, tmp_path / "a")

    assert note == BUILT
    assert word_bags.seen == [*said[-2:], "red kayak", "tea"]
    assert not former.exists()
    afresh, _ = open_index(more, word_bags, tmp_path / "b")
    assert equal(index, afresh)
    assert search(more, index) == search(more, afresh)


def test_of_a_chat_that_lost_a_message_its_neighbours_are_embedded_again(
    make_chat, word_bags, tmp_path
):
    said = [f"kayak {i} and {'more of it ' * 10}" for i in range(29)]
    open_index(make_chat(*(("Ana", text) for text in said)), word_bags, tmp_path)
    word_bags.seen.clear()
    fewer = make_chat(*(("Ana", text) for text in [*said[:12], *said[13:]]))

    open_index(fewer, word_bags, tmp_path)

    assert word_bags.seen == [*said[10:12], *said[13:15]]


def test_a_former_index_that_is_damaged_lends_no_vector(long_chat, make_chat, word_bags, tmp_path):
    open_index(long_chat, word_bags, tmp_path / "a")
    flipped(the_only_index(tmp_path / "a") / "meaning" / "vectors.npy")
    more = grown(long_chat, make_chat, "tea")

    index, _ = open_index(more, word_bags, tmp_path / "a")

    assert equal(index, open_index(more, word_bags, tmp_path / "b")[0])


def test_another_chat_of_the_same_id_keeps_its_index(long_chat, chat, word_bags, tmp_path):
    assert long_chat.chat_id == chat.chat_id
    open_index(long_chat, word_bags, tmp_path)
    open_index(chat, word_bags, tmp_path)

    assert open_index(long_chat, word_bags, tmp_path)[1] == LOADED
    assert open_index(chat, word_bags, tmp_path)[1] == LOADED


def test_an_index_of_an_older_engine_is_cleared_and_lends_no_vector(
    long_chat, word_bags, tmp_path, monkeypatch
):
    monkeypatch.setattr(storage, "ENGINE_VERSION", 1)
    open_index(long_chat, word_bags, tmp_path)
    former = the_only_index(tmp_path)
    word_bags.seen.clear()
    monkeypatch.setattr(storage, "ENGINE_VERSION", 2)

    assert open_index(long_chat, word_bags, tmp_path)[1] == BUILT
    assert len(word_bags.seen) == 10
    assert not former.exists()


@pytest.mark.parametrize("damage", [truncated, emptied, deleted])
def test_a_lost_list_of_states_costs_work_and_no_truth(
    damage, long_chat, make_chat, word_bags, tmp_path
):
    open_index(long_chat, word_bags, tmp_path / "a")
    (listed,) = (tmp_path / "a").glob("*.states")
    damage(listed)
    more = grown(long_chat, make_chat, "tea")

    index, _ = open_index(more, word_bags, tmp_path / "a")

    assert equal(index, open_index(more, word_bags, tmp_path / "b")[0])


@pytest.mark.parametrize("name", ["../../precious", "/precious", "3-../../../precious", "", ".", 7])
def test_a_list_of_states_never_names_a_folder_elsewhere(name, long_chat, word_bags, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    folder = tmp_path / "home" / "indexes"
    open_index(long_chat, word_bags, folder)
    (listed,) = folder.glob("*.states")
    listed.write_text(f'["{name}"]' if isinstance(name, str) else f"[{name}]")
    flipped(the_only_index(folder) / "meaning" / "hashes.npy")

    open_index(long_chat, word_bags, folder)

    assert precious.is_dir()
    assert open_index(long_chat, word_bags, folder)[1] == LOADED


@pytest.mark.usefixtures("small_chunks")
def test_an_interrupted_index_goes_on_where_it_stopped(long_chat, word_bags, search, tmp_path):
    broken = type(word_bags)(calls=2)
    with pytest.raises(KeyboardInterrupt):
        open_index(long_chat, broken, tmp_path / "a")
    assert len(broken.seen) == 6

    index, note = open_index(long_chat, word_bags, tmp_path / "a")

    assert note == COMPLETED
    assert sorted(word_bags.seen) == sorted({m.text for m in long_chat.messages} - {*broken.seen})
    afresh, _ = open_index(long_chat, word_bags, tmp_path / "b")
    assert equal(index, afresh)
    assert search(long_chat, index) == search(long_chat, afresh)
    assert [p.name for p in (tmp_path / "a").iterdir() if p.suffix == ".chunks"] == []


@pytest.mark.usefixtures("small_chunks")
def test_a_chat_that_grew_after_an_interruption_goes_on_from_there(
    long_chat, make_chat, word_bags, tmp_path
):
    broken = type(word_bags)(calls=2)
    with pytest.raises(KeyboardInterrupt):
        open_index(long_chat, broken, tmp_path)
    more = grown(long_chat, make_chat, "tea")

    _, note = open_index(more, word_bags, tmp_path)

    assert note == BUILT
    assert sorted(word_bags.seen) == sorted({m.text for m in more.messages} - {*broken.seen})
    assert len(places(tmp_path)) == 1


@pytest.mark.usefixtures("small_chunks")
def test_a_chat_that_is_embedded_in_part_is_found_by_its_words(
    long_chat, word_bags, own_words_alone, tmp_path
):
    broken = type(word_bags)(calls=2)
    with pytest.raises(KeyboardInterrupt):
        open_index(long_chat, broken, tmp_path)
    left = next(m for m in long_chat.messages if m.text not in broken.seen)

    index, note = open_index(long_chat, word_bags, tmp_path, patience=3)

    assert note.startswith(f"{LOADED}; 4 messages are not embedded yet")
    assert index.meaning.missing == 4
    assert word_bags.seen == []
    retriever = HybridRetriever(long_chat, index, own_words_alone, word_bags)
    number = left.text.rsplit(" ", 1)[1]
    found = retriever.search(Plan(intent="fact", queries=(f"kayak {number}",)), 50)
    assert found[0].local_id == left.local_id
    assert len(found) == 10
    assert all(np.isfinite(c.score) for c in found)


def test_without_patience_a_new_chat_is_found_by_its_words_alone(
    chat, word_bags, even_weights, tmp_path
):
    index, note = open_index(chat, word_bags, tmp_path, patience=0)

    assert note.startswith(f"{BUILT}; 4 messages are not embedded yet")
    assert "importing" in note
    retriever = HybridRetriever(chat, index, even_weights, word_bags)
    assert retriever.search(PLAN, 1)[0].local_id in (1, 3)
    _, again = open_index(chat, word_bags, tmp_path, patience=4)
    assert again == COMPLETED


def test_one_message_without_a_vector_is_told_in_the_singular(make_chat, word_bags, tmp_path):
    _, note = open_index(make_chat(("Ana", "tea")), word_bags, tmp_path, patience=0)

    assert "1 message is not embedded yet" in note


def test_a_damaged_index_beyond_patience_says_both(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    flipped(the_only_index(tmp_path) / "meaning" / "vectors.npy")

    _, note = open_index(chat, word_bags, tmp_path, patience=0)

    assert note.startswith(f"{REBUILT}; 4 messages are not embedded yet")


@pytest.mark.parametrize("damaged", [False, True], ids=["nothing there", "a damaged one there"])
def test_many_saves_at_once_leave_one_whole_index(damaged, chat, word_bags, search, tmp_path):
    before = search(chat, open_index(chat, word_bags, tmp_path / "elsewhere")[0])
    folder = tmp_path / "indexes"
    if damaged:
        open_index(chat, word_bags, folder)
        flipped(the_only_index(folder) / "meaning" / "vectors.npy")

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_index(chat, word_bags, folder)[0], range(24)))

    assert all(search(chat, index) == before for index in opened)
    assert len(places(folder)) == 1
    assert open_index(chat, word_bags, folder)[1] == LOADED


@pytest.mark.usefixtures("small_chunks")
def test_many_that_embed_at_once_never_stand_in_each_others_way(
    long_chat, word_bags, search, tmp_path
):
    before = search(long_chat, open_index(long_chat, word_bags, tmp_path / "elsewhere")[0])
    folder = tmp_path / "indexes"

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_index(long_chat, word_bags, folder)[0], range(24)))

    assert all(search(long_chat, index) == before for index in opened)
    assert open_index(long_chat, word_bags, folder)[1] == LOADED


PROCESS = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sayso.core.chat import Chat, Message
from sayso.retrieval import embedding, surroundings
from sayso.retrieval.storage import open_index
from tests.retrieval.conftest import WordBags

embedding.CHUNK, surroundings._TEXTS = 3, 0
start = datetime(2024, 3, 2, tzinfo=UTC)
for size in range(1, 16):
    messages = tuple(
        Message(local_id=i + 1, sender="Ana", sent_at=start + timedelta(minutes=i), text=f"tea {i}")
        for i in range(size)
    )
    chat = Chat(chat_id="c", title="c", platform="invented", messages=messages)
    index, note = open_index(chat, WordBags(), Path(sys.argv[1]))
    assert index.meaning.missing == 0
    print(index.meaning.vectors.tobytes().hex(), index.meaning.tokens.tobytes().hex()[:64])
"""


def test_processes_that_open_one_index_at_once_all_get_the_same(tmp_path):
    command = [sys.executable, "-W", "error", "-c", PROCESS, str(tmp_path / "indexes")]
    running = [
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [process.communicate() for process in running]

    assert [p.returncode for p in running] == [0, 0], [err for _, err in told]
    assert len({out for out, _ in told}) == 1
    assert told[0][0].count("\n") == 15


def test_a_save_that_fails_leaves_no_scratch_behind(chat, word_bags, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "save", full)

    _, note = open_index(chat, word_bags, tmp_path)

    assert note == f"{BUILT}; it cannot be stored and is in memory only: no space left"
    assert [p for p in tmp_path.rglob("*") if not p.is_dir() and p.suffix != ".states"] == []
    assert list(tmp_path.rglob(".new-*")) == []


@pytest.mark.parametrize("place", ["a file", "a dangling link"])
@pytest.mark.parametrize("of", ["the state", "its half", "its chunks"])
def test_what_stands_in_the_place_of_an_index_is_replaced(
    place, of, long_chat, word_bags, small_chunks, search, tmp_path
):
    before = search(long_chat, open_index(long_chat, word_bags, tmp_path / "elsewhere")[0])
    folder = tmp_path / "indexes"
    open_index(long_chat, word_bags, folder)
    state = the_only_index(folder)
    key = next(folder.glob("*.states")).stem
    chunks = folder / f"{state.name.partition('-')[0]}-{key}.chunks"
    taken = {"the state": state, "its half": state / "meaning", "its chunks": chunks}[of]
    shutil.rmtree(state if of == "its chunks" else taken)
    if place == "a file":
        taken.write_text("in the way")
    else:
        taken.symlink_to(tmp_path / "nowhere")

    index, note = open_index(long_chat, word_bags, folder)

    assert "cannot be stored" not in note
    assert search(long_chat, index) == before
    assert open_index(long_chat, word_bags, folder)[1] == LOADED
    assert (state / "meaning").is_dir()


@pytest.mark.parametrize("way", ["a file", "a dangling link"])
def test_where_the_folder_of_indexes_cannot_be_used_the_index_stays_in_memory_and_says_why(
    way, chat, word_bags, search, tmp_path
):
    before = search(chat, open_index(chat, word_bags, tmp_path / "elsewhere")[0])
    folder = tmp_path / "indexes"
    if way == "a file":
        folder.write_text("mine")
    else:
        folder.symlink_to(tmp_path / "unmounted" / "indexes")

    index, note = open_index(chat, word_bags, folder)

    assert search(chat, index) == before
    assert note.startswith(f"{BUILT}; it cannot be stored and is in memory only: {folder}: ")
    assert folder.is_symlink() == (way != "a file")
    assert way != "a file" or folder.read_text() == "mine"


def test_a_folder_that_may_be_neither_read_nor_written_costs_no_answer(
    long_chat, word_bags, small_chunks, search, tmp_path, monkeypatch
):
    before = search(long_chat, open_index(long_chat, word_bags, tmp_path / "elsewhere")[0])
    locked = tmp_path / "indexes"
    lock(locked, monkeypatch)

    index, note = open_index(long_chat, word_bags, locked)

    assert search(long_chat, index) == before
    assert note.endswith("indexes: Permission denied")


def test_progress_is_heard_only_while_building(chat, tmp_path, minilm):
    heard: list[tuple[int, int]] = []
    open_index(chat, minilm, tmp_path, lambda *at: heard.append(at))
    built = list(heard)
    open_index(chat, minilm, tmp_path, lambda *at: heard.append(at))

    assert built[0] == (0, 4)
    assert built[-1] == (4, 4)
    assert heard == built


def stored_before(folder: Path) -> None:
    """What earlier versions stored: digests that do not say whose they are."""
    for path in folder.glob("*/*/digests.json"):
        digests = json.loads(path.read_text())
        del digests["folder"]
        path.write_text(json.dumps(digests))


@pytest.fixture
def two_indexes(chat, long_chat, word_bags, tmp_path):
    """Two whole indexes in one folder: that of ``chat``, and another chat's."""
    folder = tmp_path / "two"
    open_index(long_chat.model_copy(update={"chat_id": "other"}), word_bags, folder)
    (other,) = places(folder)
    open_index(chat, word_bags, folder)
    (mine,) = (p for p in places(folder) if p != other)
    word_bags.seen.clear()
    return folder, mine, other


@pytest.mark.parametrize("copied", ["", "surface", "meaning"], ids=lambda part: part or "both")
def test_a_whole_index_in_the_place_of_another_is_rebuilt_with_a_note(
    copied, two_indexes, chat, word_bags, search, tmp_path
):
    folder, mine, other = two_indexes
    afresh, _ = open_index(chat, word_bags, tmp_path / "elsewhere")
    shutil.rmtree(mine / copied)
    shutil.copytree(other / copied, mine / copied)

    assert index_state(chat, word_bags, folder) == DAMAGED
    index, note = open_index(chat, word_bags, folder)

    assert note == REBUILT
    assert equal(index, afresh)
    assert search(chat, index) == search(chat, afresh)
    assert index_state(chat, word_bags, folder) == WHOLE
    assert open_index(chat, word_bags, folder)[1] == LOADED


def test_one_half_of_an_index_in_the_place_of_the_other_is_rebuilt(
    chat, word_bags, search, tmp_path
):
    built, _ = open_index(chat, word_bags, tmp_path)
    place = the_only_index(tmp_path)
    shutil.rmtree(place / "surface")
    shutil.copytree(place / "meaning", place / "surface")

    index, note = open_index(chat, word_bags, tmp_path)

    assert note == REBUILT
    assert search(chat, index) == search(chat, built)


def test_an_index_of_an_earlier_version_is_renewed_without_embedding_and_without_a_word(
    chat, word_bags, tmp_path
):
    built, _ = open_index(chat, word_bags, tmp_path)
    stored_before(tmp_path)
    word_bags.seen.clear()

    assert index_state(chat, word_bags, tmp_path) == OUTDATED
    index, note = open_index(chat, word_bags, tmp_path)

    assert note == RENEWED
    assert note in UNREMARKABLE
    assert word_bags.seen == []
    assert equal(index, built)
    assert index_state(chat, word_bags, tmp_path) == WHOLE


def test_one_of_an_earlier_version_in_the_place_of_another_lends_what_is_of_equal_texts_alone(
    two_indexes, chat, word_bags, search, tmp_path
):
    folder, mine, other = two_indexes
    afresh, _ = open_index(chat, word_bags, tmp_path / "elsewhere")
    stored_before(folder)
    shutil.rmtree(mine)
    shutil.copytree(other, mine)

    index, _ = open_index(chat, word_bags, folder)

    assert equal(index, afresh)


def test_a_damaged_index_of_an_earlier_version_is_told_as_damaged(chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    stored_before(tmp_path)
    flipped(the_only_index(tmp_path) / "meaning" / "vectors.npy")

    assert index_state(chat, word_bags, tmp_path) == DAMAGED
    assert open_index(chat, word_bags, tmp_path)[1] == REBUILT


def test_another_chat_of_the_same_id_keeps_its_index_of_an_earlier_version(
    long_chat, chat, word_bags, tmp_path
):
    open_index(long_chat, word_bags, tmp_path)
    stored_before(tmp_path)
    open_index(chat, word_bags, tmp_path)
    word_bags.seen.clear()

    assert open_index(long_chat, word_bags, tmp_path)[1] == RENEWED
    assert word_bags.seen == []


@pytest.mark.parametrize("digests", ["[]", "7", "null", '{"folder": 7}'])
def test_digests_that_are_none_are_damage(digests, chat, word_bags, tmp_path):
    open_index(chat, word_bags, tmp_path)
    (the_only_index(tmp_path) / "surface" / "digests.json").write_text(digests)

    assert open_index(chat, word_bags, tmp_path)[1] == REBUILT


def test_a_chat_that_grew_under_another_model_of_the_same_name_is_embedded_anew_and_says_so(
    long_chat, make_chat, word_bags, search, tmp_path
):
    class Narrow(type(word_bags)):
        dimensions = 8

    open_index(long_chat, word_bags, tmp_path / "a")
    more, narrow = grown(long_chat, make_chat, "tea"), Narrow()

    index, note = open_index(more, narrow, tmp_path / "a")

    assert note.startswith(f"{BUILT}; the vectors that word-bags gave before have 16 numbers and")
    assert len(narrow.seen) == 11
    assert equal(index, open_index(more, Narrow(), tmp_path / "b")[0])
    assert open_index(more, narrow, tmp_path / "a")[1] == LOADED


def test_beyond_patience_such_a_chat_is_found_by_words_and_both_is_told(
    long_chat, make_chat, word_bags, tmp_path
):
    class Narrow(type(word_bags)):
        dimensions = 8

    open_index(long_chat, word_bags, tmp_path)

    _, note = open_index(grown(long_chat, make_chat, "tea"), Narrow(), tmp_path, patience=3)

    assert "11 messages are not embedded yet" in note
    assert "have 16 numbers and now 8" in note


def test_an_index_that_may_not_be_read_is_called_so(chat, word_bags, tmp_path, monkeypatch):
    open_index(chat, word_bags, tmp_path)
    for of in (tmp_path, the_only_index(tmp_path) / "meaning"):
        with monkeypatch.context() as locked:
            lock(of, locked)
            state = index_state(chat, word_bags, tmp_path)

        assert state == f"{UNREADABLE}: {of}: Permission denied; change its rights"
    assert index_state(chat, word_bags, tmp_path) == WHOLE


def lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a folder of mode 000 answers, also to those whom no mode binds."""

    def refuse(call):
        def refusing(path, *more, **options):
            if str(path).startswith(str(folder)):
                raise PermissionError(13, "Permission denied", str(path))
            return call(path, *more, **options)

        return refusing

    for name in ("stat", "lstat", "mkdir", "listdir", "scandir"):
        monkeypatch.setattr(os, name, refuse(getattr(os, name)))


def test_of_a_short_chat_that_grows_and_loses_messages_the_last_state_alone_is_kept(
    make_chat, word_bags, tmp_path
):
    said = ["tea?", "red kayak", "yes", "no", "half past seven"]

    for size in (1, 2, 3, 5):
        open_index(make_chat(*(("Ana", t) for t in said[:size])), word_bags, tmp_path)
        assert len(places(tmp_path)) == 1
    open_index(make_chat(*(("Ana", t) for t in said[1:])), word_bags, tmp_path)

    assert len(places(tmp_path)) == 1
