import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.chats.store import read_chat
from sayso.core.models import Filter, Question, Turn
from sayso.core.people import known_names
from sayso.paths import arc_data_dir
from sayso.reasoning.following import understood


@pytest.fixture
def chat(make_chat):
    return make_chat(("Lena", "my knee hurts"), ("Jonah", "oh no"), ("Lena", "all well again"))


def read(chat, *questions: str, cited: tuple[int, ...] = (1,)):
    *before, text = questions
    history = tuple(Turn(question=q, answer="", cited=cited) for q in before)
    return understood(Question(text=text, chat_id="c", history=history), chat, known_names(chat))


@pytest.mark.parametrize(
    ("before", "follow_up", "meant"),
    [
        ("When did Lena hurt her knee?", "and Jonah?", "When did Jonah hurt her knee?"),
        ("When did Lena hurt her knee?", "Jonah?", "When did Jonah hurt her knee?"),
        ("When did Lena hurt her knee?", "Why?", "Why: Lena hurt knee?"),
        ("When did Lena hurt her knee?", "how did she get home?", "how did Lena get home?"),
        ("What did Lena do in May 2023?", "and the year before?", "What did Lena do in May 2022?"),
        ("What happened on the first trip?", "what about the second time?", "What happened on the second trip?"),
        ("When did Lena hurt her knee?", "Did Jonah buy the kayak?", "Did Jonah buy the kayak?"),
    ],
)  # fmt: skip
def test_a_follow_up_is_read_as_the_question_it_stands_for(chat, before, follow_up, meant) -> None:
    assert read(chat, before, follow_up).text == meant


def test_a_follow_up_of_a_follow_up_keeps_both(chat) -> None:
    found = read(chat, "What did Lena do in May 2023?", "and the year before?", "and Jonah?")

    assert found.text == "What did Jonah do in May 2022?"


def test_who_said_that_looks_at_what_was_cited(chat) -> None:
    limits = read(chat, "When did Lena hurt her knee?", "who said that?").limits

    assert limits.senders == ("Lena",)
    assert limits.since == chat.by_id[1].sent_at
    assert not limits.admits(chat.by_id[2])


@pytest.fixture
def shop(make_chat):
    return make_chat(("林晓禾", "我们开面馆吧"), ("周远", "好"), timezone="Asia/Shanghai")


@pytest.mark.parametrize(
    ("follow_up", "meant"),
    [
        ("周远呢？", "周远什么时候决定开面馆的？"),
        ("那周远呢？", "周远什么时候决定开面馆的？"),
        ("三月呢？", "三月林晓禾什么时候决定开面馆的？"),
        ("他住哪儿？", "林晓禾住哪儿？"),
        ("面馆的名字是谁起的？", "面馆的名字是谁起的？"),
        ("为什么？", "林晓禾为什么决定开面馆的？"),
        ("为什么呢？", "林晓禾为什么决定开面馆的？"),
        ("为啥", "林晓禾为啥决定开面馆的？"),
        ("在哪里？", "林晓禾在哪里决定开面馆的？"),
        ("那是几点？", "林晓禾几点决定开面馆的？"),
        ("多少钱？", "多少钱：林晓禾 决定开面馆的？"),
        ("怎么回事？", "怎么回事：林晓禾 决定开面馆的？"),
        ("还有谁？", "还有谁：林晓禾 决定开面馆的？"),
        ("还有呢？", "还有：林晓禾 决定开面馆的？"),
        ("真的吗？", "真的吗？"),
    ],
)
def test_a_follow_up_in_chinese_is_read_as_the_question_it_stands_for(shop, follow_up, meant):
    assert read(shop, "林晓禾什么时候决定开面馆的？", follow_up).text == meant


@pytest.mark.parametrize(
    ("before", "meant"),
    [
        ("周远送了什么礼物？", "为什么：周远 送了 礼物？"),
        ("谁去了成都？", "为什么：去了成都？"),
        ("林晓禾怎么认识周远的？", "林晓禾为什么认识周远的？"),
        ("林晓禾为什么搬家？", "林晓禾为什么搬家？"),
    ],
)
def test_a_bare_why_in_chinese_asks_about_what_the_question_before_was_about(shop, before, meant):
    found = read(shop, before, "为什么？")

    assert found.text == meant
    assert found.limits == Filter()


def test_what_else_in_chinese_is_not_limited_to_what_came_later(shop):
    assert read(shop, "林晓禾什么时候决定开面馆的？", "还有呢？").limits == Filter()


def test_what_came_next_in_chinese_is_sought_after_what_was_cited(shop):
    found = read(shop, "林晓禾什么时候决定开面馆的？", "那后来呢？")

    assert found.limits.since > shop.by_id[1].sent_at
    assert found.limits.admits(shop.by_id[2])


def test_who_said_that_in_chinese_looks_at_what_was_cited(shop):
    assert read(shop, "林晓禾什么时候决定开面馆的？", "谁说的？").limits.senders == ("林晓禾",)


SHIPPED = {path.stem: read_chat(path) for path in (arc_data_dir() / "chats").glob("*.jsonl")}
CASES = [
    (case["chat"], case["question"])
    for path in sorted((arc_data_dir() / "cases").glob("*/*.jsonl"))
    for case in map(json.loads, path.read_text(encoding="utf-8").splitlines())
]
NAMES = {name: known_names(chat) for name, chat in SHIPPED.items()}


@given(
    asked=st.sampled_from(CASES),
    before=st.lists(st.sampled_from([question for _, question in CASES]), min_size=1, max_size=4),
    cited=st.lists(st.integers(1, 400), max_size=3, unique=True),
)
def test_no_question_that_stands_for_itself_is_changed_by_what_was_asked_before(
    asked, before, cited
):
    name, text = asked
    held = tuple(i for i in cited if i in SHIPPED[name].by_id)
    history = tuple(Turn(question=q, answer="so it was", cited=held) for q in before)

    found = understood(
        Question(text=text, chat_id=name, history=history), SHIPPED[name], NAMES[name]
    )

    assert found.text == text
    assert found.limits == Filter()


def test_a_chinese_question_about_somebody_with_a_latin_name_is_asked_of_another(make_chat):
    mixed = make_chat(("Lena", "搬好了"), ("王小明", "好"))

    assert read(mixed, "Lena什么时候搬家？", "小明呢？").text == "王小明什么时候搬家？"
