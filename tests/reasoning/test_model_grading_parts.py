import pytest

from sayso.reasoning.model_grading import _Part


@pytest.mark.parametrize(
    ("part", "told"),
    [
        pytest.param(_Part(1, 1), "", id="the only one"),
        pytest.param(_Part(1, 2), ", part 1 of 2 (more messages of this round follow)", id="first"),
        pytest.param(_Part(2, 2), ", part 2 of 2 (the last)", id="last"),
    ],
)
def test_a_part_tells_whether_more_of_the_round_follow(part, told):
    assert part.told == told
