from dataclasses import replace

import pytest

from eval.tune.leakage import Known


@pytest.fixture
def known(cases):
    chat = cases[0].chat
    texts = {1: "we met in Zanzibar, shall we take the train0 along", 3: "Was it Tuesday in Zanzibar?",
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
