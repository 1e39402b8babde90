"""The one-shot chain Q1 to Q5."""
