import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
SHIPPED = BUILD["targets"]


def test_a_source_distribution_holds_what_its_readme_and_its_tests_use():
    used = {"/README.md", "/Makefile", "/requirements.lock", "/langgraph.json", "/tests", "/src"}

    assert used <= set(SHIPPED["sdist"]["include"])
    assert all((ROOT / name.lstrip("/")).exists() for name in SHIPPED["sdist"]["include"])


def test_what_is_shipped_is_anchored_and_a_wheel_holds_no_tests():
    # Plain "eval" would also take tests/eval.
    for target in SHIPPED.values():
        assert all(name.startswith("/") for name in target["include"])
    assert SHIPPED["wheel"]["include"] == ["/src/sayso", "/eval", "/prompts", "/arc_data"]
