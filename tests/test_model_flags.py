import click
import pytest
from click.testing import CliRunner

from sayso.model_flags import MODEL_SETTINGS, model_options, model_options_but
from sayso.settings import Settings, read_settings


@pytest.fixture
def given():
    """What a command with the flags is called with."""

    def made(*flags: str, decorator=model_options) -> dict:
        heard: dict = {}
        command = click.command()(decorator(lambda **settings: heard.update(settings)))
        assert CliRunner().invoke(command, list(flags), catch_exceptions=False).exit_code == 0
        return heard

    return made


def test_every_flag_is_a_setting():
    assert set(MODEL_SETTINGS) <= set(Settings.model_fields)


def test_a_flag_that_is_not_given_changes_nothing(given, tmp_path):
    settings = given()

    assert settings == dict.fromkeys(MODEL_SETTINGS)
    environ = {"SAYSO_STRICT": "true", "SAYSO_CACHE": "false", "SAYSO_OFFLINE": "true"}
    read = read_settings(settings, environ=environ, folder=tmp_path)
    assert (read.strict, read.cache, read.offline) == (True, False, True)


def test_each_flag_sets_its_setting(given, tmp_path):
    read = read_settings(
        given(
            "--model", "m", "--base-url", "http://localhost:1/v1", "--prompts", str(tmp_path),
            "--votes", "3", "--strict", "--max-rpm", "12", "--no-cache", "--offline",
            "--tokens", "5000", "--model-calls", "7",
        ),
        environ={}, folder=tmp_path,
    )  # fmt: skip

    assert (read.model, read.base_url, read.prompts) == ("m", "http://localhost:1/v1", tmp_path)
    assert (read.votes, read.max_rpm, read.tokens, read.model_calls) == (3, 12.0, 5000, 7)
    assert (read.strict, read.cache, read.offline) == (True, False, True)


def test_a_command_may_leave_some_out(given):
    assert set(given(decorator=model_options_but("prompts"))) == {*MODEL_SETTINGS} - {"prompts"}
