import json
from pathlib import Path

import pytest

from eval.hardness import Told, reckoned
from eval.standing_alone import run
from sayso.errors import ConfigurationError

ARC_DATA = Path(__file__).parents[2] / "arc_data"

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


def test_between_the_steepest_either_way_the_nearest_weighing_is_taken():
    # At either end what one kind has alone, 0.2 and 0.3; between them up to what all have, and more.
    rows = [Told(0.2, 0.1, 0.0), *[Told(0.9, 0.8, 0.5)] * 3, Told(0.3, 0.6, 1.0)]

    assert "has 64.0 ours has 62.0 (as much as 5 of" in reckoned(rows, 0.64)
    # At -1.2, where ours has 54; at 1.8, where the linear ranking has 60 as well, ours has 67.
    assert "has 60.0 ours has 54." in reckoned(rows, 0.6)
    with pytest.raises(ConfigurationError, match=r"20\.0 to 6\d\.\d %"):
        reckoned(rows, 0.75)


def test_what_all_share_alike_cannot_be_weighed():
    with pytest.raises(ConfigurationError, match=r"50\.0 to 50\.0 %.*other questions"):
        reckoned([Told(0.5, 0.5, 0.4)] * 3, 0.4)
    assert "has 50.0 ours has 50.0" in reckoned([Told(0.5, 0.5, 0.4)] * 3, 0.5)


@pytest.mark.parametrize("share", ["nan", "0", "1.5"])
def test_what_is_no_share_is_refused_before_anything_is_read(share, capsys, monkeypatch):
    from eval.hardness import main

    monkeypatch.setattr("sys.argv", ["hardness", str(Path(__file__)), "--as-hard-as", share])

    assert run(main) == 2
    assert share in capsys.readouterr().err


def test_two_chats_of_one_id_stand_apart(tmp_path, capsys):
    from eval.hardness import main

    for name, shipped in (("a", "lena_and_jonah"), ("b", "lantern_crew")):
        for kind in ("chats", "cases/qa"):
            text = (ARC_DATA / kind / f"{shipped}.jsonl").read_text("utf-8")
            file = tmp_path / name / kind / "same.jsonl"
            file.parent.mkdir(parents=True)
            file.write_text(text.replace(f'"{shipped}"', '"same"'), "utf-8")
    sides = [str(tmp_path / name / "cases") for name in "ab"]

    told = []
    for given in (sides[:1], sides[1:], sides, sides[::-1]):
        assert run(main, given) == 0
        lines = capsys.readouterr().out.splitlines()
        told.append(sorted(line for line in lines if line.startswith("│ same")))

    assert [row.split() for row in told[2]] == [row.split() for row in sorted(told[0] + told[1])]
    assert told[2] == told[3]


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
