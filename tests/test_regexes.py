"""Regular expressions that every Python from 3.11.0 on reads alike."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A group that gives nothing back. Where such a group has choices of its own, Python before 3.11.5 does
# not match what it should (github.com/python/cpython/issues/106052).
POSSESSIVE = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")


def test_a_group_that_gives_nothing_back_is_told():
    told = [r"(?:a|b)*+", r"(a)++", r"(?:a){2,}+", r"(?>a|b)"]

    assert all(POSSESSIVE.search(one) for one in told)
    assert not any(POSSESSIVE.search(one) for one in (r"[ab]*+", r"(a)+b", r"\)++", r"(?:a)*"))


@pytest.mark.parametrize("folder", ["src", "eval"])
def test_no_expression_has_a_group_that_gives_nothing_back(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    found = {
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if POSSESSIVE.search(line)
    }

    assert files
    assert found == set()
