import json
from pathlib import Path

import pytest

from sayso.retrieval import categories
from sayso.retrieval.analyzer import terms
from sayso.retrieval.categories import asked_for, mentioned

LEXICON = json.loads(
    (Path(categories.__file__).parent / "data" / "categories.json").read_text(encoding="utf-8")
)["categories"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        pytest.param("Which sports does Bo do?", "jiu-jitsu at seven", id="sport"),
        pytest.param("What instrument did she learn?", "my Violin broke", id="capitals"),
        pytest.param("what pets do they have", "two cats and a mess", id="plural"),
        pytest.param("Which sport is it?", "we played table tennis until ten", id="two words"),
        pytest.param("他喜欢什么运动？", "昨天打篮球了", id="Chinese"),
        pytest.param("他喜欢什么运动？", "他会打太极拳", id="Chinese, three characters"),
        pytest.param("What sports are there?", "昨天打篮球了", id="asked in English, said in Chinese"),
        pytest.param("什么运动？", "basketball again", id="asked in Chinese, said in English"),
    ],
)  # fmt: skip
def test_a_member_is_of_the_category_that_is_asked_for(question, message):
    assert asked_for(question) & mentioned(terms(message))


@pytest.mark.parametrize(
    ("question", "message"),
    [
        pytest.param("Which sports does Bo do?", "the electricity bill is overdue", id="another thing"),
        pytest.param("When did she arrive?", "jiu-jitsu at seven", id="no category asked for"),
        pytest.param("Which sport is it?", "the table is set", id="half of two words"),
        pytest.param("他喜欢什么运动？", "我的篮子是空的", id="one character of two"),
        pytest.param("", "", id="empty"),
    ],
)  # fmt: skip
def test_what_is_no_member_is_not(question, message):
    assert not asked_for(question) & mentioned(terms(message))


@pytest.mark.parametrize("name", LEXICON)
def test_every_word_of_the_lexicon_is_recognised_alone_and_in_a_sentence(name):
    bit = 1 << list(LEXICON).index(name)

    for word in LEXICON[name]["ask"]:
        assert asked_for(word) & bit, word
        assert asked_for(f"so, {word}, then?") & bit, word
    for word in LEXICON[name]["members"]:
        assert mentioned(terms(word)) & bit, word
        assert mentioned(terms(f"ok, {word}, good")) & bit, word


def test_the_categories_fit_the_bits_of_an_index():
    assert 0 < len(LEXICON) <= 64
