import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
SHIPPED = BUILD["targets"]
README = (ROOT / "README.md").read_text("utf-8")


def test_a_source_distribution_holds_what_its_readme_and_its_tests_use():
    used = {"/README.md", "/Makefile", "/requirements.lock", "/langgraph.json", "/tests", "/src"}

    assert used <= set(SHIPPED["sdist"]["include"])
    assert all((ROOT / name.lstrip("/")).exists() for name in SHIPPED["sdist"]["include"])


def test_what_is_shipped_is_anchored_and_a_wheel_holds_no_tests():
    # Plain "eval" would also take tests/eval.
    for target in SHIPPED.values():
        assert all(name.startswith("/") for name in target["include"])
    assert SHIPPED["wheel"]["include"] == ["/src/sayso", "/eval", "/prompts", "/arc_data"]


def test_the_readmes_function_is_formatted_and_linted_as_ours_are(tmp_path):
    (example,) = re.findall(
        r"```python\n(from collections import Counter\n.*?)```", README, flags=re.DOTALL
    )
    mine = tmp_path / "mine.py"
    mine.write_text(example, "utf-8")

    for what in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *what, "--config", str(ROOT / "pyproject.toml"), str(mine)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_checks_leave_a_script_alone_that_lies_beside_the_project():
    makefile = (ROOT / "Makefile").read_text("utf-8")

    (folders,) = re.findall(r"^OURS := (.*)$", makefile, flags=re.MULTILINE)
    assert {"src", "tests", "eval"} <= set(folders.split())
    assert all((ROOT / folder).is_dir() for folder in folders.split())
    looked_at = re.findall(r"ruff (?:check|format)(?: --\w+)? (.*)$", makefile, flags=re.MULTILINE)
    assert looked_at == ["$(OURS)"] * 4
