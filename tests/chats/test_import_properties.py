import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.chats.importers import ImportOptions, import_file
from sayso.chats.store import read_chat, write_chat
from sayso.core.chat import (
    Attachment,
    Chat,
    Kind,
    Message,
    Participant,
    Reaction,
    Revision,
    in_message_order,
)
from sayso.errors import SaysoError

EXPORTS = sorted(p for p in (Path(__file__).parent / "exports").rglob("*") if p.is_file())
SAMPLES = [path.read_bytes() for path in EXPORTS]


def as_value(path: Path) -> Any:
    """What is in a JSON file; None for another."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value within a JSON value."""
    yield at
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    )
    for key, one in inner:
        yield from places(one, (*at, key))


OPTIONS = [
    ImportOptions(),
    ImportOptions(timezone="America/New_York"),
    ImportOptions(date_order="mdy", timezone="Europe/Berlin"),
    ImportOptions(date_order="ymd", chat_id="c"),
    ImportOptions(owner="Ana", aliases=(("Ana", "Bo"), ("Bo", "Ana"))),
]
anyhow = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def imports_or_says_why(tmp_path: Path, content: bytes, options: ImportOptions) -> None:
    """Import it; what comes out is a chat that survives the disk, or a SaysoError of one line."""
    path = tmp_path / "export"
    path.write_bytes(content)
    try:
        found = import_file(path, options)
    except SaysoError as error:
        assert "\n" not in str(error)  # noqa: PT017 both outcomes are right
        return
    for imported in found:
        chat = imported.chat
        assert [m.order for m in chat.messages] == sorted(m.order for m in chat.messages)
        assert len(chat.by_id) == len(chat.messages) == imported.report.messages
        write_chat(chat, tmp_path / "chat.jsonl")
        assert read_chat(tmp_path / "chat.jsonl") == chat


options = st.sampled_from(OPTIONS)


@given(st.binary(max_size=300), options)
@anyhow
def test_any_bytes_are_imported_or_refused_in_one_line(
    tmp_path: Path, content: bytes, chosen: ImportOptions
) -> None:
    imports_or_says_why(tmp_path, content, chosen)


@given(st.text(max_size=300), options)
@anyhow
def test_any_text_is_imported_or_refused_in_one_line(
    tmp_path: Path, content: str, chosen: ImportOptions
) -> None:
    imports_or_says_why(tmp_path, content.encode("utf-8", "surrogatepass"), chosen)


@given(st.sampled_from(SAMPLES), st.data(), options)
@anyhow
def test_a_damaged_export_is_imported_or_refused_in_one_line(
    tmp_path: Path, sample: bytes, data: st.DataObject, chosen: ImportOptions
) -> None:
    start = data.draw(st.integers(0, len(sample)))
    end = data.draw(st.integers(start, min(len(sample), start + 40)))
    filling = data.draw(
        st.binary(max_size=8) | st.sampled_from([b"\n", b"\\ud800", b"99", b'"', b"null"])
    )

    imports_or_says_why(tmp_path, sample[:start] + filling + sample[end:], chosen)


times = st.sampled_from(["29.12.2023, 22:42:04", "01.01.0001, 00:00:00", "31.12.9999, 23:59:59"])
values = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | times | st.just("\ud83d")
keys = ["clean_text", "speaker", "date_time", "dia_id", "blip_caption", "img_file", "text"]
records = st.dictionaries(st.sampled_from(keys), values, max_size=7)
session_time = st.sampled_from(["1:56 pm on 8 May, 2023", "1:56 pm on 8 May, 0001", "0:0", None])
research = st.fixed_dictionaries(
    {"session_1": st.lists(records | values, max_size=5), "session_1_date_time": session_time},
    optional={
        "name": values | st.dictionaries(st.text(max_size=3), values),
        "session_2": values,
        "speaker_a": values,
    },
)


@given(research, st.booleans(), options)
@anyhow
def test_any_research_record_is_imported_or_refused_in_one_line(
    tmp_path: Path, conversation: dict[str, object], nested: bool, chosen: ImportOptions
) -> None:
    export = [{"conversation": conversation, "sample_id": "x"}] * 2 if nested else conversation

    imports_or_says_why(tmp_path, json.dumps(export).encode(), chosen)


stamps = st.from_regex(
    r"\[?[0-9]{1,4}([/.-])[0-9]{1,2}\1[0-9]{1,4},? ?(下午)?[0-9]{1,2}:[0-9]{2}(:[0-9]{2})? ?(AM|p\. m\.|xx)?(\]| -) ",
    fullmatch=True,
)
lines = st.builds(
    "".join, st.lists(stamps | st.sampled_from(["A: ", "~ B: ", "\u200e", "x", "\r"]), max_size=4)
)


@given(st.lists(lines, max_size=8), options)
@anyhow
def test_any_lines_with_stamps_are_imported_or_refused_in_one_line(
    tmp_path: Path, drawn: list[str], chosen: ImportOptions
) -> None:
    imports_or_says_why(tmp_path, "\n".join(drawn).encode(), chosen)


NESTED = [value for path in EXPORTS if (value := as_value(path)) is not None]
odd = st.sampled_from(
    [None, True, 0, -1, 1e308, 10**30, "", "\ud83d", "a\0b", [], {}, [[]], [{}], "9" * 400,
     "0001-01-01T00:00:00", "9999-12-31T23:59:59+14:00", -62135596800, 253402300799]
)  # fmt: skip


@given(st.sampled_from(NESTED), st.data(), options)
@anyhow
def test_an_export_with_any_value_in_any_place_is_imported_or_refused_in_one_line(
    tmp_path: Path, value: Any, data: st.DataObject, chosen: ImportOptions
) -> None:
    value = json.loads(json.dumps(value))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from(list(places(value))))
        if at:
            inside = value
            for key in at[:-1]:
                inside = inside[key]
            inside[at[-1]] = data.draw(odd)

    imports_or_says_why(tmp_path, json.dumps(value).encode(), chosen)


moments = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001 hypothesis wants them naive
    max_value=datetime(2099, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
words = st.text(st.characters(codec="utf-8"), max_size=20)
names = st.sampled_from(["Ana", "小明", "~ Bo", "x\0y", "\u202eA"])
messages = st.lists(
    st.builds(
        dict,
        sender=names, sent_at=moments, text=words, kind=st.sampled_from(get_args(Kind)),
        caption=st.none() | words, edited_at=st.none() | moments, forwarded_from=st.none() | words,
        revisions=st.lists(st.builds(Revision, text=words, until=st.none() | moments), max_size=2),
        reactions=st.lists(
            st.builds(Reaction, emoji=words, who=st.lists(names, max_size=2).map(tuple), count=st.none() | st.just(3)),
            max_size=2,
        ),
        attachments=st.lists(st.builds(Attachment, name=words, kind=st.just("photo"), size=st.none() | st.just(7)), max_size=2),
    ),
    min_size=1, max_size=5,
)  # fmt: skip


@given(messages, st.sampled_from(["UTC", "Europe/Berlin", "Etc/GMT-8"]), st.none() | names)
@anyhow
def test_a_chat_that_is_written_and_imported_is_the_same(
    tmp_path: Path, fields: list[dict[str, Any]], zone: str, owner: str | None
) -> None:
    said = Message(
        local_id=len(fields) + 1, sender="Ana", sent_at=datetime(2100, 1, 1, tzinfo=UTC), text="end"
    )
    sent = [Message(local_id=n, source_id=f"s{n}", **one) for n, one in enumerate(fields, 1)]
    people = dict.fromkeys(
        [*(m.sender for m in in_message_order(sent) if m.kind != "system"), "Ana"]
    )
    chat = Chat(
        chat_id="c", title="C", platform="p", timezone=zone, owner=owner,
        participants=tuple(Participant(name=name) for name in people),
        messages=in_message_order([*sent, said]),
    )  # fmt: skip
    write_chat(chat, tmp_path / "c.jsonl")

    (imported,) = import_file(tmp_path / "c.jsonl")

    assert imported.chat == chat
    assert imported.report.repaired.count == 0
