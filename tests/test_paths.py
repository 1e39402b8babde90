from pathlib import Path

import platformdirs
import pytest

from sayso import paths
from sayso.errors import ConfigurationError
from sayso.paths import private_folder


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        pytest.param("SAYSO_HOME", paths.home, id="home"),
        pytest.param("SAYSO_ARC_DATA", paths.arc_data_dir, id="arc_data"),
        pytest.param("SAYSO_PROMPTS", paths.prompts_dir, id="prompts"),
    ],
)
def test_the_environment_names_a_folder_that_wins(variable, place, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, "~/mine")

    assert place() == tmp_path / "mine"


def test_home_is_the_platforms_user_data_folder(monkeypatch):
    monkeypatch.delenv("SAYSO_HOME", raising=False)

    assert paths.home() == Path(platformdirs.user_data_dir("sayso"))


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("SAYSO_HOME", "")

    assert paths.home() == Path(platformdirs.user_data_dir("sayso"))


def test_the_shipped_conversations_and_prompts_are_there(monkeypatch):
    monkeypatch.delenv("SAYSO_ARC_DATA", raising=False)
    monkeypatch.delenv("SAYSO_PROMPTS", raising=False)

    assert any((paths.arc_data_dir() / "chats").glob("*.jsonl"))
    assert paths.prompts_dir().is_dir()


def test_what_the_wheel_ships_wins_over_the_checkout(monkeypatch, tmp_path):
    monkeypatch.delenv("SAYSO_ARC_DATA", raising=False)
    monkeypatch.setattr(paths, "_SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(paths, "_CHECKOUT", tmp_path / "checkout")

    assert paths.arc_data_dir() == tmp_path / "checkout" / "arc_data"
    (tmp_path / "shipped" / "arc_data").mkdir(parents=True)
    assert paths.arc_data_dir() == tmp_path / "shipped" / "arc_data"


def test_the_home_of_a_user_that_is_not_there_is_a_clear_error(monkeypatch):
    monkeypatch.setenv("SAYSO_HOME", "~no-such-user-here/sayso")

    with pytest.raises(ConfigurationError, match=r"SAYSO_HOME=~no-such-user-here.*no such user"):
        paths.home()


def test_a_private_folder_and_what_it_takes_to_hold_it_are_for_the_owner_alone(tmp_path):
    made = private_folder(tmp_path / "a" / "b")

    assert made.is_dir()
    assert [p.stat().st_mode & 0o777 for p in (tmp_path / "a", made)] == [0o700, 0o700]


def test_a_folder_that_is_there_keeps_its_rights(tmp_path):
    (tmp_path / "a").mkdir(mode=0o755)

    private_folder(tmp_path / "a")

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755
