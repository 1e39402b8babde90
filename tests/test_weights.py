import json

import pytest

from sayso.errors import ConfigurationError
from sayso.retrieval.features import NAMES
from sayso.weights import SHIPPED, read_weights, shipped_weights


def test_the_shipped_weights_cover_every_feature_and_say_what_they_were_fitted_on():
    weights = shipped_weights()

    assert set(weights.ranking) == set(NAMES)
    assert weights.fitted_on
    assert all(f.data and f.licence and f.cases > 0 for f in weights.fitted_on)
    assert 0 < weights.cuts["abstain"] < 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{}", id="without fields"),
        pytest.param("[1, 2]", id="no object"),
        pytest.param('{"version": ', id="cut off"),
        pytest.param(json.dumps({**json.loads(SHIPPED.read_text()), "colour": 1}), id="unknown field"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_an_error_that_names_it(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match=r"other\.json"):
        read_weights(path)


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ConfigurationError, match=r"other\.json"):
        read_weights(tmp_path / "other.json")
