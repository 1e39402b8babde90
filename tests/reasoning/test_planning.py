import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sayso.core.models import Filter, Question
from sayso.core.people import known_names
from sayso.core.seams import Planning
from sayso.reasoning.planning import intent_of, plan, window

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def spring(make_chat):
    """A chat in Shanghai from 20 April to 9 May 2024, a message a day at half past midnight."""
    start = datetime(2024, 4, 20, 0, 30, tzinfo=SHANGHAI)
    said = (("Marisol", f"day {i}", start + timedelta(days=i)) for i in range(20))
    return make_chat(*said, timezone="Asia/Shanghai", people=("Marisol", "王小明"))


def planned(question: str, chat, **fields: object):
    asked = Question.model_validate({"text": question, "chat_id": "c", **fields})
    return plan(Planning(asked, chat), known_names(chat))


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Where does Bo live?", "fact"),
        ("What does Ana like?", "fact"),
        ("What was the name of the boat?", "fact"),
        ("What has Bo bought?", "fact"),
        ("What did they do last Friday?", "fact"),
        ("Where did they go last summer?", "fact"),
        ("小明住在哪里？", "fact"),
        ("When is the wedding?", "when"),
        ("What date did she arrive?", "when"),
        ("How long did the trip take?", "when"),
        ("婚礼是什么时候？", "when"),
        ("他几号到？", "when"),
        ("What books did she read?", "list"),
        ("Which cities has he visited?", "list"),
        ("What kinds of tea does she like?", "list"),
        ("What are her hobbies?", "list"),
        ("List all the gifts", "list"),
        ("他们去过哪些地方？", "list"),
        ("How many books did he read?", "count"),
        ("How often do they swim?", "count"),
        ("How many times did they meet last year?", "count"),
        ("他去了几次北京？", "count"),
        ("多少人参加了婚礼？", "count"),
        ("Who was the first to arrive?", "first"),
        ("Who first mentioned the kayak?", "first"),
        ("谁先到的？", "first"),
        ("第一次见面在哪里？", "first"),
        ("When did they last meet?", "last"),
        ("What was the last book she read?", "last"),
        ("最后一次见面是什么时候？", "last"),
        ("How did Ana's plan to move develop?", "arc"),
        ("How has their friendship changed over the months?", "arc"),
        ("Tell me the story of the broken boiler", "arc"),
        ("他们的关系是怎么变化的？", "arc"),
        ("搬家这件事的来龙去脉", "arc"),
        ("How did Ana's search for a kayak go?", "arc"),
        ("How did the repair go over the winter?", "arc"),
        ("How did Ana cope with the flood, from the first leak to the last invoice?", "arc"),
        ("How did Ana plan, pack and enjoy the trip?", "arc"),
        ("How did the quarrel start, and how was it settled?", "arc"),
        ("What became of the red kayak?", "arc"),
        ("The kayak kept coming up; who had it at each point?", "arc"),
        ("Walk me through Ana's year at the bakery", "arc"),
        ("修船的进展如何？", "arc"),
        ("从开店到搬家，她经历了什么？", "arc"),
        ("How did Ana go to work?", "fact"),
        ("How did Ana's exam go?", "fact"),
        ("How did the job interview with Bo on Friday go?", "fact"),
        ("How did the interview preparation go?", "arc"),
        ("How did their dinner yesterday go?", "fact"),
        ("How did the concerts turn out?", "fact"),
        ("How did Ana's interviews go, from the first to the last?", "arc"),
        ("How did the race go over the years?", "arc"),
        ("How did Ana feel after the accident?", "fact"),
        ("How does Ana describe the process of dyeing wool?", "fact"),
        ("How cold does it get through the winter?", "fact"),
        ("What is the first name of her boss?", "fact"),
        ("What's his last name?", "fact"),
        ("Where is the first aid kit?", "fact"),
        ("Where do we meet first thing tomorrow?", "fact"),
        ("What did they do last November?", "fact"),
        ("Where were they last March?", "fact"),
        ("Where did they eat last Christmas?", "fact"),
        ("Where did she go last New Year's Eve?", "fact"),
        ("Who won first prize?", "fact"),
        ("Who took last place in the quiz?", "fact"),
        ("What was the last place they stayed at?", "last"),
        ("What is her first language?", "fact"),
        ("Who scored the first goal?", "fact"),
        ("When is their first anniversary?", "when"),
        ("Who travelled first class?", "fact"),
        ("When did he start his first job?", "when"),
        ("Where was her last job?", "fact"),
        ("When was the last job interview?", "last"),
        ("Who came first in the race?", "fact"),
        ("Who finished last?", "fact"),
        ("Who came for the last time?", "last"),
        ("What did she think of it at first?", "fact"),
        ("What did he buy first of all?", "fact"),
        ("Who gave in at last?", "fact"),
        ("Who was at the last meeting?", "last"),
        ("What was the last thing she bought?", "last"),
        ("第一条消息是什么？", "first"),
        ("谁第一个到？", "first"),
        ("第一个星期去了哪里？", "fact"),
        ("誰最後一個到？", "last"),
        ("他去了幾次北京？", "count"),
        ("婚禮是什麼時候？", "when"),
        ("他們的關係是怎麼變化的？", "arc"),
        ("谁经过超市？", "fact"),
        ("他们是怎么走到结婚的？", "arc"),
        ("Ana和Tom怎么恢复联系的？", "arc"),
        ("从租房到买房他们怎么决定的？", "arc"),
        ("谁经过南站接人？", "fact"),
        ("昨天谁经过？", "fact"),
        ("从店里到车站怎么走？", "fact"),
        ("从周一到周五怎么上班？", "fact"),
        ("她在上海买房，从看盘到付首付是怎么谈下来的？", "arc"),
        ("从上海到北京怎么去的？", "fact"),
        ("小周是怎么从护士转到门诊的？", "arc"),
        ("他怎么从上海去北京？", "fact"),
        ("她的感情生活有什么起伏？", "arc"),
        ("他们后来是怎么慢慢和好的？", "arc"),
        ("How did Owen get from teaching to nursing?", "arc"),
        ("How did Tom get from the airport to the hotel?", "fact"),
        ("How did Kate get over the fence?", "fact"),
        ("How did you get better seats?", "fact"),
        ("How is coffee sorted by roast?", "fact"),
        ("How is Liam's cousin called who settled in Spain?", "fact"),
        ("How are you coming along to the party, by car?", "fact"),
        ("糖加了一点点还是很多？", "fact"),
        ("谁教他一步步装书架？", "fact"),
        ("怎么做慢慢炖的牛肉？", "fact"),
        ("怎么从美元换成人民币？", "fact"),
        ("怎么从一号线换到二号线？", "fact"),
        ("从机场到酒店他怎么过去的？", "fact"),
        ("How did Owen get from the airport?", "fact"),
        ("How did Emre get over his fear of deep water?", "arc"),
        ("How did Emre get over to the island?", "fact"),
        ("How did Nerys get on with keeping hens?", "arc"),
        ("How did Karl settle in after moving?", "arc"),
        ("how did the damp in the room get sorted?", "arc"),
        ("How was the row over the house settled?", "arc"),
        ("How's the loft coming along?", "fact"),
        ("How is the loft coming along?", "arc"),
        ("What happened with Pete's beard?", "arc"),
        ("What happened to Pete's car?", "fact"),
        ("怎么走到南站？", "fact"),
        ("怎么解决停电？", "fact"),
        ("怎么恢复数据？", "fact"),
        ("事情经过是怎样的？", "arc"),
        ("讲讲搬家的经过", "arc"),
        ("求婚经过？", "arc"),
        ("修船经过了哪些波折？", "arc"),
        ("從頭到尾的經過", "arc"),
        ("从反对到支持，他怎么一步步想通的？", "arc"),
        ("他们是怎么走到今天的？", "arc"),
        ("停电是怎么解决的？", "arc"),
        ("他的腿怎么恢复的？", "arc"),
        ("", "fact"),
    ],
)
def test_the_words_of_a_question_say_what_kind_of_answer_it_wants(question, intent):
    assert intent_of(question) == intent


def test_first_and_mentioned_are_no_words_to_search_with(make_chat):
    chat = make_chat(("Ana", "the kayak leaks"), ("Bo", "oh"))

    assert planned("When did Ana first mention the kayak?", chat).queries == ("kayak",)
    assert planned("When did Ana first see the kayak?", chat).queries == (
        "When did first see the kayak?",
    )


def test_a_name_that_ends_like_a_plural_makes_no_list(make_chat):
    chat = make_chat(("Mattias", "soup today"), ("Bo", "lovely"))

    assert planned("What did Mattias eat?", chat).intent == "fact"
    assert planned("What dishes did Mattias eat?", chat).intent == "list"


@pytest.mark.parametrize(
    ("question", "days"),
    [
        pytest.param("What did I say on the 2nd?", ((2024, 5, 2), (2024, 5, 3)), id="a bare day"),
        pytest.param("What happened on 3 May?", ((2024, 5, 3), (2024, 5, 4)), id="day and month"),
        pytest.param("How was April?", ((2024, 4, 1), (2024, 5, 1)), id="month"),
        pytest.param("5月2日说了什么？", ((2024, 5, 2), (2024, 5, 3)), id="Chinese"),
        pytest.param("What happened in 2019?", ((2019, 1, 1), (2020, 1, 1)), id="before the chat"),
    ],
)
def test_times_in_a_question_are_days_of_the_chats_own_time_line(question, days, spring):
    since, until = (datetime(*day, tzinfo=SHANGHAI) for day in days)

    assert window(question, spring) == (since, until)


def test_a_message_just_after_midnight_belongs_to_its_day_in_the_chats_timezone(spring):
    since, until = window("What did I say on the 2nd?", spring)

    # 00:30 in Shanghai, when it is still the 1st in UTC.
    inside = [m for m in spring.messages if since <= m.sent_at < until]
    assert [m.sent_at.isoformat() for m in inside] == ["2024-05-02T00:30:00+08:00"]


@pytest.mark.parametrize("machine", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_machines_timezone_and_today_change_no_window(machine, spring, monkeypatch):
    here = window("What did I say on the 2nd?", spring)
    monkeypatch.setenv("TZ", machine)
    time.tzset()
    try:
        assert window("What did I say on the 2nd?", spring) == here
    finally:
        monkeypatch.undo()
        time.tzset()


def test_relative_words_of_a_question_count_from_when_it_was_asked(spring):
    asked_at = datetime(2024, 4, 30, 22, 0, tzinfo=UTC)  # 1 May, 6:00, on the chat's clock

    assert window("What did she say yesterday?", spring, asked_at) == (
        datetime(2024, 4, 30, tzinfo=SHANGHAI),
        datetime(2024, 5, 1, tzinfo=SHANGHAI),
    )


def test_a_question_asked_before_the_chat_began_counts_from_its_first_day(spring):
    asked_at = datetime(1999, 1, 1, tzinfo=UTC)

    since, until = window("What did she say today?", spring, asked_at)

    assert since == datetime(2024, 4, 20, tzinfo=SHANGHAI)
    assert until == since + timedelta(days=1)


@pytest.mark.parametrize("question", ["What did she eat?", "We may go in the sun", ""])
def test_a_question_without_a_time_has_no_window(question, spring):
    assert window(question, spring) == (None, None)


def test_an_empty_chat_has_no_time_line(make_chat):
    assert window("What happened on 3 May?", make_chat()) == (None, None)


def test_of_two_days_that_a_bare_number_may_mean_the_one_on_which_somebody_wrote_counts(make_chat):
    utc = ZoneInfo("UTC")
    two_months = make_chat(
        *(("Ana", "hi", datetime(2024, *day, 9, tzinfo=utc)) for day in ((5, 1), (5, 2), (6, 20)))
    )

    assert window("What did she say on the 2nd?", two_months) == (
        datetime(2024, 5, 2, tzinfo=utc),
        datetime(2024, 5, 3, tzinfo=utc),
    )


def test_readings_more_than_a_year_apart_favour_no_time(make_chat):
    years = make_chat(
        *(
            ("Ana", "hi", datetime(year, 6, 1, tzinfo=ZoneInfo("UTC")))
            for year in (2019, 2021, 2023)
        )
    )

    assert window("What did she do in April?", years) == (None, None)


def test_the_first_query_is_the_question_without_the_peoples_names(spring):
    found = planned("  What did Marisol cook?  ", spring)

    assert found.people == ("Marisol",)
    assert found.queries == ("What did cook?",)
    assert planned("王小明去哪里了？", spring).queries == ("去哪里了？",)


def test_a_name_nobody_bears_stays_in_the_query_and_names_nobody(spring):
    found = planned("What did Bartholomew cook?", spring)

    assert (found.people, found.queries) == ((), ("What did Bartholomew cook?",))


def test_the_questions_own_limits_are_the_plans(spring):
    limits = Filter(senders=("Marisol",), since=spring.messages[3].sent_at)

    assert planned("What happened?", spring, limits=limits).limits == limits


def test_a_blank_question_has_no_queries(spring):
    assert planned("   ", spring).queries == ()


def test_a_very_long_question_is_understood_by_how_it_begins():
    assert intent_of("When did Ana move? " + "how did " * 5000) == "when"


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did Marisol say on 2 May?", 2),
        ("what's been said on 2 May?", 2),
        ("What did we talk about on the 2nd?", 2),
        ("What was the topic of our discussion on 2 May?", 2),
        ("Anything from Marisol on 2 May?", 2),
        ("5月2日大家说了什么？", 2),
        ("王小明5月2日說了什麼？", 2),
        ("What did Marisol say on Monday?", 6),
        ("周一说了什么？", 6),
    ],
)
def test_what_was_said_at_a_time_is_looked_for_in_that_time_alone(question, day, spring):
    limits = planned(question, spring).limits

    assert (limits.since, limits.until) == (
        datetime(2024, 5, day, tzinfo=SHANGHAI),
        datetime(2024, 5, day + 1, tzinfo=SHANGHAI),
    )


@pytest.mark.parametrize(
    "question",
    ["What was the topic of our last conversation?", "When was our first discussion?"],
)
def test_a_conversation_is_more_than_a_message(question, spring):
    assert planned(question, spring).limits == Filter()


@pytest.mark.parametrize(
    "question",
    [
        "What did Marisol do on 2 May?",
        "Where was Marisol on 2 May?",
        "What was the discussion about the boat on 2 May?",
        "Who got there first?",
        "Where was Marisol on Monday?",
        "5月2日发生了什么？",
        "5月2日说了什么关于船的事？",
    ],
)
def test_what_was_done_at_a_time_may_have_been_told_later(question, spring):
    assert planned(question, spring).limits == Filter()


@pytest.mark.parametrize(
    ("question", "sent_on"),
    [
        ("What did Marisol say last?", 9),
        ("What's the last message?", 9),
        ("What is the latest from Marisol?", 9),
        ("最后一条消息是谁发的？", 9),
    ],
)
def test_the_last_that_was_said_is_looked_for_where_the_chat_ends(question, sent_on, spring):
    since = datetime(2024, 5, sent_on, 0, 30, tzinfo=SHANGHAI)

    limits = planned(question, spring).limits

    assert (limits.since, limits.until) == (since, since + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did she cook since 2 May?", (5, 2), (5, 9)),
        ("What did she cook after 2 May?", (5, 3), (5, 9)),
        ("What did she cook until 2 May?", (4, 20), (5, 2)),
        ("What did she cook before 2 May?", (4, 20), (5, 1)),
        ("What did she cook shortly after 2 May?", (5, 2), (5, 2)),
        ("What did she cook after 9 May?", (5, 9), (5, 9)),
        ("What did she cook before 20 April?", (4, 20), (4, 20)),
        ("5月2日以后她做了什么？", (5, 3), (5, 9)),
        ("5月2日之前她做了什么？", (4, 20), (5, 1)),
        ("5月2日以来她做了什么？", (5, 2), (5, 9)),
    ],
)
def test_since_and_before_reach_to_an_end_of_the_chat(question, first, last, spring):
    since, until = window(question, spring)

    assert (since.month, since.day) == first
    assert ((until - timedelta(days=1)).month, (until - timedelta(days=1)).day) == last


def test_a_person_called_like_a_month_is_no_time(make_chat):
    chat = make_chat(("April", "soup today"), ("Bo", "lovely"))

    found = planned("What did April cook?", chat)

    assert (found.people, found.since, found.until) == (("April",), None, None)


def test_a_bare_day_of_the_month_is_the_last_on_which_who_is_asked_for_wrote(make_chat):
    said = [
        ("Grace", "a", datetime(2024, 2, 19, 9, tzinfo=UTC)),
        ("Grace", "b", datetime(2024, 3, 29, 9, tzinfo=UTC)),
        ("Max", "c", datetime(2024, 4, 29, 9, tzinfo=UTC)),
        ("Grace", "d", datetime(2024, 5, 7, 9, tzinfo=UTC)),
    ]
    chat = make_chat(*said)

    def day(question: str) -> tuple[int, int]:
        limits = planned(question, chat).limits
        assert limits.until - limits.since == timedelta(days=1)
        return limits.since.month, limits.since.day

    assert day("What did Grace say on the 29th?") == (3, 29)
    assert day("What was said on the 29th?") == (4, 29)
    # A day on which nobody wrote is none that is meant.
    assert day("What did Max say on the 19th?") == (2, 19)


def test_a_day_in_the_question_narrows_the_limits_that_are_given(spring):
    asked = "What did Marisol say on 2 May?"
    day = datetime(2024, 5, 2, tzinfo=SHANGHAI)
    after = day + timedelta(days=1)

    april = planned(asked, spring, limits=Filter(since=day - timedelta(days=20))).limits
    evening = planned(asked, spring, limits=Filter(until=day + timedelta(hours=20))).limits
    mine = planned(asked, spring, limits=Filter(senders=("王小明",))).limits

    assert april == Filter(senders=("Marisol",), since=day, until=after)
    assert (evening.since, evening.until) == (day, day + timedelta(hours=20))
    assert mine == Filter(senders=("王小明",), since=day, until=after)


def test_the_last_message_is_the_last_within_the_limits_that_are_given(make_chat):
    start = datetime(2024, 5, 2, 9, tzinfo=UTC)
    said = [(who, "hi", start + timedelta(days=i)) for i, who in enumerate(("Ana", "Bo", "Bo"))]
    chat = make_chat(*said)

    def since(limits: Filter) -> datetime:
        return planned("What was said last?", chat, limits=limits).limits.since

    assert since(Filter(senders=("Ana",))) == start
    assert since(Filter(until=start + timedelta(days=2))) == start + timedelta(days=1)


def test_a_name_that_nobody_bears_limits_a_search_to_nobody(spring):
    meant = planned("What did Marisole say on 2 May?", spring)

    assert meant.people == ("Marisol",)
    assert meant.limits.senders == ()
    assert meant.limits.since == datetime(2024, 5, 2, tzinfo=SHANGHAI)


def test_a_bare_day_is_the_last_within_the_limits_that_are_given(make_chat):
    said = [
        ("Lena", "a", datetime(2024, 3, 29, 9, tzinfo=UTC)),
        ("Lena", "b", datetime(2024, 5, 29, 9, tzinfo=UTC)),
    ]
    chat = make_chat(*said)
    until = Filter(until=datetime(2024, 4, 10, tzinfo=UTC))  # a Wednesday

    day = planned("What did Lena say on the 29th?", chat, limits=until).limits
    friday = planned("What did Lena say on Friday?", chat, limits=until).limits

    assert (day.since.month, day.since.day) == (3, 29)
    assert (friday.since.month, friday.since.day) == (4, 5)


def test_a_day_outside_of_the_limits_that_are_given_leaves_these(spring):
    limits = Filter(until=datetime(2024, 4, 25, tzinfo=SHANGHAI))

    assert planned("What did Marisol say on 2 May?", spring, limits=limits).limits == limits
