import pytest

from eval.cases import QaCase
from eval.funnel import Lost, passage, total
from eval.gold import truth_of
from sayso.core.models import Candidate, Graded, Plan, Question
from sayso.core.trail import Round


@pytest.fixture
def trail_of(chat, scripted, script, deps_for):
    """A trail that retrieved, kept and cited what is told."""

    def made(retrieved, kept, cited):
        mode = scripted({"q": script(cited=cited, abstained=not cited)})
        trail = mode(Question(text="q", chat_id=chat.chat_id), deps_for(chat))
        found = {i: Candidate(chat_id=chat.chat_id, local_id=i, score=0.0) for i in retrieved}
        return trail.model_copy(
            update={
                "rounds": (
                    Round(
                        plan=Plan(intent="fact", queries=("q",)), candidates=tuple(found.values())
                    ),
                ),
                "graded": tuple(
                    Graded(candidate=c, relevance=0.5 if i in kept else 0.05)
                    for i, c in found.items()
                ),
            }
        )

    return made


def truth(chat, **given):
    case = QaCase(case_id="c", chat=chat.chat_id, question="q", **given)
    return truth_of(case, chat)


def test_each_expected_message_is_lost_at_the_first_stage_that_does_not_hold_it(chat, trail_of):
    trail = trail_of(retrieved=(2, 3, 4), kept=(3, 4), cited={4: (0, 1)})

    found = passage(trail, truth(chat, evidence=[1, 2, 3, 4, 99]))

    assert found.expected == 5
    assert dict(found.held) == {
        "in the chat": 4, "retrieved": 3, "kept by the grader": 2, "cited": 1, "span exact": 0,
    }  # fmt: skip
    assert found.lost == (
        Lost(99, "in the chat"),
        Lost(1, "retrieved"),
        Lost(2, "kept by the grader"),
        Lost(3, "cited"),
        Lost(4, "span exact"),
    )


def test_what_was_cited_without_standing_in_the_ranking_is_not_lost_before(chat, trail_of):
    trail = trail_of(retrieved=(2,), kept=(2,), cited={1: (0, 1)})

    found = passage(trail, truth(chat, evidence=[1]))

    assert dict(found.held) == {
        "in the chat": 1, "retrieved": 1, "kept by the grader": 1, "cited": 1, "span exact": 0,
    }  # fmt: skip


def test_a_citation_of_exactly_the_expected_span_passes_every_stage(chat, trail_of):
    spans = [{"local_id": 1, "start": 0, "end": 3}]
    trail = trail_of(retrieved=(1,), kept=(1,), cited={1: (0, 3)})

    found = passage(trail, truth(chat, evidence=[1], spans=spans))

    assert found.lost == ()
    assert found.held["span exact"] == 1


def test_what_was_cited_was_kept_whatever_its_grade(chat, trail_of):
    trail = trail_of(retrieved=(1,), kept=(), cited={1: (0, len(chat.by_id[1].text))})

    assert passage(trail, truth(chat, evidence=[1])).lost == ()


def test_messages_add_up_over_cases(chat, trail_of):
    one = passage(trail_of((1,), (1,), {}), truth(chat, evidence=[1]))
    two = passage(trail_of((), (), {}), truth(chat, evidence=[1, 2]))

    assert total([one, two]) == {
        "expected": 3, "in the chat": 3, "retrieved": 1, "kept by the grader": 1,
        "cited": 0, "span exact": 0,
    }  # fmt: skip
