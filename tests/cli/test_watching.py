import io

import pytest
from rich.console import Console
from rich.live import Live

from sayso.cli.watching import Watch, watching
from sayso.core.events import Notice, StepStarted, Words, unheard


@pytest.fixture
def screen():
    """What a terminal of 40 × 8 cells was sent, after these events."""

    def shown(*events) -> str:
        sink = io.StringIO()
        console = Console(file=sink, force_terminal=True, width=40, height=8, color_system=None)
        with Live(console=console, transient=True, auto_refresh=False) as live:
            watch = Watch(live)
            for event in events:
                watch(event)
            live.refresh()
        return sink.getvalue()

    return shown


def words(text: str) -> Words:
    return Words(step="agent/generator", text=text)


def test_each_step_is_named_by_what_it_does(screen) -> None:
    told = screen(StepStarted(step="agent/planner"), StepStarted(step="agent/retriever"))

    assert "planning" in told
    assert "searching" in told


def test_the_words_of_an_answer_join(screen) -> None:
    assert "A red kayak" in screen(words("A red "), words("kayak"))


def test_what_a_model_writes_is_neither_markup_nor_terminal_control(screen) -> None:
    told = screen(words("[bold]A[/bold] \x1b[2J\x07"))

    assert "[bold]A[/bold] ␛[2J␇" in told
    assert "\x1b[2J" not in told


def test_a_notice_stands_above_the_line_and_is_inert(screen) -> None:
    told = screen(Notice(step="agent/planner", text="[red]429\x1b[2J\ntrying again"))

    assert "sayso: [red]429␛[2J trying again" in told
    assert "\x1b[2J" not in told


def test_of_a_long_answer_the_last_lines_that_fit_are_shown(screen) -> None:
    told = screen(words("\n".join(f"line {n}" for n in range(20))))

    assert [n for n in range(20) if f"line {n}\n" in told.replace("\r", "")] == [16, 17, 18, 19]


def test_without_a_terminal_only_notices_are_told(capsys) -> None:
    with watching("text") as listen:
        for event in (StepStarted(step="agent/planner"), words("A"), Notice(step="x", text="slow")):
            listen(event)

    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "sayso: slow\n")


def test_beside_a_json_document_nothing_is_told() -> None:
    with watching("json") as listen:
        assert listen is unheard
