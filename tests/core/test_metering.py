import pytest

from sayso.core.metering import Budget, Meter
from sayso.core.trail import Usage


@pytest.mark.parametrize(
    ("budget", "used", "ended"),
    [
        pytest.param(Budget(), Usage(), None, id="nothing used"),
        pytest.param(Budget(model_calls=2), Usage(model_calls=1), None, id="a call left"),
        pytest.param(Budget(model_calls=2), Usage(model_calls=2), "call budget", id="calls"),
        pytest.param(Budget(tokens=100), Usage(prompt_tokens=60, completion_tokens=40), "token budget", id="tokens"),
        pytest.param(Budget(tokens=100), Usage(prompt_tokens=99), None, id="a token left"),
        pytest.param(Budget(seconds=0), Usage(), "time budget", id="seconds"),
    ],
)  # fmt: skip
def test_the_first_budget_that_is_used_up_is_named(budget, used, ended):
    meter = Meter(budget)

    meter.take(used)

    assert meter.ended == ended


def test_what_is_left_is_never_negative():
    meter = Meter(Budget(seconds=0, tokens=10))

    meter.take(Usage(prompt_tokens=25))

    assert (meter.tokens_left, meter.seconds_left) == (0, 0.0)


def test_costs_add_up_where_there_are_any():
    assert (Usage(cost=0.5) + Usage() + Usage(cost=0.25)).cost == 0.75
    assert (Usage() + Usage()).cost is None
