import threading
import time

import pytest

from eval.workers import Pace, spread


def never(task, seconds):
    raise AssertionError("nothing was late")


@pytest.mark.parametrize("jobs", [1, 4])
def test_every_task_comes_back_once(jobs):
    found = dict(spread(range(20), lambda n: n * n, never, Pace(jobs)))

    assert found == {n: n * n for n in range(20)}


@pytest.mark.parametrize(("jobs", "deadline"), [(1, None), (4, None), (1, 30.0)])
def test_a_lull_follows_the_last_result_and_none_comes_after_it(jobs, deadline):
    heard = []

    for at, _ in spread(
        range(20), lambda n: n, never, Pace(jobs),
        lull=lambda: heard.append("lull"), deadline=deadline,
    ):  # fmt: skip
        heard.append(at)

    assert heard[-1] == "lull"
    assert len([one for one in heard if one != "lull"]) == 20


def test_one_that_never_answers_is_given_up_and_holds_nobody():
    hang = threading.Event()

    def work(task):
        if task == 1:
            hang.wait(30)
        return task

    found = dict(spread(range(6), work, lambda task, s: f"late {task} {s}", Pace(1), deadline=0.2))
    hang.set()

    assert found == {0: 0, 1: "late 1 0.2", 2: 2, 3: 3, 4: 4, 5: 5}


def test_preparing_is_outside_the_deadline():
    def slow(task):
        time.sleep(0.15)

    found = dict(spread([1], lambda n: n, never, Pace(2), prepare=slow, deadline=0.1))

    assert found == {0: 1}


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_work_raises_is_raised_here(jobs):
    def work(task):
        raise RuntimeError("all of it")

    with pytest.raises(RuntimeError, match="all of it"):
        list(spread(range(3), work, never, Pace(jobs)))


def test_pressure_halves_the_pace_and_calm_brings_it_back_one_by_one():
    pace = Pace(8)

    pace.learn(pressed=True)
    pace.learn(pressed=True)
    low = pace.limit
    for _ in range(2 * 2 + 2 * 3):
        pace.learn(pressed=False)

    assert (low, pace.limit) == (2, 4)


def test_the_pace_stays_between_one_and_the_jobs():
    pace = Pace(2)

    for _ in range(5):
        pace.learn(pressed=True)
    low = pace.limit
    for _ in range(50):
        pace.learn(pressed=False)

    assert (low, pace.limit) == (1, 2)


def test_no_more_run_at_once_than_the_pace_allows():
    inside, most, lock = 0, 0, threading.Lock()

    def work(task):
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.01)
        with lock:
            inside -= 1
        return task

    list(spread(range(30), work, never, Pace(3)))

    assert most == 3


def test_many_jobs_that_only_wait_take_little_more_than_the_ideal_time():
    began = time.perf_counter()
    list(spread(range(320), lambda n: time.sleep(0.1), never, Pace(64), deadline=60))
    took = time.perf_counter() - began

    one = time.perf_counter()
    list(spread(range(64), lambda n: time.sleep(0.1), never, Pace(64), deadline=60))
    ideal = 5 * (time.perf_counter() - one)
    assert took < 2 * ideal
