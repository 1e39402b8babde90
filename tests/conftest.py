from hypothesis import settings

from tests.model_server import model_server, says, scripted_model
from tests.real_model import real_llm

__all__ = ["model_server", "real_llm", "says", "scripted_model"]  # fixtures for every test

# Two busy cores make any time limit a coin toss, and a suite that fails must fail again.
settings.register_profile("sayso", deadline=None, derandomize=True)
settings.load_profile("sayso")
