import json
from pathlib import Path

import pytest

from eval.hardness import Told, reckoned
from eval.standing_alone import run
from sayso.errors import ConfigurationError

# Four questions of five share nothing, and are found half as often by the linear ranking.
ROWS = [Told(0.25, 0.5, 0.0)] * 4 + [Told(1.0, 0.75, 1.0)]


def test_weighed_as_told_the_linear_ranking_has_what_it_has_elsewhere():
    # Of both kinds alike: (0.25 + 1) / 2 = 0.625, where ours has (0.5 + 0.75) / 2.
    assert reckoned(ROWS, 0.625) == (
        "where the linear ranking has 62.5 ours has 62.5 (as much as 3 of the 5 questions)"
    )
    assert "has 40.0 ours has 55.0 (as much as 5" in reckoned(ROWS, 0.4)


def test_what_no_weighing_reaches_is_refused_with_what_can_be():
    with pytest.raises(ConfigurationError, match=r"0\.1: .* 25\.0 to 100\.0 %"):
        reckoned(ROWS, 0.1)


def test_the_command_sets_both_rankings_side_by_side(capsys, monkeypatch):
    from eval.hardness import main

    shipped = Path(__file__).parents[2] / "arc_data"
    file = shipped / "cases" / "qa" / "lantern_crew.jsonl"
    answered = sum(
        json.loads(line).get("answerable", True) for line in file.read_text("utf-8").splitlines()
    )
    monkeypatch.setattr("sys.argv", ["hardness", str(file), "--chats", str(shipped / "chats")])

    assert run(main) == 0

    line = next(one for one in capsys.readouterr().out.splitlines() if "lantern_crew" in one)
    n, both, alone, _, shared, _ = (part.strip() for part in line.strip("│ ").split("│")[1:])
    assert int(n) == answered == int(alone) + int(shared)
    linear, ours = map(float, both.split(", "))
    assert 0 < linear < ours <= 100
