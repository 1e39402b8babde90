import json

import pytest

from sayso.reasoning.tracing import traces_go_to

ON = {"LANGSMITH_TRACING": "true"}
USUAL = "api.smith.langchain.com"
SEVERAL = {"https://one.example/api": "key-1", "https://two.example": "key-2"}
LISTED = [{"api_url": "https://one.example", "api_key": "k"}, {"no": "url"}]


@pytest.mark.parametrize(
    ("environ", "host"),
    [
        pytest.param({}, None, id="off"),
        pytest.param({"LANGSMITH_TRACING": "false"}, None, id="false"),
        pytest.param({"LANGSMITH_API_KEY": "k"}, None, id="a key alone"),
        pytest.param(ON, USUAL, id="on"),
        pytest.param({"LANGCHAIN_TRACING_V2": "true"}, USUAL, id="by its older name"),
        pytest.param(ON | {"LANGSMITH_ENDPOINT": ""}, USUAL, id="an empty address"),
        pytest.param(ON | {"LANGCHAIN_ENDPOINT": "http://own.example/x"}, "own.example", id="own"),
        pytest.param(ON | {"LANGSMITH_ENDPOINT": "'http://own.example'"}, "own.example", id="quoted"),
        pytest.param(ON | {"LANGSMITH_ENDPOINT": "ana:secret@own.example"}, "own.example", id="secret"),
        pytest.param(
            ON | {"LANGSMITH_ENDPOINT": "http://[::1"}, "a host whose address cannot be read",
            id="unreadable",
        ),
        pytest.param(
            ON | {"LANGSMITH_RUNS_ENDPOINTS": json.dumps(SEVERAL)}, "one.example and two.example",
            id="several",
        ),
        pytest.param(
            ON | {"LANGSMITH_RUNS_ENDPOINTS": json.dumps(LISTED)}, "one.example", id="a list",
        ),
        pytest.param(ON | {"LANGSMITH_RUNS_ENDPOINTS": "{"}, USUAL, id="several, unreadable"),
    ],
)  # fmt: skip
def test_the_hosts_of_traces_are_told_by_langsmiths_own_variables(environ, host):
    assert traces_go_to(environ) == host
