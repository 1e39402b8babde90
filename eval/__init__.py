"""Replay cases through a mode and score what it cites."""
