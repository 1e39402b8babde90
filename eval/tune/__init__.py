"""Prompts, and the engine's numbers, tuned as an experiment: see ``eval.tune.command``."""
