import click
import pytest
from click.testing import CliRunner

from eval.terms import fitted_on, terms_option

ARCS = {"data": "mine", "licence": "own", "cases": 3, "groups": ["arc"]}
QUESTIONS = {"data": "mine", "licence": "lent", "cases": 9, "groups": ["ranking", "relevance"]}


@click.command()
@terms_option
def told(terms: dict[str, str]) -> None:
    click.echo(str(terms))


def test_terms_are_read_by_name_and_may_hold_the_sign_themselves():
    done = CliRunner().invoke(told, ["--data", "mine=my own", "--data", "open = a=b"])

    assert done.output == "{'mine': 'my own', 'open': 'a=b'}\n"


@pytest.mark.parametrize("given", ["mine", "=own", "mine=", " = "])
def test_terms_without_a_name_or_without_terms_are_refused(given):
    done = CliRunner().invoke(told, ["--data", given])

    assert done.exit_code == 2
    assert f"{given!r}: expected NAME=TERMS" in done.output


def test_terms_that_are_not_told_again_stay_those_of_the_same_groups_first():
    for present in ([ARCS, QUESTIONS], [QUESTIONS, ARCS]):
        made = fitted_on({"mine": 4, "new": 2}, ["ranking"], {}, present)

        assert made == [
            {"data": "mine", "licence": "lent", "cases": 4, "groups": ["ranking"]},
            {"data": "new", "licence": "not stated", "cases": 2, "groups": ["ranking"]},
        ]
        assert fitted_on({"mine": 4}, ["arc"], {}, present)[0]["licence"] == "own"
        assert fitted_on({"mine": 4}, ["arc"], {"mine": "sold"}, present)[0]["licence"] == "sold"
