import signal
from collections.abc import Callable

import pytest
from hypothesis import settings

from tests.model_server import model_server, says, scripted_model
from tests.real_model import real_llm

__all__ = ["model_server", "real_llm", "says", "scripted_model"]  # fixtures for every test

# Two busy cores make any time limit a coin toss, and a suite that fails must fail again.
settings.register_profile("sayso", deadline=None, derandomize=True)
settings.load_profile("sayso")


@pytest.fixture
def interruptible() -> Callable[[], None]:
    """What a child runs before it starts, so that it can be interrupted.

    A shell lets what it runs in the background ignore ctrl-C, and children inherit that.
    """

    def restored() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return restored
