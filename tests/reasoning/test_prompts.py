import hashlib
import shutil
from pathlib import Path

import pytest

from sayso import paths
from sayso.errors import PromptError
from sayso.reasoning.prompt_fields import FIELDS
from sayso.reasoning.prompts import load_prompts

SHIPPED = Path(__file__).parents[2] / "prompts"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped set, to be spoilt."""
    shutil.copytree(SHIPPED, tmp_path / "set")
    return tmp_path / "set"


def spoil(folder: Path, step: str, old: str, new: str) -> Path:
    path = folder / f"{step}.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_shipped_set_has_a_prompt_for_every_step():
    prompts = load_prompts(paths.prompts_dir())

    assert set(prompts.by_step) == set(FIELDS)
    assert [s for s, p in prompts.by_step.items() if not p.model] == [
        "oneshot/q2", "oneshot/q3", "oneshot/q5",
    ]  # fmt: skip
    assert all(p.tunable and p.version >= 1 for p in prompts.by_step.values())


def test_a_prompts_digest_is_that_of_its_files_bytes(folder):
    path = spoil(folder, "oneshot/q1", "\n", "\r\n")

    prompt = load_prompts(folder)["oneshot/q1"]

    assert prompt.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert prompt.path == path
    assert "\r" not in prompt.system + prompt.user


def test_values_that_look_like_variables_are_filled_in_as_they_are(folder):
    (folder / "oneshot/q1.md").write_text(
        "---\nstep: oneshot/q1\nversion: 7\nmodel: true\ntune: all\n---\n"
        "# System\nIt costs $$5.\n# User\n${question}? $schema\n"
    )

    system, user = load_prompts(folder)["oneshot/q1"].filled(
        {"question": "$schema and $home", "schema": "{}"}
    )

    assert (system, user) == ("It costs $5.", "$schema and $home? {}")


def test_a_planner_may_leave_its_step_to_rules(folder):
    path = folder / "agent/planner.md"
    path.write_text(
        "---\nstep: agent/planner\nversion: 4\nmodel: false\ntune: all\n---\nBy rules.\n"
    )

    assert not load_prompts(folder)["agent/planner"].model


@pytest.mark.parametrize(
    ("step", "old", "new", "said"),
    [
        ("agent/grader", "$intent", "$mood", r"has \$mood, but step 'agent/grader' gives .*\$held"),
        ("agent/grader", "$messages", "", r"lacks \$messages, which it must have; .*\$marker"),
        ("oneshot/q4", "$marker", "", r"lacks \$marker"),
        ("oneshot/q4", "$amount", "5 $ each", r"a \$ below '# User' names no variable"),
        (
            "oneshot/q1",
            "version: 4",
            "version: one",
            r"version: expected a whole number; found 'one'",
        ),
        ("oneshot/q1", "version: 4", "version: 0", r"version: expected 1 or more"),
        (
            "oneshot/q1",
            "version: 4",
            "version: true",
            r"version: expected a whole number; found True",
        ),
        ("oneshot/q1", "tune: How", "tune: no # How", r"tune: expected text, in quotes .* False"),
        (
            "oneshot/q1",
            "version: 4\n",
            "",
            r"exactly the keys step, version, model, tune, and may have",
        ),
        ("oneshot/q1", "model: true", "model: true\nmood: good", r"exactly the keys .* mood"),
        ("oneshot/q1", "step: oneshot/q1", "step: oneshot/q2", r"expected 'oneshot/q1' by its"),
        ("oneshot/q1", "version: 4", "version: [1", r"not valid YAML"),
        ("oneshot/q1", "---\n", "", r"begins with no front matter"),
        ("oneshot/q1", "# System\n", "", r"expected the headings .* found # User"),
        ("oneshot/q1", "# System\n", "Hello\n# System\n", r"with nothing before"),
        ("oneshot/q1", "# System\n", "# User\n# System\n", r"in this order"),
        ("oneshot/q5", "model: false", "model: true", r"step 'oneshot/q5' asks no model"),
    ],
)
def test_a_file_that_does_not_fit_is_named_with_its_fault(step, old, new, said, folder):
    path = spoil(folder, step, old, new)

    with pytest.raises(PromptError, match=said) as raised:
        load_prompts(folder)

    assert str(path) in str(raised.value)


def test_a_file_that_is_missing_is_named_with_what_a_set_has(folder):
    (folder / "agent/grader.md").unlink()

    with pytest.raises(PromptError, match=r"grader\.md: no such file; a set of prompts has agent/"):
        load_prompts(folder)


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(PromptError, match="nowhere: no such folder"):
        load_prompts(tmp_path / "nowhere")


def test_a_folder_in_a_files_place_is_no_crash(folder):
    (folder / "agent/grader.md").unlink()
    (folder / "agent/grader.md").mkdir()

    with pytest.raises(PromptError, match="cannot be read"):
        load_prompts(folder)


def test_a_file_in_another_encoding_is_named(folder):
    (folder / "oneshot/q2.md").write_bytes("---\ntune: café".encode("latin-1"))

    with pytest.raises(PromptError, match=r"q2\.md: not UTF-8 at byte 13"):
        load_prompts(folder)


def test_a_part_without_text_is_named(folder):
    path = folder / "oneshot/q1.md"
    head = path.read_text(encoding="utf-8").split("# System")[0]
    path.write_text(head + "# System\n\n# User\n$question $schema\n")

    with pytest.raises(PromptError, match="nothing stands below '# System'"):
        load_prompts(folder)


def test_every_variable_is_told_in_the_readme():
    told = (SHIPPED / "README.md").read_text(encoding="utf-8")

    assert all(
        f"`{field}`" in told or f"`${field}`" in told for f in FIELDS.values() for field in f
    )


@pytest.mark.parametrize("step", [s for s, f in FIELDS.items() if f])
def test_no_shipped_prompt_speaks_of_a_benchmark(step):
    text = (SHIPPED / f"{step}.md").read_text(encoding="utf-8").casefold()

    assert not any(word in text for word in ("locomo", "realtalk", "caroline", "melanie"))
