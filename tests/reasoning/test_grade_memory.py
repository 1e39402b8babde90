from sayso.core.metering import Meter
from sayso.reasoning.grade_memory import GradeMemory


def test_a_question_finds_again_what_was_held_for_it():
    memory, meter, other = GradeMemory(), Meter(), Meter()
    memory.of(meter).relevance[1] = 0.5

    assert memory.of(meter).relevance == {1: 0.5}
    assert memory.of(other).relevance == {}


def test_of_too_many_questions_the_one_not_asked_for_longest_is_forgotten():
    memory, meters = GradeMemory(most=2), [Meter(), Meter(), Meter()]
    for n, meter in enumerate(meters[:2]):
        memory.of(meter).relevance[n] = 1.0
    memory.of(meters[0])

    memory.of(meters[2])

    assert [memory.of(m).relevance for m in meters[:1]] == [{0: 1.0}]
    assert memory.of(meters[1]).relevance == {}


def test_a_meter_that_is_gone_leaves_nothing_to_the_next_one():
    memory = GradeMemory()

    for n in range(200):  # one of these has the identity of an earlier one, as they are dropped
        held = memory.of(Meter())
        assert held.relevance == {}
        held.relevance[n] = 1.0
