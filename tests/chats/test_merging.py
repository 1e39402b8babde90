from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from sayso.chats.merging import MergeReport, merge
from sayso.core.chat import Chat, Message, Participant

START = datetime(2024, 1, 1, 10, 0, tzinfo=UTC)


def said(local_id: int, text: str, minute: int = 0, **more: object) -> Message:
    at = START + timedelta(minutes=minute)
    fields = {"local_id": local_id, "sender": "A", "sent_at": at, "text": text, **more}
    return Message.model_validate(fields)


def chat(*messages: Message, **more: object) -> Chat:
    fields = {"chat_id": "c", "title": "C", "platform": "p", "messages": messages, **more}
    return Chat.model_validate(fields)


def rows(merged: Chat) -> list[tuple[int, str]]:
    return [(m.local_id, m.text) for m in merged.messages]


def test_january_then_january_and_february_is_the_union_and_ids_stay() -> None:
    january = chat(said(1, "ok", 0), said(2, "ok", 0), said(3, "bye", 9))
    both = chat(
        said(1, "ok", 0),
        said(2, "ok", 0),
        said(3, "late", 5),
        said(4, "bye", 9),
        said(5, "feb", 50),
    )

    merged, report = merge(january, both)

    assert rows(merged) == [(1, "ok"), (2, "ok"), (4, "late"), (3, "bye"), (5, "feb")]
    assert report == MergeReport(added=2, already_there=3)


def test_a_third_ok_in_the_same_minute_is_added() -> None:
    merged, report = merge(
        chat(said(1, "ok"), said(2, "ok")), chat(*(said(n, "ok") for n in (1, 2, 3)))
    )

    assert rows(merged) == [(1, "ok"), (2, "ok"), (3, "ok")]
    assert report == MergeReport(added=1, already_there=2)


def test_a_shorter_export_takes_nothing_away() -> None:
    old = chat(said(1, "a"), said(2, "b", 1))

    merged, report = merge(old, chat(said(1, "b", 1)))

    assert merged == old
    assert report == MergeReport(added=0, already_there=1)


def test_one_source_id_is_one_message_whose_latest_words_are_its_text() -> None:
    old = chat(said(1, "helo", 0, source_id="x"))
    new = chat(said(1, "hello", 0, source_id="x"), said(2, "helo", 0, source_id="y"))

    merged, report = merge(old, new)

    assert rows(merged) == [(1, "hello"), (2, "helo")]
    assert [r.text for r in merged.by_id[1].revisions] == ["helo"]
    assert report == MergeReport(added=1, already_there=1, changed=1, edited=(1,))


def test_a_deletion_without_a_word_gets_words_and_sender_from_an_earlier_export() -> None:
    gone = chat(said(1, "", 0, source_id="x", sender="", kind="deleted"))
    before = chat(said(1, "hello", 0, source_id="x"))

    merged, report = merge(gone, before)

    assert (merged.messages[0].sender, merged.messages[0].text) == ("A", "hello")
    assert merged.messages[0].kind == "text"
    assert report == MergeReport(added=0, already_there=1, completed=1)


def test_where_one_has_no_source_id_time_sender_and_text_decide() -> None:
    bare, marked = chat(said(1, "hi")), chat(said(1, "hi", source_id="x"))

    assert merge(bare, marked)[1] == MergeReport(added=0, already_there=1)
    assert merge(marked, bare)[1] == MergeReport(added=0, already_there=1)


def test_replies_of_new_messages_point_at_the_merged_ids() -> None:
    old = chat(said(7, "question", 3))
    new = chat(said(1, "before", 0), said(2, "question", 3), said(3, "answer", 4, reply_to=2))

    merged, _ = merge(old, new)

    assert rows(merged) == [(8, "before"), (7, "question"), (9, "answer")]
    assert merged.by_id[9].reply_to == 7


def test_people_are_united_and_what_was_worked_out_before_is_not_kept() -> None:
    old = chat(said(1, "a"), participants=(Participant(name="A", aliases=("Al",)),))
    assert old.by_id.keys() == {1}

    merged, _ = merge(old, chat(said(1, "b"), participants=("Al", "B")))

    assert merged.names == ("A", "B")
    assert merged.by_id.keys() == {1, 2}


def test_a_timezone_that_is_named_later_rereads_the_clocks_and_finds_the_same_messages() -> None:
    old = chat(said(1, "a", 0), said(2, "b", 5), timezone_origin="assumed")
    tokyo = timezone(timedelta(hours=9))
    moved = [
        m.model_copy(update={"sent_at": m.sent_at.replace(tzinfo=tokyo)}) for m in old.messages
    ]
    new = chat(*moved, timezone="Asia/Tokyo", timezone_origin="named")

    for first, second in ((old, new), (new, old)):
        merged, report = merge(first, second)

        assert report == MergeReport(added=0, already_there=2)
        assert (merged.timezone, merged.timezone_origin) == ("Asia/Tokyo", "named")
        assert merged.messages[0].sent_at.isoformat() == "2024-01-01T10:00:00+09:00"


def test_instants_that_the_export_knew_are_the_same_under_another_clock() -> None:
    old = chat(said(1, "a"), timezone_origin="export")
    new = chat(said(1, "a"), timezone="Asia/Tokyo", timezone_origin="named")

    assert merge(old, new)[1] == MergeReport(added=0, already_there=1)


texts = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["ok", "no", ""])), max_size=8)


def numbered(parts: list[tuple[int, str]]) -> Chat:
    return chat(*(said(n, text, minute) for n, (minute, text) in enumerate(sorted(parts), 1)))


@given(texts, texts)
def test_merging_keeps_ids_loses_nothing_and_is_idempotent(
    one: list[tuple[int, str]], two: list[tuple[int, str]]
) -> None:
    old, new = numbered(one), numbered(two)

    merged, report = merge(old, new)
    again, second = merge(merged, new)

    assert all(merged.by_id[m.local_id] == m for m in old.messages)
    assert len(merged.messages) == len(old.messages) + report.added
    assert report.added + report.already_there == len(new.messages)
    assert list(merged.messages) == sorted(merged.messages, key=lambda m: m.order)
    assert sorted(m.local_id for m in merged.messages) == list(range(1, len(merged.messages) + 1))
    assert again == merged
    assert second.added == 0


def test_new_messages_get_an_id_though_the_largest_is_taken() -> None:
    merged, _ = merge(chat(said(2**53, "old")), chat(said(1, "new", minute=1)))

    assert [(m.local_id, m.text) for m in merged.messages] == [(2**53, "old"), (1, "new")]


def told(*parts: tuple[int, str, str, str | None, bool, str]) -> Chat:
    in_time = sorted(parts, key=lambda part: part[0])
    seen: set[str] = set()
    messages = []
    for n, (minute, sender, text, source_id, edited, kind) in enumerate(in_time, 1):
        own = None if source_id in seen else source_id
        seen.add(own or "")
        edited_at = START + timedelta(minutes=minute) if edited else None
        fields = {"sender": sender, "source_id": own, "edited_at": edited_at, "kind": kind}
        stands_in = {"photo": "<Media omitted>", "deleted": "This message was deleted"}
        messages.append(said(n, stands_in.get(kind, text), minute, **fields))
    return chat(*messages, participants=tuple(dict.fromkeys(m.sender for m in messages)))


parts = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["A", "B", "C"]),
    st.sampled_from(["see you at 6", "see you at 7", "ok", "no"]),
    st.sampled_from([None, None, "x", "y"]),
    st.booleans(),
    st.sampled_from(["text", "text", "photo", "deleted"]),
)


@given(st.lists(parts, max_size=6), st.lists(parts, max_size=6))
def test_whatever_was_edited_deleted_or_renamed_no_words_and_no_id_are_lost(
    one: list[tuple[int, str, str, str | None, bool, str]],
    two: list[tuple[int, str, str, str | None, bool, str]],
) -> None:
    old, new = told(*one), told(*two)

    merged, report = merge(old, new)
    _, again = merge(merged, new)

    known = {m.text for m in merged.messages}
    known |= {r.text for m in merged.messages for r in m.revisions}
    assert {m.text for c in (old, new) for m in c.messages if m.kind == "text"} <= known
    assert {m.local_id for m in old.messages} <= merged.by_id.keys()
    assert len(merged.messages) == len(old.messages) + report.added
    assert report.added + report.already_there == len(new.messages)
    assert again.added == 0
    assert {m.sender for m in merged.messages} <= set(merged.names)
