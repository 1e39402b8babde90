import pytest
from pydantic import ValidationError

from sayso.core.metering import Budget
from sayso.errors import ConfigurationError
from sayso.settings import FILE, Settings, read_settings


@pytest.fixture
def toml(tmp_path):
    """Writes sayso.toml into an empty folder and returns the folder."""

    def written(text: str):
        (tmp_path / FILE).write_text(text, encoding="utf-8")
        return tmp_path

    return written


def test_nothing_configured_gives_the_defaults(tmp_path):
    assert read_settings(environ={}, folder=tmp_path) == Settings(rounds=3, seconds=120.0, pool=50)


def test_flags_win_over_the_environment_and_that_over_the_file(toml):
    folder = toml("rounds = 5\nseconds = 30\npool = 20\n")
    environ = {"SAYSO_SECONDS": "40", "SAYSO_POOL": "40"}

    found = read_settings({"pool": 60}, environ=environ, folder=folder)

    assert (found.rounds, found.seconds, found.pool) == (5, 40.0, 60)


def test_a_flag_that_was_not_given_and_an_empty_variable_set_nothing(toml):
    folder = toml("rounds = 5\n")

    assert read_settings({"rounds": None}, environ={"SAYSO_ROUNDS": ""}, folder=folder).rounds == 5


def test_other_variables_are_left_alone(tmp_path):
    environ = {"SAYSO_HOME": "/somewhere", "SAYSO_DEBUG": "1", "ROUNDS": "9"}

    assert read_settings(environ=environ, folder=tmp_path) == Settings()


def test_without_arguments_the_working_folder_and_the_environment_are_read(toml, monkeypatch):
    monkeypatch.chdir(toml("rounds = 5\n"))
    monkeypatch.setenv("SAYSO_POOL", "7")

    found = read_settings()

    assert (found.rounds, found.pool) == (5, 7)


@pytest.mark.parametrize(
    ("flags", "environ", "file", "words"),
    [
        pytest.param({"rounds": 0}, {}, "", ("the command line", "rounds", "0"), id="flag"),
        pytest.param({}, {"SAYSO_ROUNDS": "many"}, "", ("the environment", "rounds", "many"), id="variable"),
        pytest.param({}, {}, "seconds = -1", (FILE, "seconds", "-1"), id="file"),
        pytest.param({}, {}, "colour = 1", (FILE, "colour", "embeddings", "pool", "rounds, seconds"), id="unknown"),
        pytest.param({}, {}, "rounds = ", (FILE, "TOML"), id="not TOML"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_error_that_names_its_source(flags, environ, file, words, toml):
    folder = toml(file)

    with pytest.raises(ConfigurationError) as raised:
        read_settings(flags, environ=environ, folder=folder)

    assert all(word in str(raised.value) for word in words)


def test_a_bad_value_is_reported_though_a_stronger_source_would_replace_it(toml):
    with pytest.raises(ConfigurationError, match="rounds"):
        read_settings({"rounds": 2}, environ={"SAYSO_ROUNDS": "99"}, folder=toml(""))


def test_settings_do_not_change_once_read():
    with pytest.raises(ValidationError):
        Settings().rounds = 4


def test_the_budget_is_what_was_configured():
    budget = Settings(rounds=2, seconds=5, pool=9).budget

    assert budget == Budget(rounds=2, seconds=5.0, pool=9)


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e999"])
def test_a_budget_without_end_is_refused(seconds, tmp_path):
    with pytest.raises(ConfigurationError, match="seconds"):
        read_settings(environ={"SAYSO_SECONDS": seconds}, folder=tmp_path)


def test_a_file_that_cannot_be_read_is_a_configuration_error(toml, monkeypatch):
    folder = toml("rounds = 5\n")

    def refused(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_text", refused)

    with pytest.raises(ConfigurationError, match=r"sayso\.toml: cannot be read: Permission denied"):
        read_settings(environ={}, folder=folder)


def test_embeddings_are_named_by_service_or_factory(toml):
    folder = toml('embeddings = "openai:text-embedding-3-small"\n')

    assert read_settings(environ={}, folder=folder).embeddings == "openai:text-embedding-3-small"
    with pytest.raises(ConfigurationError, match="embeddings"):
        read_settings({"embeddings": "openai"}, environ={}, folder=folder)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:11434", "ftp://host/v1", "http://", "http://ana:sesame@", "http://ho st/v1",
        "http://host:port/v1", "http://host:0/v1", "http://host:99999/v1", "http://[::1/v1",
        "http://ana:open/sesame@host/v1", "http://host/v1\n",
    ],
)  # fmt: skip
def test_an_address_that_no_client_could_use_is_refused_without_repeating_it(address, tmp_path):
    with pytest.raises(
        ConfigurationError, match=r"environment: base_url: expected .*http://localhost:11434/v1"
    ) as raised:
        read_settings(environ={"OPENAI_BASE_URL": address}, folder=tmp_path)

    assert "sesame" not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:11434/v1", "https://api.example/v1/", "http://[::1]:8080/v1",
        "http://ana:sesame@host/v1", "https://host/openai?api-version=1", "http://bücher.example/v1",
    ],
)  # fmt: skip
def test_an_address_of_a_server_is_taken_as_it_is(address, tmp_path):
    assert read_settings({"base_url": address}, environ={}, folder=tmp_path).base_url == address
