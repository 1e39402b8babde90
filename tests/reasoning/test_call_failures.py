from typing import ClassVar

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
        (IndexError("list index out of range"), "content type"),
        (AttributeError("'list' object has no attribute 'model_dump'"), "content type"),
        (TypeError("got an unexpected keyword argument 'tools'"), "other"),
        (ValueError({"message": "model overloaded", "code": 503}), "http 503"),
        (ValueError({"message": "no such model", "code": "not_found"}), "other"),
    ],
)
def test_errors_without_a_status_are_told_apart(error, kind):
    assert failure_of(error, PLAIN).kind == kind


def test_an_error_that_came_with_status_200_is_told_in_the_servers_words():
    failure = failure_of(ValueError({"message": "model overloaded", "code": 503}), PLAIN)

    assert str(failure) == "the server answered 503: model overloaded"
    assert failure.again


def answered(code: int, body: object, text: str = "") -> Exception:
    """An exception as clients of HTTP raise it, which keep the reply's body and text."""

    class Response:
        headers: ClassVar[dict[str, str]] = {}

    error = status(code, f"Error code: {code}")
    error.body, error.response = body, Response()
    error.response.text = text
    return error


@pytest.mark.parametrize(
    ("body", "text", "told"),
    [
        ({"message": "no such model"}, "", "no such model"),
        ("no such model", "", "no such model"),
        ({"detail": "Not Found"}, "", "Not Found"),
        ({"error": "no such model"}, "", "no such model"),
        ({"error": {"message": "no such model"}}, "", "no such model"),
        (None, "upstream timed out", "upstream timed out"),
        (None, "<html>404</html>", "Error code: 404"),
        ({"strange": 1}, "", "Error code: 404"),
    ],
)
def test_the_servers_own_words_are_told_in_whatever_shape_they_come(body, text, told):
    assert str(failure_of(answered(404, body, text), PLAIN)).startswith(
        f"the server answered 404: {told} (is the model"
    )


def test_where_a_redirection_leads_is_told_without_what_may_be_secret_in_it():
    error = answered(308, None)
    error.response.headers = {"Location": "https://ana:sesame@host.example/v1?key=sesame"}

    told = str(failure_of(error, PLAIN))

    assert "leads to https://[key]@host.example/v1, which is not followed" in told
    assert "sesame" not in told


def test_a_failed_connection_is_told_with_what_the_system_said_of_it():
    error = ConnectionError("Connection error.")
    error.__cause__ = OSError()
    error.__cause__.__cause__ = OSError(111, "Connection refused")

    told = str(failure_of(error, PLAIN))

    assert told == "the connection failed: [Errno 111] Connection refused"


def test_a_page_in_place_of_a_completion_asks_for_the_address():
    told = str(failure_of(TypeError("Unexpected response type, got str: '<html>'"), PLAIN))

    assert told.startswith("the server's reply is not a completion: ")
    assert "does base_url end as the server has it" in told
