import asyncio
import threading
from datetime import UTC, datetime

import pytest

from eval.cases import QaCase, ReadyCase
from eval.replay import Run, replay, tasks_of, under_pressure
from sayso.errors import ConfigurationError


def _ready(chat, *questions: str) -> list[ReadyCase]:
    return [
        ReadyCase(QaCase(case_id=f"{chat.chat_id}-{q}", chat=chat.chat_id, question=q), chat)
        for q in questions
    ]


def _replay(cases, modes, *, repeats=1, **options):
    return replay(tasks_of(cases, list(modes), repeats), modes, **options)


def _named(runs) -> list[tuple[str, str]]:
    return [(run.ready.case.question, run.mode) for run in runs]


@pytest.mark.parametrize("jobs", [1, 3])
def test_runs_come_by_case_then_mode_whatever_ends_first(chat, deps_for, scripted, jobs):
    modes = {"agent": scripted({}), "oneshot": scripted({}, "oneshot")}
    other = chat.model_copy(update={"chat_id": "other"})
    cases = [*_ready(chat, "a"), *_ready(other, "b"), *_ready(chat, "c")]

    runs = _replay(cases, modes, deps_for=deps_for, jobs=jobs)

    assert _named(runs) == [
        ("a", "agent"), ("a", "oneshot"),
        ("b", "agent"), ("b", "oneshot"),
        ("c", "agent"), ("c", "oneshot"),
    ]  # fmt: skip


def test_the_deps_of_a_chat_are_built_once_and_only_when_its_turn_comes(chat, deps_for, scripted):
    other = chat.model_copy(update={"chat_id": "other"})
    log: list[str] = []

    def build(chat):
        log.append(f"build {chat.chat_id}")
        return deps_for(chat)

    _replay(
        [*_ready(chat, "a"), *_ready(other, "b"), *_ready(chat, "c")],
        {"agent": scripted({})},
        deps_for=build,
        on_run=lambda run: log.append(run.ready.case.question),
    )

    assert log == ["build trip", "a", "c", "build other", "b"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_case_that_raises_is_a_run_with_its_error_and_the_others_go_on(
    chat, deps_for, scripted, script, jobs
):
    mode = scripted({"b": script(error=TimeoutError("no reply in 120 s"))})

    runs = _replay(_ready(chat, "a", "b", "c"), {"agent": mode}, deps_for=deps_for, jobs=jobs)

    assert [run.error for run in runs] == [None, "TimeoutError: no reply in 120 s", None]
    assert [run.trail is None for run in runs] == [False, True, False]


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_script_that_ends_the_program_fails_its_case_only(chat, deps_for, scripted, script, jobs):
    mode = scripted({"b": script(error=SystemExit(3))})

    runs = _replay(_ready(chat, "a", "b", "c"), {"agent": mode}, deps_for=deps_for, jobs=jobs)

    assert [run.error for run in runs] == [None, "SystemExit: 3", None]


def test_a_chat_whose_index_fails_fails_its_own_cases_only(chat, deps_for, scripted):
    other = chat.model_copy(update={"chat_id": "other"})

    def build(chat):
        if chat.chat_id == "trip":
            raise OSError("disk full")
        return deps_for(chat)

    runs = _replay(
        [*_ready(chat, "a"), *_ready(other, "b")], {"agent": scripted({})}, deps_for=build
    )

    assert [run.error for run in runs] == ["OSError: disk full", None]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_concerns_every_case_ends_the_replay(chat, deps_for, scripted, script, jobs):
    mode = scripted({"a": script(error=ConfigurationError("no such model"))})

    with pytest.raises(ConfigurationError, match="no such model"):
        _replay(_ready(chat, "a", "b"), {"agent": mode}, deps_for=deps_for, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_was_handed_over(chat, deps_for, scripted, script, jobs):
    seen = []

    def on_run(run):
        seen.append(run)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _replay(
            _ready(chat, "a", "b", "c", "d"),
            {"agent": scripted({})},
            deps_for=deps_for,
            jobs=jobs,
            on_run=on_run,
        )

    assert len(seen) == 2


def test_jobs_run_at_the_same_time(chat, deps_for, scripted):
    both_inside = threading.Barrier(2, timeout=20)
    answer = scripted({})

    def mode(question, deps):
        both_inside.wait()
        return answer(question, deps)

    runs = _replay(_ready(chat, "a", "b"), {"agent": mode}, deps_for=deps_for, jobs=2)

    assert [run.error for run in runs] == [None, None]


def test_when_a_case_was_asked_reaches_its_question(chat, deps_for, scripted):
    asked_at = datetime(2023, 6, 1, 10, 0, tzinfo=UTC)
    heard = []
    answer = scripted({})

    def mode(question, deps):
        heard.append(question.asked_at)
        return answer(question, deps)

    case = QaCase(case_id="x", chat=chat.chat_id, question="When?", asked_at=asked_at)
    _replay([ReadyCase(case, chat)], {"agent": mode}, deps_for=deps_for)

    assert heard == [asked_at]


def test_seconds_are_the_wall_time_of_the_case(chat, deps_for, scripted):
    ticks = iter([10.0, 12.5])

    (run,) = _replay(
        _ready(chat, "a"), {"agent": scripted({})}, deps_for=deps_for, clock=lambda: next(ticks)
    )

    assert run.seconds == 2.5


def test_it_works_twice_inside_a_running_event_loop(chat, deps_for, scripted):
    async def notebook():
        once = _replay(_ready(chat, "a"), {"agent": scripted({})}, deps_for=deps_for, jobs=2)
        again = _replay(_ready(chat, "a"), {"agent": scripted({})}, deps_for=deps_for, jobs=2)
        return _named(once) + _named(again)

    assert asyncio.run(notebook()) == [("a", "agent"), ("a", "agent")]


@pytest.mark.parametrize(
    ("error", "pressed"),
    [
        ("RateLimitError: Error code: 429 - {'error': {}}", True),
        ("CallError: http 429: slow down", True),
        ("HTTPStatusError: Client error '429 Too Many Requests'", True),
        ("KeyError: 'D4:429'", False),
        ("TimeoutError: no answer within 429 s", False),
    ],
)
def test_pressure_is_what_a_server_says_and_no_number_by_chance(chat, error, pressed):
    ready = ReadyCase(QaCase(case_id="a", chat="trip", question="a"), chat)

    assert under_pressure(Run(ready, "agent", None, error, 0.1)) is pressed
