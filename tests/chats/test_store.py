import stat
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.chats.importers import ImportOptions
from sayso.chats.locking import alone_in
from sayso.chats.store import ChatStore, read_chat, write_chat
from sayso.core.chat import Chat, Message, Participant, in_message_order
from sayso.errors import (
    ChatNotFoundError,
    ImportFormatError,
    InputError,
    StoreError,
)

AT = datetime(2024, 1, 1, 10, 0, tzinfo=UTC)


def a_chat(chat_id: str = "c", *texts: str) -> Chat:
    messages = [
        Message(local_id=n, sender="A", sent_at=AT, text=t)
        for n, t in enumerate(texts or ("hi",), 1)
    ]
    return Chat(chat_id=chat_id, title="C", platform="p", messages=tuple(messages))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_chat_file_is_written_as_by_hand(tmp_path: Path) -> None:
    messages = (
        Message(local_id=1, sender="Ada", sent_at=AT, text="a\u2028b\n“é”", source_id="s"),
        Message(
            local_id=2, sender="Ben", sent_at=AT, text="", kind="photo", caption="hat", reply_to=1
        ),
    )
    chat = Chat(
        chat_id="c", title="C", platform="p", timezone="Asia/Tokyo", messages=messages,
        participants=(Participant(name="Ada"), Participant(name="Ben", aliases=("B",))),
    )  # fmt: skip

    write_chat(chat, tmp_path / "c.jsonl")

    assert (tmp_path / "c.jsonl").read_text(encoding="utf-8") == (
        '{"sayso": "chat", "version": 1, "chatId": "c", "title": "C", "platform": "p", '
        '"timezone": "Asia/Tokyo", "timezoneOrigin": "export", '
        '"participants": ["Ada", {"name": "Ben", "aliases": ["B"]}]}\n'
        '{"localId": 1, "sender": "Ada", "sentAt": "2024-01-01T19:00:00+09:00", '
        '"text": "a\u2028b\\n“é”", "kind": "text", "sourceId": "s"}\n'
        '{"localId": 2, "sender": "Ben", "sentAt": "2024-01-01T19:00:00+09:00", '
        '"text": "", "kind": "photo", "replyTo": 1, "caption": "hat"}\n'
    )
    assert read_chat(tmp_path / "c.jsonl") == chat


def test_files_and_folders_are_the_owners_only(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "deep" / "home")

    store.save(a_chat())

    assert mode(store.path("c")) == 0o600
    assert (
        mode(tmp_path / "deep")
        == mode(tmp_path / "deep/home")
        == mode(tmp_path / "deep/home/chats")
        == 0o700
    )


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_chat(a_chat("c", "old"), path)

    with pytest.raises(StoreError, match="cannot be written"):
        write_chat(a_chat("c", "new", "half a character: \ud83d"), path)

    assert read_chat(path).messages[0].text == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["c.jsonl"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"localId": 1, "sender": "B", "sentAt": "2024-01-01T10:00:00Z"}',
            "localId 1 is also on line 2",
        ),
        ('{"sender": "B", "sentAt": "2024-01-01T10:00:00Z"}', "line 3: the message has no localId"),
        ('{"localId": 2, "sender": "B", "sen', "line 3: not a whole JSON object"),
        ('{"localId": 2, "mood": "B"}', "line 3: unknown key 'mood'"),
    ],
)
def test_reading_back_is_strict(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "c.jsonl"
    write_chat(a_chat(), path)
    path.write_text(path.read_text() + line + "\n")

    with pytest.raises(ImportFormatError) as caught:
        read_chat(path)

    assert said in str(caught.value)


def test_ids_are_sorted_and_keep_their_case(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    assert store.ids() == ()

    for chat_id in ("b", "Ünï 码", "A.b", ".hidden"):
        store.save(a_chat(chat_id))
    (tmp_path / "chats" / "notes.txt").write_text("no chat")

    assert store.ids() == (".hidden", "A.b", "b", "Ünï 码")
    assert store.load("Ünï 码") == a_chat("Ünï 码")
    assert store.path("A.b") == tmp_path / "chats" / "A.b.jsonl"


@pytest.mark.parametrize("chat_id", ["", ".", "..", "a/b", "..\\b", "a\0", "\ud83d"])
def test_an_id_that_is_no_file_name_is_refused(tmp_path: Path, chat_id: str) -> None:
    with pytest.raises(InputError, match="cannot be a chat's id"):
        ChatStore(tmp_path).path(chat_id)


def test_a_name_that_the_disk_refuses_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be written: File name too long; give .* --as ID"):
        ChatStore(tmp_path).save(a_chat("x" * 400))
    with pytest.raises(ChatNotFoundError):
        ChatStore(tmp_path).load("x" * 400)


def test_adding_again_merges(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)

    _, first = store.add(a_chat("c", "a", "b"))
    merged, second = store.add(a_chat("c", "a", "b", "c"))

    assert (first.added, first.already_there) == (2, 0)
    assert (second.added, second.already_there) == (1, 2)
    assert store.load("c") == merged
    assert [m.text for m in merged.messages] == ["a", "b", "c"]


def between(*people: str, day: int) -> Chat:
    at = AT + timedelta(days=day)
    messages = [
        Message(local_id=n, sender=name, sent_at=at, text="hello")
        for n, name in enumerate(people, 1)
    ]
    return Chat(chat_id="_chat", title="C", platform="p", messages=tuple(messages))


def test_another_chat_under_a_taken_name_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    store.add(between("Me", "Ana", day=0))

    with pytest.raises(InputError, match=r"'_chat'.*\(Ana, Me; here Bo, Me\).*--as ID.*--as _chat"):
        store.add(between("Me", "Bo", day=9))

    assert len(store.load("_chat").messages) == 2


def test_the_same_peoples_next_month_and_a_chat_that_was_named_are_merged(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    store.add(between("Me", "Ana", day=0))

    _, next_month = store.add(between("Ana", "Me", day=31))
    _, named = store.add(between("Me", "Bo", day=9), sure=True)

    assert (next_month.added, next_month.already_there) == (2, 0)
    assert (named.added, named.already_there) == (2, 0)


def test_resolve_finds_an_id_a_file_or_the_only_chat(tmp_path: Path, exports: Path) -> None:
    store = ChatStore(tmp_path)
    store.save(a_chat("only"))

    assert store.resolve().chat_id == "only"
    assert store.resolve("only").chat_id == "only"
    assert store.resolve(str(exports / "realtalk.json")).platform == "realtalk"
    tokyo = store.resolve(str(exports / "realtalk.json"), ImportOptions(timezone="Asia/Tokyo"))
    assert tokyo.timezone == "Asia/Tokyo"
    assert store.ids() == ("only",)


def test_what_cannot_be_resolved_says_what_there_is_and_what_to_do(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    with pytest.raises(
        ChatNotFoundError, match="none is imported yet; import one with sayso import"
    ):
        store.resolve()
    with pytest.raises(ChatNotFoundError, match=r"no imported chat and no file 'x'"):
        store.resolve("x")

    store.save(a_chat("one"))
    store.save(a_chat("two"))

    with pytest.raises(ChatNotFoundError, match="no chat was named; imported: one, two; name one"):
        store.resolve()
    for name in ("three", "", "../one", "a\0b", str(tmp_path)):
        with pytest.raises(ChatNotFoundError, match="imported: one, two"):
            store.resolve(name)


def test_a_file_of_several_chats_asks_which(tmp_path: Path) -> None:
    talk = '{"sample_id": "%s", "conversation": {"session_1": [{"speaker": "A", "text": "x"}], "session_1_date_time": "1:00 pm on 1 May, 2023"}}'
    path = tmp_path / "several.json"
    path.write_text(f"[{talk % 'p'}, {talk % 'q'}]")

    with pytest.raises(InputError, match=r"holds 2 chats \(p, q\)"):
        ChatStore(tmp_path).resolve(str(path))


whole = st.text(st.characters(exclude_categories=["Cs"]))
offsets = st.integers(-14, 14).map(lambda h: timezone(timedelta(hours=h)))
times = st.datetimes(datetime(3, 1, 1), datetime(9997, 1, 1), timezones=offsets)  # noqa: DTZ001
bodies = st.fixed_dictionaries(
    {
        "sender": whole,
        "sent_at": times,
        "text": whole,
        "kind": st.sampled_from(["text", "photo", "system", "deleted", "poll"]),
        "reply_to": st.none() | st.integers(1, 9),
        "caption": st.none() | whole,
        "source_id": st.none() | whole,
    }
)


@given(
    st.lists(bodies, max_size=6),
    whole,
    st.lists(whole, max_size=3, unique=True),
    st.sampled_from(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu"]),
    st.sampled_from(["export", "named", "assumed"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_writing_then_reading_is_the_identity(
    tmp_path: Path,
    drawn: list[dict[str, object]],
    title: str,
    people: list[str],
    zone: str,
    origin: str,
) -> None:
    messages = [Message.model_validate({**body, "local_id": n}) for n, body in enumerate(drawn, 1)]
    fields = {
        "chat_id": "c",
        "title": title,
        "platform": title,
        "timezone": zone,
        "timezone_origin": origin,
    }
    chat = Chat.model_validate(
        {**fields, "participants": people, "messages": in_message_order(messages)}
    )

    write_chat(chat, tmp_path / "c.jsonl")
    first = (tmp_path / "c.jsonl").read_bytes()
    back = read_chat(tmp_path / "c.jsonl")
    write_chat(back, tmp_path / "c.jsonl")

    assert back == chat
    assert (tmp_path / "c.jsonl").read_bytes() == first


def test_who_adds_while_another_writes_waits_and_loses_nothing(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    store.add(a_chat("c", "a"))
    adding = threading.Thread(target=store.add, args=(a_chat("c", "a", "from here"),))

    with alone_in(tmp_path / "chats"):
        adding.start()
        store.save(a_chat("c", "a", "from there"))
    adding.join()

    assert [m.text for m in store.load("c").messages] == ["a", "from there", "from here"]


def test_a_damaged_chat_says_that_it_is_the_stored_one_and_what_to_do(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    store.save(a_chat("c"))
    store.path("c").write_text("", encoding="utf-8")

    for attempt in (lambda: store.load("c"), lambda: store.add(a_chat("c"))):
        with pytest.raises(ImportFormatError, match=r"c\.jsonl: .*empty.*move it away and import"):
            attempt()


def test_half_a_character_in_a_stored_chat_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_chat(a_chat("c", "hi", "there"), path)
    path.write_text(path.read_text().replace("there", "\\ud83d"), encoding="utf-8")

    with pytest.raises(ImportFormatError, match="line 3: half a character"):
        read_chat(path)


def test_a_blank_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be a chat's id"):
        ChatStore(tmp_path).save(a_chat(" "))
