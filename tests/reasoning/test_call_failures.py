import pytest

from sayso.reasoning.call_failures import Redaction, failure_of

PLAIN = Redaction()


def status(code: int, message: str) -> Exception:
    error = Exception(message)
    error.status_code = code
    return error


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("key my-secret-key!", "key [key]!"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [key]"),
        ("Incorrect API key provided: sk-abc***xyz.", "Incorrect API key provided: [key]"),
        ("http://ana:pass@host/v1 failed", "http://[key]@host/v1 failed"),
        ("a risk-free sketch", "a risk-free sketch"),
    ],
)
def test_secrets_are_taken_out_of_a_text(text, redacted):
    assert Redaction(["my-secret-key"])(text) == redacted


@pytest.mark.parametrize(
    "message",
    [
        "'response_format' of type 'json_schema' is not supported with this model",
        "registry.example/llama does not support tools",
        "Invalid schema for response_format 'Reply'",
        "failed to parse grammar",
        "This response_format type is unavailable now",
        "Unsupported parameter: tool_choice",
    ],
)
def test_what_servers_say_of_an_unknown_form_is_known(message):
    assert failure_of(status(400, message), PLAIN).of_form


@pytest.mark.parametrize("code", [401, 403, 429, 503])
def test_other_statuses_do_not_speak_of_the_form_whatever_they_say(code):
    assert not failure_of(status(code, "no json_schema for you"), PLAIN).of_form


@pytest.mark.parametrize(
    ("code", "again"),
    [(400, False), (401, False), (403, False), (404, False), (422, False),
     (408, True), (429, True), (500, True), (502, True), (529, True)],
)  # fmt: skip
def test_only_what_passes_is_tried_again(code, again):
    assert failure_of(status(code, "no"), PLAIN).again is again


def test_an_errors_cause_is_looked_at_too():
    error = ValueError("wrapped")
    error.__cause__ = status(429, "slow down")

    assert failure_of(error, PLAIN).kind == "http 429"


def test_a_warning_that_stands_before_an_error_does_not_hide_it():
    warning = UserWarning("this model does not support it")
    warning.__context__ = status(400, "'response_format' is not supported")

    failure = failure_of(warning, PLAIN)

    assert failure.kind == "http 400"
    assert failure.of_form


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("x"), "timeout"),
        (ConnectionResetError("x"), "connection"),
        (NotImplementedError(), "other"),
        (KeyError("Response missing 'choices' key: dict_keys([])"), "content type"),
        (ValueError("boom"), "other"),
    ],
)
def test_errors_without_a_status_are_told_apart(error, kind):
    assert failure_of(error, PLAIN).kind == kind
