"""Answers from your chat history, with the exact messages that say so."""
