import pytest

from sayso.reasoning.mentioned import Mention, holding, in_words, mention_asked, people_meant

NAMES = {"lena": "Lena", "jonah": "Jonah", "pete": "Pete", "callum": "Callum", "小明": "王小明"}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Who first mentioned raspberries?", ("first", (), "raspberries")),
        ("Who was the first to mention the raspberries?", ("first", (), "raspberries")),
        ("Who mentioned raspberries last?", ("last", (), "raspberries")),
        ("When did Pete last mention raspberries?", ("last", ("Pete",), "raspberries")),
        ("When did Lena first mention the flat", ("first", ("Lena",), "flat")),
        ("when did Lena bring the flat up for the first time?", ("first", ("Lena",), "flat")),
        ("When did Lena first bring up the flat?", ("first", ("Lena",), "flat")),
        ("What did Lena last say about the tortoise?", ("last", ("Lena",), "tortoise")),
        ("When was the flat first mentioned?", ("first", (), "flat")),
        ("When was the flat last mentioned by Lena?", ("last", ("Lena",), "flat")),
        ("When was the flat mentioned for the first time?", ("first", (), "flat")),
        ("When was the last time Lena talked about her knee?", ("last", ("Lena",), "knee")),
        ("When was the first time the flat was mentioned?", ("first", (), "flat")),
        ("When did the flat first come up?", ("first", (), "flat")),
        ("What was the last mention of the flat by Lena?", ("last", ("Lena",), "flat")),
        ("When did we first talk about the flat in this chat?", ("first", (), "flat")),
        ("When did Lena last mention the flat to Jonah?", ("last", ("Lena",), "flat")),
        ("How many times did Callum mention Donnie?", ("count", ("Callum",), "Donnie")),
        ("How often did Lena and Jonah mention soup?", ("count", ("Lena", "Jonah"), "soup")),
        ("How many times was the flat mentioned by Lena?", ("count", ("Lena",), "flat")),
        ("How many messages mention the flat?", ("count", (), "flat")),
        ("How many mentions of the flat are there?", ("count", (), "flat")),
        ("谁最先提到房子？", ("first", (), "房子")),
        ("小明最后一次提到房子是什么时候？", ("last", ("王小明",), "房子")),
        ("小明什么时候第一次提到房子？", ("first", ("王小明",), "房子")),
        ("房子第一次被提到是什么时候？", ("first", (), "房子")),
        ("小明提到过几次房子？", ("count", ("王小明",), "房子")),
    ],
)
def test_a_question_for_a_mention_says_which_words_by_whom_and_which_of_them(question, wanted):
    assert mention_asked(question, NAMES) == Mention(*wanted)


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("When did Lena mention the flat?", id="no order"),
        pytest.param("When did Lena first see the flat?", id="no mention"),
        pytest.param("When did Lena first mention that she hurt her knee?", id="a sentence"),
        pytest.param("When did Lena first mention it?", id="a pronoun"),
        pytest.param("When did Lena first mention she was pregnant?", id="a sentence without that"),
        pytest.param("When did Lena first mention Pete lost his job?", id="a sentence of somebody"),
        pytest.param("When did Lena first mention Donnie lost his job?", id="one of an outsider"),
        pytest.param("When did Lena first mention the flat was sold?", id="one of something"),
        pytest.param("How many times did Lena not mention soup?", id="not"),
        pytest.param("最后谈到多少钱？", id="how much"),
        pytest.param("最后聊到谁？", id="whom"),
        pytest.param("When did the plumber first mention the leak?", id="somebody else"),
        pytest.param("How many games has Pete mentioned winning?", id="what is counted is told"),
        pytest.param("What was the plan, as first mentioned by Lena?", id="by the way"),
        pytest.param("", id="nothing"),
    ],
)
def test_another_question_asks_for_none(question):
    assert mention_asked(question, NAMES) is None


def test_i_am_the_owner_of_the_archive_where_that_is_known():
    assert mention_asked("When did I first mention soup?", NAMES, "Pete") == Mention(
        "first", ("Pete",), "soup"
    )
    assert mention_asked("When did I first mention soup?", NAMES) is None
    assert people_meant("nobody we know", NAMES, None) is None


@pytest.mark.parametrize(
    ("text", "topic", "holds"),
    [
        ("do you know anything about Tortoises", "tortoise", True),
        ("a flat tyre", "flat", True),
        ("flattery", "flat", False),
        ("we went twice", "going", True),
        ("Donnie’s late", "Donnie", True),
        ("see you at six o’clock", "o'clock", True),
        ("the oak kitchen table", "kitchen table", True),
        ("the kitchen", "kitchen table", False),
        ("plums again", "raspberries or plums", True),
        ("https://shop.example/raspberries", "raspberries", False),
        ("他買了房子", "房子", True),
        ("", "flat", False),
    ],
)
def test_words_are_found_by_their_stems_all_of_them_and_not_in_links(text, topic, holds):
    assert in_words(text, topic) is holds


def test_a_name_in_the_topic_is_left_out_where_its_bearer_speaks_and_no_message_holds_it(make_chat):
    chat = make_chat(("Pete", "my boat leaks"), ("Lena", "which boat"))
    named = make_chat(("Pete", "my boat leaks"), ("Lena", "Pete's boat"))

    assert [m.local_id for m in holding(chat.messages, "Pete's boat", NAMES)] == [1]
    assert [m.local_id for m in holding(named.messages, "Pete's boat", NAMES)] == [2]
