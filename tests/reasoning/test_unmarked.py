import pytest

from sayso.reasoning.unmarked import asks_unmarked


@pytest.mark.parametrize(
    "said",
    [
        "what time does the ferry leave", "what time is it", "what time's the ferry", "who gets the shed key then",
        "wheres the key", "where are you", "when is the match", "how much is it", "how many are coming",
        "how long does it take", "which bus do we take", "which one then", "who's driving", "whose turn is it",
        "why didn't you call", "ok so when are we meeting", "what about saturday", "what time again",
        "how old is she again", "where though", "what did she say 🙈", "how did it go", "What's it like",
    ],
)  # fmt: skip
def test_a_question_word_before_its_auxiliary_or_with_then_asks(said):
    assert asks_unmarked(said)


@pytest.mark.parametrize(
    "said",
    [
        "when I got home the cat was out", "when we met again", "when the bus is late again", "what a day",
        "what a day though", "which is why we left", "which was nice", "which means we can go then", "how funny",
        "how funny though", "what I mean is no", "where we are now", "where I live though", "what's done is done",
        "what was left was soup", "how much I would give to be there", "what the hell", "whatever is fine",
        "what people do is their business", "when is the party is not decided", "what fun was had",
        "what luck though", "someone asked where is it", "the ferry leaves then", "who", "", "...",
        "what is the point of going if it rains all day and nobody else is there anyway",
    ],
)  # fmt: skip
def test_what_only_begins_with_such_a_word_does_not(said):
    assert not asks_unmarked(said)
