import sqlite3
import stat
import sys
import threading

import pytest
from pydantic import BaseModel

from sayso.core.trail import Usage
from sayso.reasoning.calling import Request
from sayso.reasoning.reply_cache import FILE, Manner, ReplyCache, key_of


class Reply(BaseModel):
    answer: str


class Other(BaseModel):
    answer: int


def request(**more) -> Request[Reply]:
    given = {"system": "s", "user": "u", "schema": Reply, "prompt_digest": "d", **more}
    return Request(step="agent/planner", **given)


@pytest.fixture
def cache(tmp_path):
    opened = ReplyCache(tmp_path)
    yield opened
    opened.close()


def test_a_kept_reply_is_found_again_by_another_process_reader(cache, tmp_path):
    cache.keep("k", "step", Reply(answer="“é” 🛶"), Usage(model_calls=1))
    other = ReplyCache(tmp_path)

    assert other.find("k", Reply) == Reply(answer="“é” 🛶")
    assert other.find("unknown", Reply) is None
    other.close()


def test_what_a_reply_had_cost_is_known_beside_it(cache):
    cache.keep("k", "step", Reply(answer="A kayak"), Usage(model_calls=1, prompt_tokens=7))

    assert cache.cost_of("k") == Usage(model_calls=1, prompt_tokens=7)
    assert cache.cost_of("unknown") == Usage()


def test_a_reply_that_no_longer_fits_is_not_given(cache):
    cache.keep("k", "step", Reply(answer="A kayak"), Usage())

    assert cache.find("k", Other) is None


@pytest.mark.parametrize(
    "change",
    [{"system": "S"}, {"user": "U"}, {"schema": Other}, {"prompt_digest": "D"}, {"salt": "2"}],
    ids=lambda change: next(iter(change)),
)
def test_the_key_depends_on_every_part_of_the_request(change):
    assert key_of(request(**change), "e", {}) != key_of(request(), "e", {})


def test_the_key_depends_on_the_endpoint_and_its_parameters_and_not_on_their_order():
    key = key_of(request(), "e", {"a": 1, "b": 2})

    assert key == key_of(request(), "e", {"b": 2, "a": 1})
    assert key != key_of(request(), "f", {"a": 1, "b": 2})
    assert key != key_of(request(), "e", {"a": 1, "b": 3})


def test_a_lone_surrogate_in_a_prompt_has_a_key_too():
    assert len(key_of(request(user="\ud83d"), "e", {})) == 64


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_the_file_is_its_owners_alone(cache, tmp_path):
    cache.keep("k", "step", Reply(answer="a"), Usage())

    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("rubbish", [b"not a database at all, " * 50, b"SQLite format 3\x00rest"])
def test_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path, rubbish):
    (tmp_path / FILE).write_bytes(rubbish)
    cache = ReplyCache(tmp_path)

    cache.keep("k", "step", Reply(answer="a"), Usage())

    assert cache.find("k", Reply) == Reply(answer="a")
    assert (tmp_path / "replies.sqlite.damaged-1").read_bytes() == rubbish
    assert cache.notes() == (
        "the cache of replies was damaged and is set aside as replies.sqlite.damaged-1",
    )
    assert cache.notes() == ()
    cache.close()


def test_where_nothing_can_be_written_nothing_is_cached_and_a_note_says_so(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = ReplyCache(tmp_path / "file")

    cache.keep("k", "step", Reply(answer="a"), Usage())

    assert cache.find("k", Reply) is None
    assert len(cache.notes()) == 1


def test_a_file_of_other_tables_is_no_error(tmp_path):
    other = sqlite3.connect(tmp_path / FILE)
    other.execute("CREATE TABLE replies (x)")
    other.commit()
    other.close()
    cache = ReplyCache(tmp_path)

    cache.keep("k", "step", Reply(answer="a"), Usage())

    assert cache.find("k", Reply) is None
    assert len(cache.notes()) == 1
    cache.close()


def test_how_an_endpoint_is_asked_is_remembered(cache, tmp_path):
    cache.remember("e", Manner("json_mode", streams=False))
    cache.remember("e", Manner("plain"))
    other = ReplyCache(tmp_path)

    assert other.manner_of("e") == Manner("plain")
    assert other.manner_of("f") is None
    other.close()


def test_threads_share_it(cache):
    def work(number: int) -> None:
        for at in range(10):
            cache.keep(f"{number} {at}", "step", Reply(answer=f"{number}"), Usage())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(cache.find(f"{n} {at}", Reply) for n in range(4) for at in range(10))
    assert cache.notes() == ()
