from datetime import UTC, datetime

import pytest

from sayso.core.chat import Attachment, Message
from sayso.reasoning.tallied import Tally, amount, is_unnamed, tally_asked

NAMES = {"pete": "Pete", "obi": "Obi", "callum": "Callum", "小明": "王小明"}


def message(kind: str = "text", text: str = "", **more) -> Message:
    at = datetime(2024, 3, 2, tzinfo=UTC)
    return Message(local_id=1, sender="Pete", sent_at=at, text=text, kind=kind, **more)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many photos did Pete send?", ("count", "photo", ("Pete",))),
        ("how many pictures has Pete shared in this chat", ("count", "photo", ("Pete",))),
        ("How many messages did Obi write?", ("count", "message", ("Obi",))),
        (
            "How many messages did Pete and Obi send in total?",
            ("count", "message", ("Pete", "Obi")),
        ),
        ("How many voice messages are there?", ("count", "voice", ())),
        ("How many videos were sent by Obi?", ("count", "video", ("Obi",))),
        ("How many stickers from Obi are there?", ("count", "sticker", ("Obi",))),
        ("How many photos did we send?", ("count", "photo", ())),
        ("Did Pete ever send a photo?", ("count", "photo", ("Pete",))),
        ("When did Callum send a photo?", ("when", "photo", ("Callum",))),
        ("When did Callum last send a photo?", ("last", "photo", ("Callum",))),
        ("When did Callum send his first photo?", ("first", "photo", ("Callum",))),
        ("Who sent the first photo?", ("first", "photo", ())),
        ("Who sent the most photos?", ("most", "photo", ())),
        ("Who sent the most messages?", ("most", "message", ())),
        ("Who wrote the most?", ("most", "message", ())),
        ("小明发了多少张照片？", ("count", "photo", ("王小明",))),
        ("谁发的消息最多？", ("most", "message", ())),
        ("小明什么时候发过照片？", ("when", "photo", ("王小明",))),
    ],
)
def test_a_question_for_what_was_sent_says_what_by_whom_and_what_of_it(question, wanted):
    assert tally_asked(question, NAMES, None, pair=False) == Tally(*wanted)


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("How many photos of the boat did Pete send?", id="a topic"),
        pytest.param("How many photos did the plumber send?", id="somebody else"),
        pytest.param("How many books did Pete send?", id="no message"),
        pytest.param("When did Pete send a message?", id="any message"),
        pytest.param("Who sent the last message?", id="what was said last"),
        pytest.param("What photos did Pete send?", id="which"),
        pytest.param("How many photos did Pete send to Obi?", id="to one of a group"),
        pytest.param("When did Pete send the documents?", id="certain documents"),
        pytest.param("When did Pete post the video?", id="a certain video"),
        pytest.param("When did Pete first send his video?", id="his video"),
        pytest.param("When was the video sent?", id="a certain video that was sent"),
        pytest.param("Who sent the picture?", id="who sent a certain one"),
        pytest.param("Who sent a picture?", id="who sent any"),
        pytest.param("Who wrote the text?", id="a certain text"),
        pytest.param("When did Obi send the file?", id="a certain file"),
        pytest.param("Did Pete send the documents?", id="whether certain ones"),
        pytest.param("Who wrote the first document?", id="a document is not written in a chat"),
        pytest.param("How many polls did Pete write?", id="nor is a poll"),
        pytest.param("How many messages did Pete not send?", id="not"),
        pytest.param("小明没发多少张照片？", id="not in Chinese"),
        pytest.param("How many photos did Pete and I send?", id="with one who is not known"),
        pytest.param("", id="nothing"),
    ],
)
def test_another_question_counts_nothing_sent(question):
    assert tally_asked(question, NAMES, None, pair=False) is None


def test_of_two_people_each_writes_to_the_other():
    tally = tally_asked("How many photos did Pete send to Obi?", NAMES, None, pair=True)

    assert tally == Tally("count", "photo", ("Pete",))


@pytest.mark.parametrize(
    ("sent", "sort", "n"),
    [
        (message("photo"), "photo", 1),
        (message("photo"), "message", 1),
        (message("text"), "photo", 0),
        (message("video"), "photo", 0),
        (message("system"), "message", 0),
        (message("deleted"), "message", 0),
        (message("call"), "message", 0),
        (message("photo", attachments=tuple(Attachment(name=n, kind="photo") for n in "ab")), "photo", 2),
        (message("text", "look", attachments=(Attachment(name="a", kind="photo"),)), "photo", 1),
    ],
)  # fmt: skip
def test_a_message_counts_by_its_kind_or_by_what_came_with_it(sent, sort, n):
    assert amount(sent, sort) == n


def test_a_file_without_name_or_words_may_have_been_anything():
    assert is_unnamed(message("file"))
    assert not is_unnamed(message("file", "plans.pdf (file attached)"))
    assert not is_unnamed(message("photo"))
