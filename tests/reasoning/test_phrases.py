import json
import unicodedata
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.errors import ConfigurationError
from sayso.reasoning.answer_types import asked
from sayso.reasoning.phrase_words import stem, words
from sayso.reasoning.phrases import SORTS, answer_span, best_phrase, candidates
from sayso.weights import shipped_weights

DATA = Path(__file__).parents[3] / "shared/data"


def answer(question: str, text: str, people: tuple[str, ...] = ()) -> str | None:
    span = answer_span(question, text, people=people)
    return text[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        pytest.param(
            "How long has Ben lived in Lisbon?",
            "I moved here ages ago, I've been in Lisbon for seven years now",
            "seven years",
            id="how long: the duration",
        ),
        pytest.param(
            "When is Maya's driving test?",
            "I booked it!! the driving test is on Thursday. wish me luck",
            "Thursday",
            id="when: the day",
        ),
        pytest.param(
            "What time does the train leave?",
            "train leaves at 7:45 so be there in good time",
            "7:45",
            id="what time: the hour",
        ),
        pytest.param(
            "How many guests are coming to the wedding?",
            "ok final count is in: 84 guests, not counting the band",
            "84 guests",
            id="how many: the number with what it counts",
        ),
        pytest.param(
            "How old is Marco's daughter?",
            "she's six years old and already bossing me around",
            "six years old",
            id="how old: years and all",
        ),
        pytest.param(
            "Who is teaching the pottery class?",
            "the class is fun, Mr. Okafor teaches it and he is hilarious",
            "Mr. Okafor",
            id="who: the name, title and all",
        ),
        pytest.param(
            "Who gave Rita the ring?",
            "the ring? my aunt Clara gave it to me when I turned 18",
            "my aunt Clara",
            id="who: the relative",
        ),
        pytest.param(
            "Where does Nina live?",
            "I live in Porto with two cats",
            "Porto",
            id="where: the place",
        ),
        pytest.param(
            "What is Aya's favourite film?",
            "my all time favourite is Spirited Away, seen it maybe 20 times",
            "Spirited Away",
            id="what: what complements the shared words",
        ),
        pytest.param(
            "What is the name of Ned's boat?",
            'the boat is called "Second Wind" because the first one sank',
            "Second Wind",
            id="name: what stands in quotation marks",
        ),
        pytest.param(
            "What instrument does Yara play?",
            "I play the cello",
            "cello",
            id="what: the object",
        ),
        pytest.param(
            "Did they like the food?",
            "Hi! I loved the food there. The service was slow though.",
            "I loved the food there",
            id="yes or no: the clause",
        ),
        pytest.param(
            "Why did Bo leave the party?",
            "I left. It was too loud and I had a headache",
            "It was too loud and I had a headache",
            id="why: the sentence",
        ),
        pytest.param(
            "小美养的猫叫什么名字？", "我家猫叫团子，今天又把花瓶打了", "团子", id="叫什么"
        ),
        pytest.param(
            "小何搬到哪个城市去了？", "我上个月搬到成都了，有空来玩", "成都", id="哪个城市"
        ),
        pytest.param("奶奶今年多大岁数？", "奶奶今年八十六岁了，耳朵好着呢", "八十六岁", id="多大"),
        pytest.param("阿杰什么时候去上海？", "票买好了，下周五去上海", "下周五", id="什么时候"),
        pytest.param(
            "Ab wann steigt die Miete?",
            "die Miete steigt ab 1. Juli um 85 Euro, unfair",
            "1. Juli",
            id="when: a German day",
        ),
        pytest.param(
            "体温计显示多少度？", "体温计显示三十八度五 又烧了", "三十八度五", id="几度五"
        ),
        pytest.param("电费扣了多少钱？", "电费扣了两百三十二块八", "两百三十二块八", id="几块八"),
        pytest.param("几点到站？", "六点二十到站 别来晚了", "六点二十", id="几点二十"),
        pytest.param("定在哪天？", "定在十二月八号 星期天", "十二月八号 星期天", id="星期天"),
    ],
)
def test_the_phrase_is_of_the_kind_that_was_asked_for(question, text, expected):
    assert answer(question, text) == expected


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("三十八度五", ["三十八度五"]),
        ("一米八的个子", ["一米八"]),
        ("三点一刻", ["三点一刻"]),
        ("三点半到", ["三点半"]),
        ("六点二十五分到", ["六点二十五分"]),
        ("八块五一斤", ["八块五", "一斤"]),
        ("五块一个", ["五块", "一个"]),
        ("三点一起去", ["三点"]),
        ("两点几个人", ["两点", "几个"]),
        ("am 11. März", ["11."]),
        ("I was 30. Then", ["30"]),
    ],
)
def test_a_number_is_cut_where_it_ends(text, numbers):
    assert [text[w.start : w.end] for w in words(text) if w.mark == "N"] == numbers


@pytest.mark.parametrize("text", ["z.B. Tee", "z. B. Tee", "ca. 5", "Dr. Patel", "No. 5"])
def test_an_abbreviation_ends_no_sentence(text):
    assert "." not in {w.mark for w in words(text)}


def test_the_sentence_that_answers_wins_over_the_one_that_repeats_the_question():
    text = "the spring. in the hoover bag. I went through the hoover bag with a fork"

    found = answer_span("Where did they find the missing spring?", text)

    assert found is not None
    assert text[slice(*found)].endswith("hoover bag")
    assert found[0] < text.index("I went")


def test_a_participants_name_in_the_question_is_no_word_of_the_answer():
    with_names = asked("Where does Rose Marsh live?", ("Rose Marsh", "Bo"))
    without = asked("Where does Rose Marsh live?")

    assert with_names.stems == {"live"}
    assert without.stems == {"live", "rose", "marsh"}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long did it take?", "duration"),
        ("How often does she swim?", "number"),
        ("At what time is lunch?", "clock"),
        ("On which day did he call?", "when"),
        ("Which city did they visit?", "where"),
        ("Which book is Theo reading?", "name"),
        ("What is their boat called?", "name"),
        ("With whom did she go?", "who"),
        ("Is it tea or coffee?", "choice"),
        ("Does she prefer tea or coffee?", "choice"),
        ("What was she doing when he called?", "thing"),
        ("Why is Jo late?", "claim"),
        ("How did it go?", "manner"),
        ("谁送的花？", "who"),
        ("房租多少钱？", "number"),
        ("", "claim"),
    ],
)
def test_the_first_question_word_tells_what_kind_of_answer_is_wanted(question, kind):
    assert asked(question).kind == kind


def test_every_kind_of_answer_has_its_sort_and_every_sort_its_weights():
    assert {f"phrases_{sort}" for sort in SORTS.values()} <= shipped_weights().groups.keys()


def test_forms_of_an_irregular_verb_have_one_stem():
    assert stem("bought") == stem("buy") == stem("buying")
    assert stem("went") == stem("goes")


def test_words_are_marked_by_what_they_do():
    marks = [w.mark for w in words("I'm learning to play the cello in St. Moritz, on 3 May!")]

    assert marks == ["B", "V", "T", "V", "D", "W", "P", "W", "W", ",", "P", "N", "W", "."]


def test_a_message_without_words_is_the_answer_as_a_whole():
    for text in ("", "  \n ", "🙏🙏", "...", "❤️"):
        assert answer_span("Who called?", text) is None


def test_a_phrase_takes_in_the_marks_that_belong_to_its_last_character():
    text = "I live in Cafe\u0301"

    assert answer("Where does Ana live?", text) == "Cafe\u0301"


def test_weights_that_know_nothing_of_phrases_are_refused():
    weights = shipped_weights()
    groups = {k: v for k, v in weights.groups.items() if not k.startswith("phrases")}

    with pytest.raises(ConfigurationError, match="phrases"):
        answer_span("Who?", "Ana", weights=weights.model_copy(update={"groups": groups}))


QUESTIONS = [
    "When did Ana go?", "Who called?", "How many swans?", "Where was it?", "What is it called?",
    "Why?", "How much was it?", "At what time?", "什么时候去北京？", "多少钱？", "他叫什么？", "",
]  # fmt: skip


@given(st.sampled_from(QUESTIONS) | st.text(max_size=30), st.text(max_size=80))
@example("Who called?", "e\u0301\u0301 Ana\u0301")
@example("When did it start?", "at 7 p.m. tomorrow. or 8 p.m.")
@example("多少钱？", "3\u20e3块2")
@example("What?", "to be\n? to")
@settings(max_examples=400, deadline=None)
def test_a_span_of_any_text_lies_in_it_and_parts_no_character(question, text):
    span = answer_span(question, text)

    if span is not None:
        start, end = span
        assert 0 <= start < end <= len(text)
        assert text[start:end].strip()
        for edge in (start, end):
            if 0 < edge < len(text):
                assert not unicodedata.category(text[edge]).startswith("M")
                assert "\u200d" not in text[edge - 1 : edge + 1]


PIECES = [
    "I", "we", "was", "going", "to", "the", "a", "Ana", "3", "pm", "on", "in", ",", ".", "?", "and",
    '"', "called", "Berlin", "去", "北京", "了", "三个", "人", "。", "years", "old",
]  # fmt: skip


def worths(question: str, text: str) -> list[float]:
    """What each candidate is worth by the shipped weights."""
    groups = shipped_weights().groups
    added = groups[f"phrases_{SORTS[asked(question).kind]}"]
    return [
        sum((groups["phrases"].get(n, 0.0) + added.get(n, 0.0)) * v for n, v in c.features.items())
        for c in candidates(question, text)
    ]


@given(
    st.sampled_from(QUESTIONS),
    st.lists(st.sampled_from(PIECES), max_size=25),
)
@settings(max_examples=300, deadline=None)
def test_the_span_is_the_candidate_with_the_highest_sum(question, told):
    text = " ".join(told)
    found, values = candidates(question, text), worths(question, text)

    span = answer_span(question, text)
    if found:
        chosen = [v for c, v in zip(found, values, strict=True) if c.span == span]
        assert chosen
        assert max(chosen) == pytest.approx(max(values))


def test_a_very_long_message_is_read_only_as_far_as_it_needs():
    text = "and then I went on to the next one, " * 5_000 + "so I bought a kayak"

    span = answer_span("What did Ana buy?", text)

    assert span is not None
    assert span[1] <= 20_000


class Marked(NamedTuple):
    question: str
    text: str
    people: tuple[str, ...]
    start: int
    end: int


def marked() -> list[Marked]:
    """The cases with marked phrases, where the data is at hand."""
    chats: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {}
    found = []
    for file in sorted((DATA / "realtalk_arcs").glob("*.qa.json")):
        for case in json.loads(file.read_text("utf-8")):
            if case["chat"] not in chats:
                chats[case["chat"]] = _told(DATA / "realtalk" / f"{case['chat']}.json")
            texts, people = chats[case["chat"]]
            for span in case["spans"]:
                text = texts[span["sourceId"]]
                found.append(Marked(case["question"], text, people, span["start"], span["end"]))
    return found


def _told(file: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    content = json.loads(file.read_text("utf-8"))
    sessions = [v for v in content.values() if isinstance(v, list)]
    messages = [m for s in sessions for m in s if isinstance(m, dict) and "dia_id" in m]
    texts = {m["dia_id"]: m.get("clean_text") or m.get("text", "") for m in messages}
    return texts, tuple(dict.fromkeys(m["speaker"] for m in messages))


@pytest.mark.skipif(not (DATA / "realtalk_arcs").is_dir(), reason="the data is not here")
def test_marked_phrases_are_found_far_better_than_by_the_whole_message():
    def f1(case: Marked) -> float:
        start, end = answer_span(case.question, case.text, people=case.people) or (
            0,
            len(case.text),
        )
        shared = max(0, min(end, case.end) - max(start, case.start))
        return 2 * shared / (end - start + case.end - case.start)

    scores = [f1(case) for case in marked()]

    assert len(scores) == 42
    assert sum(scores) / len(scores) > 0.75


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When does the ferry leave?", "I think it leaves at half 7. Bring snacks!"),
        ("Who called?", "Anna"),
        ("Why was she late?", "she missed the tram, so we waited. then it rained"),
        ("小明什么时候去北京", "他下周三去北京，然后回家"),
        ("What did Ana buy?", "a kayak, two paddles and a rope. And what did you get?"),
    ],
)
def test_the_best_phrase_is_worth_what_the_chosen_one_is(question, text):
    values = sorted(worths(question, text), reverse=True)

    found = best_phrase(question, text, weights=shipped_weights())

    assert found is not None
    assert found.choices == len(values)
    assert found.worth == pytest.approx(values[0])
    assert found.second == pytest.approx(values[min(1, len(values) - 1)])


@pytest.mark.parametrize("text", ["", "  ", "!!"])
def test_a_message_without_words_has_no_best_phrase(text):
    assert best_phrase("Who called?", text, weights=shipped_weights()) is None
