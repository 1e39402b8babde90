from hypothesis import settings

# Two busy cores make any time limit a coin toss, and a suite that fails must fail again.
settings.register_profile("sayso", deadline=None, derandomize=True)
settings.load_profile("sayso")
