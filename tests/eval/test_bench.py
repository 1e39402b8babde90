from rich.console import Console

from eval.bench import table
from eval.bench_peers import SYSTEMS


def test_a_system_that_is_not_installed_says_how_to_install_it():
    wide = Console(width=200)

    with wide.capture() as printed:
        wide.print(table("own", (), {"bm25s": SYSTEMS["bm25s"]}, {"bm25s": None}))

    assert "bm25s: not installed: pip install 'sayso[bench]'" in printed.get()
