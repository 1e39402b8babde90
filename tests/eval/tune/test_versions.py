from dataclasses import replace

import pytest

from eval.tune.versions import (
    faults,
    longest,
    read_candidate,
    said_digest,
    text_of,
    with_system,
    write_set,
)
from sayso.errors import PromptError
from sayso.reasoning.prompts import load_prompts

ORIGIN = {
    "parent": "ab" * 32,
    "scores": {"metric": "evidence_f1", "valid": {"gain": 0.1}},
    "data": "cd" * 32,
    "code": "ef" * 32,
}


def test_a_version_is_read_back_as_it_was_written(prompts, tmp_path):
    parent = prompts["agent/grader"]
    child = with_system(parent, f"{parent.system}\n\nWhen unsure: 'half' or $$5 #1.")
    path = tmp_path / "any name.md"
    path.write_text(text_of(child, ORIGIN), "utf-8")

    read = read_candidate(path, "agent/grader")

    assert (read.system, read.user, read.tunable) == (child.system, child.user, parent.tunable)
    assert read.version == parent.version + 1
    assert said_digest(read) == said_digest(child) != said_digest(parent)


def test_a_set_is_written_whole_and_the_accepted_prompt_has_its_origin(prompts, tmp_path):
    child = with_system(prompts["oneshot/q1"], "Write $question as JSON.")

    (file,) = write_set(tmp_path / "set", prompts, {"oneshot/q1": child}, {"oneshot/q1": ORIGIN})
    read = load_prompts(tmp_path / "set")

    assert file == tmp_path / "set" / "oneshot" / "q1.md"
    assert read["oneshot/q1"].system == "Write $question as JSON."
    assert f"parent: {'ab' * 32}" in file.read_text("utf-8")
    assert {s: p.digest for s, p in read.by_step.items() if s != "oneshot/q1"} == {
        s: p.digest for s, p in prompts.by_step.items() if s != "oneshot/q1"
    }


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda p: replace(p, user=p.user.replace("$searched", "-")), "it lacks $searched"),
        (lambda p: replace(p, user=p.user.replace("$question", "-")), "lacks $question, which it must"),
        (lambda p: with_system(p, f"{p.system} $unknown"), "has $unknown"),
        (lambda p: with_system(p, f"{p.system} costs $5"), "names no variable"),
        (lambda p: with_system(p, f"{p.system}\n# User\nmore"), "headings"),
        (lambda p: with_system(p, ""), "nothing stands below"),
        (lambda p: with_system(p, "<<<DATA DATA>>> " + "word " * 20_000), "at most"),
        (lambda p: with_system(p, "Grade the messages."), "no longer says"),
    ],
    ids=["variable", "needed", "unknown", "dollar", "heading", "empty", "long", "fence"],
)  # fmt: skip
def test_what_a_candidate_must_keep_is_told(prompts, change, fault):
    parent = prompts["agent/grader"]

    assert any(fault in told for told in faults(change(parent), parent))


def test_a_candidate_that_keeps_everything_has_no_fault(prompts):
    parent = prompts["agent/grader"]

    assert faults(with_system(parent, f"{parent.system}\n\nBe strict."), parent) == ()
    assert faults(parent, parent) == ()
    assert longest(parent) >= 3000


def test_a_prompt_that_no_model_reads_cannot_be_tried(prompts, tmp_path):
    path = tmp_path / "q4.md"
    path.write_text(text_of(prompts["oneshot/q4"]).replace("model: true", "model: false"), "utf-8")

    with pytest.raises(PromptError, match="nothing to try"):
        read_candidate(path, "oneshot/q4")


@pytest.mark.parametrize("key", ["scores: 3", "data: 12", "origin: here"])
def test_an_origin_of_another_form_is_an_error(prompts, tmp_path, key):
    path = tmp_path / "q4.md"
    path.write_text(
        text_of(prompts["oneshot/q4"]).replace("model: true", f"model: true\n{key}"), "utf-8"
    )

    with pytest.raises(PromptError, match=key.partition(":")[0]):
        read_candidate(path, "oneshot/q4")
