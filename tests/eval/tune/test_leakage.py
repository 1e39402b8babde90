from dataclasses import replace
from itertools import zip_longest

import pytest

from eval.tune.leakage import Known
from sayso.core.chat import Participant


@pytest.fixture
def known(cases):
    chat = cases[0].chat
    texts = {1: "we met in Zanzibar, shall we take the train0 along", 3: "Was it Tuesday in Zanzibar, or in Dublin?",
             5: "the wine fridge keeps the tortoise cold all winter long"}  # fmt: skip
    messages = tuple(
        m.model_copy(update={"text": texts.get(m.local_id, m.text)}) for m in chat.messages
    )
    told = chat.model_copy(update={"messages": messages})
    case = cases[2].case.model_copy(update={"answer": "In the wine fridge."})
    return Known([replace(cases[0], chat=told), replace(cases[2], chat=told, case=case)])


def found(known, text, current=""):
    return [(leak.kind, leak.words) for leak in known.leaks(text, current)]


@pytest.mark.parametrize(
    ("text", "leak"),
    [
        ("Mind what Bram says.", ("person", "Bram")),
        ("Ada's messages count twice.", ("person", "Ada")),
        ("Look for Zanzibar first.", ("place or name", "Zanzibar")),
        ("If it keeps the tortoise cold all winter, cite it.",
         ("phrase", "keeps the tortoise cold all winter")),
        ("Think of in the wine fridge.", ("answer", "in the wine fridge")),
    ],
    ids=["person", "possessive", "place", "phrase", "answer"],
)  # fmt: skip
def test_what_only_the_cases_say_is_found(known, text, leak):
    assert leak in found(known, text)


@pytest.mark.parametrize(
    "text",
    [
        "Cite every message that states what is asked.",
        "On Tuesday or in March: days count.",
        "Winter or summer, cold or warm.",
        "",
    ],
)
def test_common_words_and_days_are_nobodys(known, text):
    assert found(known, text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mind what bram says.", "bram"),
        ("mind what bram's friend says.", "bram"),
        ("MIND WHAT BRAM SAYS.", "BRAM"),
        ("Bram is right.", "Bram"),
        ("Two Brams wrote.", "Brams"),
        ("What Bramowi was told counts.", "Bramowi"),
        ("Everything from Ada'nın or Bram'ın.", "Bram'ın"),
        ("Ask teamBram or bram42.", "Bram"),
        ("As Ｂｒａｍ and Br\u200bam say.", "Bram"),
        ("As Brám says.", "Brám"),
        ("**Bram**_said_", "Bram"),
    ],
    ids=["small", "small possessive", "large", "first", "plural", "ending", "apostrophe", "joined",
         "hidden", "accent", "markup"],
)  # fmt: skip
def test_a_person_is_found_however_the_name_is_written(known, text, name):
    assert ("person", name) in found(known, text)


def test_a_rare_place_is_found_in_small_letters_and_a_common_one_in_large(known):
    assert found(known, "look for zanzibar first") == [("place or name", "zanzibar")]
    assert found(known, "look for dublin first") == []
    assert found(known, "look for Dublin first") == [("place or name", "Dublin")]


@pytest.fixture
def called(cases):
    """What is known of chats between these people, in which these texts stand."""

    def made(*people, texts=()):
        chat = cases[0].chat
        told = chat.model_copy(
            update={
                "participants": tuple(Participant(name=name) for name in people),
                "messages": tuple(
                    m.model_copy(update={"sender": people[0], **({"text": text} if text else {})})
                    for m, text in zip_longest(chat.messages, texts)
                ),
            }
        )
        return Known([replace(cases[0], chat=told), cases[8]])

    return made


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Zoë", "As zoe says."),
        ("Anna", "He asked Anny twice."),
        ("Анна", "Он спросил Анну дважды."),
        ("Иван", "он спросил Ивану дважды."),
        ("Γιάννης", "τον Γιάννη ρώτησε."),
        ("李明", "例如李明说的话。"),
        ("田中", "例えば田中さんの返事。"),
        ("지민", "예를 들어 지민이가 말했다."),
        ("أحمد", "كما قال لأحمد"),
        ("דנה", "אמרה לדנה"),
        ("अनिता", "जैसे अनिता ने कहा"),
        ("สมชาย", "เช่นสมชายพูด"),
    ],
    ids=["accent", "Polish", "Russian", "dative", "Greek", "Chinese", "Japanese", "Korean", "Arabic",
         "Hebrew", "Hindi", "Thai"],
)  # fmt: skip
def test_a_person_is_found_in_every_script(called, name, text):
    assert [leak.kind for leak in called(name, "Xaver").leaks(text)] == ["person"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Mark", "Mark each message. Then mark the marks."),
        ("Will", "Will it do? It will."),
        ("Rose", "Numbers rose. Rose they did."),
        ("Jo", "Judge each job; jo is short."),
        ("Tim", "Say the times."),
        ("May", "In May or June it may be."),
        ("Anna", "Any and Annual figures."),
    ],
)
def test_a_name_that_is_a_word_besides_is_one_only_where_it_must_be(called, name, text):
    assert called(name, "Xaver").leaks(text) == ()


def test_a_name_that_is_a_word_besides_leaks_within_a_sentence(called):
    assert [leak.words for leak in called("Mark", "Xaver").leaks("cite what Mark says")] == ["Mark"]


def test_contractions_and_shouting_are_no_places(called):
    known = called("Ada", "Bram", texts=["well I'm here", "then I'd go LOL", "so lol I'll see it"])

    assert known.leaks("I'm sure that I'd say LOL, and I'll mean it") == ()


def test_a_place_that_somebody_types_small_now_and_then_is_still_a_place(called):
    texts = ["off to Lisbon now", "in Lisbon at last", "so Lisbon it is", "back from lisbon"]

    assert [k.words for k in called("Ada", "Bram", texts=texts).leaks("as in Lisbon")] == ["Lisbon"]


def test_a_phrase_that_stands_in_two_cases_is_told_once(called, cases):
    chat = cases[0].chat.model_copy(
        update={"messages": tuple(m.model_copy(update={"text": "if you just don't renew in May and live"})
                                  for m in cases[0].chat.messages)}
    )  # fmt: skip
    known = Known([replace(one, chat=chat) for one in cases[:2]])

    (leak,) = known.leaks("As in: If you just don't renew in May and live …")

    assert leak.words == "If you just don't renew in May and live"


def test_a_span_of_time_that_is_an_answer_is_nobodys(cases):
    case = cases[0].case.model_copy(update={"answer": "four months"})

    assert Known([replace(cases[0], case=case)]).leaks("no more than four months") == ()


def test_what_the_current_prompt_says_is_not_held_against_a_candidate(known):
    assert found(known, "As Ada and Bram do.", "An example: Ada.") == [("person", "Bram")]


def test_a_run_of_chinese_characters_is_a_phrase(cases):
    chat = cases[0].chat
    messages = (
        chat.messages[0].model_copy(update={"text": "我们明天去老街吃牛肉面好吗"}),
        *chat.messages[1:],
    )
    known = Known([replace(cases[0], chat=chat.model_copy(update={"messages": messages}))])

    assert [leak.kind for leak in known.leaks("例如：明天去老街吃牛肉面")] == ["phrase"]
    assert known.leaks("例如：牛肉面") == ()


def test_the_shipped_prompts_say_nothing_of_the_toy_cases(cases, prompts):
    known = Known(cases)

    for prompt in prompts.by_step.values():
        assert known.leaks(prompt.system) == ()
