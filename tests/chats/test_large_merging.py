"""Two chats that are merged on disk become what they become in memory."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.chats import slices
from sayso.chats.canonical import format_chat
from sayso.chats.clock import in_zone
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.report import ImportReport
from sayso.chats.merging import MergeReport, merge
from sayso.chats.outline import Outline
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore, write_chat
from sayso.core.chat import (
    Attachment,
    Chat,
    Message,
    Participant,
    Reaction,
    Revision,
    in_message_order,
)
from sayso.errors import InputError

START = datetime(2024, 1, 5, 10, 0, tzinfo=UTC)
anyhow = settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)

names = st.sampled_from(["Ana", "Bo", "+49 1", "Ann"])
texts = st.sampled_from(
    [
        "ok",
        "ok",
        "see you",
        "see you there",
        "you are late",
        "Ana added Bo",
        "",
        "image omitted",
        "<Media omitted>",
    ]
)
moments = st.integers(0, 6).map(lambda n: START + timedelta(minutes=n))
bodies = st.builds(
    dict,
    sender=names,
    sent_at=moments,
    text=texts,
    kind=st.sampled_from(["text", "text", "text", "photo", "deleted", "system"]),
    caption=st.none() | st.none() | st.just("a lake"),
    edited_at=st.none() | st.none() | moments,
    revisions=st.just(()) | st.just((Revision(text="ok"),)),
    reactions=st.just(()) | st.just((Reaction(emoji="+", who=("Bo",)),)),
    attachments=st.just(()) | st.just((Attachment(name="a.jpg", kind="photo"),)),
)
zones = st.sampled_from(
    [
        ("UTC", "assumed"),
        ("Europe/Berlin", "named"),
        ("Asia/Tokyo", "named"),
        ("Europe/Berlin", "export"),
    ]
)


@st.composite
def chats(draw: st.DrawFn, ids: bool) -> Chat:
    """A chat of few people in few minutes, so that much of two of them is the same."""
    given = draw(st.lists(bodies, max_size=9))
    messages = [
        Message(
            local_id=n,
            reply_to=draw(st.none() | st.integers(1, len(given))),
            source_id=f"s{draw(st.integers(1, 9))}x{n % 3}"
            if ids and draw(st.booleans())
            else None,
            **one,
        )
        for n, one in enumerate(given, 1)
    ]
    seen: set[str | None] = {None}
    once = []
    for m in messages:
        once.append(m.model_copy(update={"source_id": None}) if m.source_id in seen else m)
        seen.add(m.source_id)
    people = dict.fromkeys(m.sender for m in messages if m.kind != "system")
    zone, origin = draw(zones)
    aliases = draw(st.sampled_from([(), (), ("Ann",), ("+49 1",)]))
    return Chat(
        chat_id="c", title="C", platform="p", timezone=zone, timezone_origin=origin,
        owner=draw(st.none() | names),
        participants=tuple(
            Participant(name=n, aliases=aliases if n == "Ana" else ()) for n in people
        ),
        messages=in_message_order(
            m.model_copy(update={"sent_at": in_zone(m.sent_at, ZoneInfo(zone))}) for m in once
        ),
    )  # fmt: skip


def draft_of(chat: Chat) -> Draft:
    report = ImportReport(
        format="f", messages=len(chat.messages), kinds={}, people={}, first=START, last=START
    )
    return Draft(chat, report, lambda: iter(chat.messages))


def in_memory(old: Chat, new: Chat) -> tuple[Chat, MergeReport] | None:
    merged, report = merge(old, new)
    speakers = [
        {m.sender for m in c.messages if m.sender and m.kind != "system"} for c in (old, new)
    ]
    return (merged, report) if report.already_there or speakers[0] == speakers[1] else None


def on_disk(old: Chat, new: Chat, home: Path) -> tuple[Chat, MergeReport] | None:
    store = ChatStore(home)
    write_chat(old, store.path("c"))
    with Spool(home) as spool:
        try:
            outline, report = store.add_large(draft_of(new), spool)
        except InputError:  # two chats of other people
            return None
    merged = store.load("c")
    assert Outline.of(merged) == outline
    assert list(format_chat(merged)) == store.path("c").read_text(encoding="utf-8").splitlines()
    return merged, report


@pytest.mark.parametrize("ids", [False, True], ids=["without ids", "with ids"])
@given(data=st.data(), slice_size=st.sampled_from([1, 3, 2000]))
@anyhow
def test_a_merge_on_disk_is_the_merge_in_memory(
    tmp_path: Path, data: st.DataObject, ids: bool, slice_size: int
) -> None:
    old, new = data.draw(chats(ids)), data.draw(chats(ids))
    if data.draw(st.booleans()):  # a later export of the same chat
        new = new.model_copy(
            update={
                "messages": in_message_order(
                    [
                        *old.messages,
                        *(
                            m.model_copy(
                                update={
                                    "local_id": m.local_id + 20, "source_id": None, "reply_to": None,
                                    "sent_at": in_zone(m.sent_at + timedelta(hours=1), old.zone),
                                }
                            )
                            for m in new.messages
                        ),
                    ]
                ),
                "timezone": old.timezone, "timezone_origin": old.timezone_origin,
            }
        )  # fmt: skip

    slices.SIZE, before = slice_size, slices.SIZE
    try:
        found = on_disk(old, new, tmp_path)
    finally:
        slices.SIZE = before

    assert found == in_memory(old, new)
