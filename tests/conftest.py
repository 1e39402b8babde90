from hypothesis import settings

from tests.model_server import model_server, says, scripted_model

__all__ = ["model_server", "says", "scripted_model"]  # fixtures for every test

# Two busy cores make any time limit a coin toss, and a suite that fails must fail again.
settings.register_profile("sayso", deadline=None, derandomize=True)
settings.load_profile("sayso")
