import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.chats.importers import ImportOptions, import_file
from sayso.chats.store import read_chat, write_chat
from sayso.errors import SaysoError

EXPORTS = sorted(p for p in (Path(__file__).parent / "exports").rglob("*") if p.is_file())
SAMPLES = [path.read_bytes() for path in EXPORTS]
OPTIONS = [
    ImportOptions(),
    ImportOptions(timezone="America/New_York"),
    ImportOptions(date_order="mdy", timezone="Europe/Berlin"),
    ImportOptions(date_order="ymd", chat_id="c"),
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
