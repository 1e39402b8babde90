import sqlite3
from contextlib import closing

import pytest

from eval.engine import Engine
from eval.tune.keeping import Kept
from eval.tune.leakage import Known
from eval.tune.trials import Trials
from eval.tune.tries import try_all
from eval.tune.versions import in_set
from sayso.core.seams import Deps
from sayso.errors import ConfigurationError, ReasoningError, StoreError
from sayso.reasoning.calling import CallError
from tests.eval.tune.conftest import Obeying


def tried(trials, prompts, candidates, cases):
    sets = {name: in_set(prompts, prompt) for name, prompt in candidates.items()}
    return try_all(trials, prompts, sets, cases, metric="evidence_f1", known=Known(cases))[1]


@pytest.mark.parametrize(
    ("mode", "step"), [("oneshot", "oneshot/q4"), ("agent", "agent/generator")]
)
def test_a_hand_trial_finds_the_better_prompt(
    mode, step, trials_with, obeying, with_rule, prompts, cases
):
    (one,) = tried(trials_with(obeying(), mode=mode), prompts, {"rule": with_rule(step)}, cases[:8])
    (gain,) = one.gains

    assert one.verdict == "higher"
    # One of two messages is precision 1 and recall 1/2: F1 2/3, and 1 with both.
    assert gain.before == pytest.approx(2 / 3)
    assert gain.after == 1.0
    assert (gain.difference.gained, gain.difference.lost) == (8, 0)


def test_a_trial_of_like_prompts_finds_no_difference(
    trials_with, obeying, with_rule, prompts, cases
):
    likes = {f"like {n}": with_rule(more=f"Be brief {n}.") for n in range(5)}

    found = tried(trials_with(obeying(chance=True)), prompts, likes, cases[:8])

    assert {one.verdict for one in found} == {"no difference"}
    assert any(gain.difference.gained for one in found for gain in one.gains), "the coin fell"


def test_the_same_words_are_run_once_whatever_the_version(
    trials_with, obeying, prompts, cases, with_rule
):
    from dataclasses import replace

    caller = obeying()
    same = replace(prompts["oneshot/q4"], version=7, digest="other")

    (one,) = tried(trials_with(caller), prompts, {"same": same}, cases[:8])

    assert len(caller.heard) == 2 * 8
    assert one.verdict == "no difference"


def test_what_was_run_is_found_again_by_another_process(
    trials_with, obeying, prompts, cases, tmp_path
):
    first, second = obeying(), obeying()
    path = tmp_path / "trials.sqlite"

    before = trials_with(first, path).run(prompts, cases[:3])
    after = trials_with(second, path).run(prompts, cases[:3])

    assert len(first.heard) == 6
    assert second.heard == []
    assert before == after
    assert path.stat().st_mode & 0o777 == 0o600


def test_other_settings_other_chats_and_other_modes_are_other_trials(
    engine_with, obeying, prompts, cases, tmp_path
):
    from dataclasses import replace

    caller, kept = obeying(), Kept(tmp_path / "trials.sqlite")
    engine = engine_with(caller)

    Trials(engine, "oneshot", kept).run(prompts, cases[:1])
    Trials(replace(engine, settings={"model": "other"}), "oneshot", kept).run(prompts, cases[:1])
    Trials(replace(engine, settings={**engine.settings, "max_rpm": 3}), "oneshot", kept).run(
        prompts, cases[:1]
    )
    shorter = cases[0].chat.model_copy(update={"messages": cases[0].chat.messages[:4]})
    Trials(engine, "oneshot", kept).run(prompts, [replace(cases[0], chat=shorter)])

    assert len(caller.heard) == 3 * 2, "a limit on requests a minute changes no reply"


def test_a_case_that_stands_twice_is_run_once(trials_with, obeying, prompts, cases):
    caller = obeying()

    rows = trials_with(caller).run(prompts, [cases[0], cases[0]])

    assert len(caller.heard) == 2
    assert [row.case_id for row in rows] == ["train-0", "train-0"]


def test_a_prompt_whose_replies_do_not_fit_is_never_higher(
    trials_with, obeying, with_rule, prompts, cases
):
    spoilt = with_rule(more="A short reply counts. Write prose.")

    (one,) = tried(trials_with(obeying(unread="Write prose.")), prompts, {"p": spoilt}, cases[:8])

    assert one.verdict == "breaks the reply's schema"
    assert len(one.unread) == 8


def test_a_prompt_that_lacks_a_variable_is_not_run(trials_with, obeying, with_rule, prompts, cases):
    from dataclasses import replace

    caller = obeying()
    lacking = replace(with_rule(), user=with_rule().user.replace("$amount", "few"))

    (one,) = tried(trials_with(caller), prompts, {"p": lacking}, cases[:8])

    assert one.verdict == "not tried"
    assert "it lacks $amount" in one.faults[0]
    assert caller.heard == [], "there is nothing to hold the current prompt against"


def test_a_prompt_that_names_the_cases_leaks_however_much_it_gains(
    trials_with, obeying, with_rule, rule, prompts, cases
):
    leaky = with_rule(more=f"{rule} Ada says so.")

    (one,) = tried(trials_with(obeying()), prompts, {"p": leaky}, cases[:8])

    assert one.verdict == "leaks"
    assert [(leak.kind, leak.words) for leak in one.leaks] == [("person", "Ada")]


def test_without_a_model_there_is_nothing_to_try(prompts, cases):
    engine = Engine({"oneshot": None}, None, lambda chat: Deps(chat, None, None))

    with pytest.raises(ConfigurationError, match="no language model is configured"):
        Trials(engine, "oneshot", Kept(None)).run(prompts, cases[:1])


def test_a_damaged_file_of_trials_is_named(tmp_path, trials_with, obeying, prompts, cases):
    path = tmp_path / "trials.sqlite"
    path.write_text("no database at all, but long enough to be seen as one" * 50)

    with pytest.raises(Exception, match="trials cannot be kept") as raised:
        trials_with(obeying(), path).run(prompts, cases[:1])

    assert not isinstance(raised.value, sqlite3.Error)


def test_a_file_of_trials_that_is_damaged_within_is_named(
    tmp_path, trials_with, obeying, prompts, cases
):
    path = tmp_path / "trials.sqlite"
    trials_with(obeying(), path).run(prompts, cases[:8])
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))

    with pytest.raises(StoreError, match="trials cannot be kept"):
        trials_with(obeying(), path).run(prompts, cases[:8])


def test_a_trial_that_cannot_be_read_is_run_again(tmp_path, trials_with, obeying, prompts, cases):
    path, caller = tmp_path / "trials.sqlite", obeying()
    trials_with(obeying(), path).run(prompts, cases[:2])
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("""UPDATE trials SET row = '{"half' WHERE rowid = 1""")
        db.execute("UPDATE trials SET row = '[]' WHERE rowid = 2")

    rows = trials_with(caller, path).run(prompts, cases[:2])

    assert [row.error for row in rows] == [None, None]
    assert len(caller.heard) == 4


class Away:
    """A model whose server cannot be reached when it is asked about one of these words."""

    name, window, completion = "obeying", None, 4096

    def __init__(self, *words):
        self.words = words

    def ask(self, request, meter, listen=None):
        if not self.words or any(f"{word}?" in request.user for word in self.words):
            raise CallError("connection", "refused")
        return Obeying().ask(request, meter)


def test_a_run_that_went_without_its_model_is_told_and_run_again(
    trials_with, prompts, cases, tmp_path, obeying
):
    trials = trials_with(Away("train1"), tmp_path / "trials.sqlite")

    trials.run(prompts, cases[:8])

    assert trials.lost_line().startswith(
        "1 runs failed or went without the model, the first: the model"
    )
    again = obeying()
    later = trials_with(again, tmp_path / "trials.sqlite")
    later.run(prompts, cases[:8])
    assert len(again.heard) == 2
    assert later.lost_line() is None


def test_where_every_run_goes_without_its_model_nothing_goes_on(trials_with, prompts, cases):
    with pytest.raises(ReasoningError, match=r"the first 3 runs .* without the model.*refused"):
        trials_with(Away()).run(prompts, cases[:8])


def test_one_case_that_fails_is_data(trials_with, prompts, cases):
    trials = trials_with(Away())

    (row,) = trials.run(prompts, cases[:1])

    assert row.case_id == "train-0"
    assert trials.lost_line() is not None
