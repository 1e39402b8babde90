import pickle

import pytest

from sayso.core.models import Candidate, Graded

CHECKED = Candidate(chat_id="c", local_id=3, score=-0.5, why={"own": 1.0})


def test_an_unchecked_value_is_the_same_as_a_checked_one():
    made = Candidate.unchecked(chat_id="c", local_id=3, score=-0.5, why={"own": 1.0})

    assert made == CHECKED
    assert made.model_dump_json() == CHECKED.model_dump_json()
    assert made.model_copy(update={"score": 0.0}).score == 0.0
    assert pickle.loads(pickle.dumps(made)) == CHECKED
    assert repr(made) == repr(CHECKED)


def test_an_unchecked_value_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        Candidate.unchecked(chat_id="c", local_id=3, score=0.0, why={}).score = 1.0


def test_an_unchecked_value_needs_every_field():
    with pytest.raises(
        TypeError, match=r"Graded: given .* needs \['candidate', 'relevance', 'why'\]"
    ):
        Graded.unchecked(candidate=CHECKED, relevance=0.5)


@pytest.mark.parametrize(
    "given",
    [
        {"chat_id": "c", "local_id": 1, "score": 0.0, "wy": {}},
        {"why": {}, "score": 0.0, "local_id": 1, "chat_id": "c"},
    ],
    ids=["misspelt", "out of order"],
)
def test_an_unchecked_value_takes_its_fields_by_their_names_and_in_their_order(given):
    with pytest.raises(TypeError, match="needs"):
        Candidate.unchecked(**given)
