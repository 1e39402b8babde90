from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from sayso.oneshot.step import Step


class Listens(BaseCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self.heard.append((f"{kwargs['name']} starts", inputs))

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self.heard.append(("ends", outputs))

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        self.heard.append(("fails", str(error)))


def doubled(number: int) -> int:
    return 2 * number


def refused(number: int) -> int:
    raise ValueError(f"no {number}")


def test_steps_run_one_after_the_other():
    assert (Step(doubled, "one") | Step(doubled, "two")).invoke(3) == 12


def test_a_step_runs_alone_too():
    assert Step(doubled, "one").invoke(3) == 6


def test_a_handler_hears_each_step_by_its_name_with_what_goes_in_and_comes_out():
    listens = Listens()

    (Step(doubled, "one") | Step(doubled, "two")).invoke(3, {"callbacks": [listens]})

    assert listens.heard == [
        ("RunnableSequence starts", 3),
        ("one starts", 3),
        ("ends", 6),
        ("two starts", 6),
        ("ends", 12),
        ("ends", 12),
    ]


def test_a_handler_hears_a_step_that_runs_alone():
    listens = Listens()

    Step(doubled, "one").invoke(3, {"callbacks": [listens]})

    assert listens.heard == [("one starts", 3), ("ends", 6)]


def test_a_handler_hears_a_step_that_fails():
    listens = Listens()
    chain = Step(doubled, "one") | Step(refused, "two")

    with pytest.raises(ValueError, match="no 6"):
        chain.invoke(3, {"callbacks": [listens]})
    assert listens.heard[-3:] == [("two starts", 6), ("fails", "no 6"), ("fails", "no 6")]


def test_the_config_of_the_call_is_known_within_a_step_that_nobody_hears():
    seen: list[RunnableConfig] = []

    def looking(number: int) -> int:
        seen.append(ensure_config())
        return number

    (Step(looking, "one") | Step(looking, "two")).invoke(3, {"tags": ["mine"]})

    assert [config["tags"] for config in seen] == [["mine"], ["mine"]]
