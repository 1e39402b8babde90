from datetime import UTC, date, datetime

import pytest

from eval.metrics import GroundedClaim, Source, citation_validity, groundedness

SENT = datetime(2023, 5, 8, 19, 4, tzinfo=UTC)  # a Monday
PEOPLE = ("Emi", "Elise", "小明")


def source(text: str = "", *, sender: str = "Emi", **more) -> Source:
    return Source(text=text, sent_at=SENT, sender=sender, **more)


def grounded(text: str, *sources: Source) -> bool:
    value = groundedness([GroundedClaim(text, sources)], abstained=False, participants=PEOPLE)
    assert value in (0.0, 1.0)
    return value == 1.0


@pytest.mark.parametrize(
    ("verified", "cited", "value"),
    [(3, 4, 0.75), (4, 4, 1.0), (0, 2, 0.0), (0, 0, None)],
)
def test_citation_validity_by_hand(verified, cited, value):
    assert citation_validity(verified, cited) == value


@pytest.mark.parametrize(("verified", "cited"), [(3, 2), (-1, 2), (1, 0)])
def test_more_verified_than_cited_is_refused(verified, cited):
    with pytest.raises(ValueError, match=f"{verified} of {cited}"):
        citation_validity(verified, cited)


def test_groundedness_is_the_share_of_claims_that_are_borne_out():
    claims = [
        GroundedClaim("Emi bought two cats.", (source("got 2 cats!"),)),
        GroundedClaim("Emi bought three cats.", (source("got 2 cats!"),)),
        GroundedClaim("Emi bought two cats."),
        GroundedClaim("It was fun.", (source("lovely"),)),
    ]

    assert groundedness(claims, abstained=False, participants=PEOPLE) == 0.5


def test_an_uncited_claim_counts_0_even_where_it_names_nothing():
    assert groundedness([GroundedClaim("it was fun")], abstained=False) == 0.0


def test_an_answer_without_claims_scores_0_and_only_abstention_is_undefined():
    assert groundedness([], abstained=False) == 0.0
    assert groundedness([], abstained=True) is None
    assert groundedness([GroundedClaim("x", (source("x"),))], abstained=True) is None


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("Emi went.", id="the sender"),
        pytest.param("小明 left", id="a participant in the text"),
        pytest.param("They saw Tom's dog", id="a name in the text, in lower case"),
        pytest.param("They sent a photo of Lisbon", id="a name in the caption"),
        pytest.param("Em's friend", id="an alias"),
        pytest.param("There were 3 trams", id="digits for a word"),
        pytest.param("There were four boats", id="a word for digits"),
        pytest.param("It cost 1200", id="thousands"),
        pytest.param("Sent on 8 May 2023 at 19:04", id="when it was sent"),
        pytest.param("Sent at 7:04 pm on Monday", id="weekday and time of sending"),
        pytest.param("It was on 2023-05-07", id="a resolved date"),
        pytest.param("It was on Sunday, May 7th", id="a resolved date said in another way"),
        pytest.param("It was in May, in 2023", id="month and year of a date"),
        pytest.param("The party is on 12 June", id="a date in the text"),
        pytest.param("The party is on 2023-06-12", id="a date in the text, in full"),
        pytest.param("They meet at 18:30", id="a time in the text"),
        pytest.param("so it goes", id="nothing to bear out"),
    ],
)
def test_a_claim_is_borne_out_by_the_messages_it_cites(claim):
    cited = source(
        "yesterday with tom and 小明: three trams, 4 boats, 1,200 euros. Party June 12, 6:30pm",
        caption="a view over Lisbon",
        dates=frozenset({date(2023, 5, 7)}),
        aliases=("Em",),
    )

    assert grounded(claim, cited)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("Elise went.", id="another participant"),
        pytest.param("They met Tomas", id="a longer name"),
        pytest.param("They met Maya", id="another name"),
        pytest.param("There were 5 trams", id="another number"),
        pytest.param("There were 30 trams", id="a number that only begins alike"),
        pytest.param("There were 7 trams", id="a number that is only a resolved day"),
        pytest.param("It was on 9 May 2023", id="another day"),
        pytest.param("It was on 7 May 2022", id="another year"),
        pytest.param("It was on Friday", id="another weekday"),
        pytest.param("It was in April", id="another month"),
        pytest.param("It was at 18:00", id="another time"),
    ],
)
def test_a_claim_that_says_more_than_it_cites_is_not(claim):
    cited = source("yesterday with tom, three trams", dates=frozenset({date(2023, 5, 7)}))

    assert not grounded(claim, cited)


def test_the_cited_messages_bear_a_claim_out_together():
    emi, elise = source("off to Porto"), source("took two weeks", sender="Elise")

    assert grounded("Emi told Elise about two weeks in Porto", emi, elise)
    assert not grounded("Emi told Elise about two weeks in Porto", emi)


def test_a_leap_day_said_in_a_year_without_one_is_no_exception():
    assert grounded("It was on 29 February", source("29 Feb!"))
    assert not grounded("It was on 29 February 2024", source("29 Feb!"))
