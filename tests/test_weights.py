import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from sayso.core.chat import Chat, Message
from sayso.core.models import Plan
from sayso.errors import ConfigurationError
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.retrieval.embedder import Encoded, MiniLM
from sayso.retrieval.features import NAMES, NOT_OF_ARCS, RANKING, SCREEN, sought
from sayso.retrieval.index import build_surface
from sayso.retrieval.retriever import check_weights
from sayso.weights import (
    AMONG_MANY,
    MOST,
    OF_PEOPLE,
    SHIPPED,
    TOGETHER,
    UNCOVERED,
    WHERE_COVERED,
    Form,
    Weights,
    naming,
    read_weights,
    shipped_weights,
)


def test_the_shipped_weights_cover_every_feature_of_both_stages():
    weights = shipped_weights()

    assert len(weights.of("screening", SCREEN)) == len(SCREEN)
    assert len(weights.of("ranking", RANKING)) == len(RANKING)
    for blind in ("", "_vectors", "_lexical"):
        assert set(weights.groups[f"screening{blind}"]) == set(SCREEN)
        assert set(weights.groups[f"ranking{blind}"]) == set(RANKING)
        assert set(weights.groups[f"ranking_arc{blind}"]) == set(NAMES) - NOT_OF_ARCS


def test_the_shipped_weights_say_what_they_were_fitted_on_and_what_licence_that_has():
    weights = shipped_weights()

    assert weights.version >= 2
    assert weights.fitted_on
    assert all(f.data and f.licence and f.cases > 0 for f in weights.fitted_on)


def test_a_group_comes_in_the_order_that_is_asked_for():
    weights = Weights(
        version=7, fitted_on=(), groups={"g": {"a": 1.0, "b": 2.0, "c": 3.0}}, cuts={}
    )

    assert weights.of("g", ("c", "a")) == (3.0, 1.0)
    assert weights.of("g", ()) == ()


@pytest.mark.parametrize("group", ["g", "nowhere"])
def test_a_weight_that_lacks_is_named_with_its_group_and_version(group):
    weights = Weights(version=7, fitted_on=(), groups={"g": {"a": 1.0}}, cuts={})

    with pytest.raises(
        ConfigurationError, match=rf"version 7.* no {group} weight for b, c;.*refit"
    ):
        weights.of(group, ("b", "c"))


def test_weights_that_lack_a_name_are_refused_with_the_file_they_come_from():
    weights = Weights(version=7, fitted_on=(), groups={}, cuts={})

    named = pytest.raises(ConfigurationError, match=r"mine\.json: .*version 7")

    with named, naming(Path("mine.json")):
        weights.of("g", ("a",))
    with pytest.raises(ConfigurationError, match=r"^the weights"), naming(None):
        weights.of("g", ("a",))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{}", id="without fields"),
        pytest.param("[1, 2]", id="no object"),
        pytest.param('{"version": ', id="cut off"),
        pytest.param(json.dumps({**json.loads(SHIPPED.read_text()), "colour": 1}), id="unknown field"),
        pytest.param(json.dumps({**json.loads(SHIPPED.read_text()), "cuts": {"a": "x"}}), id="no number"),
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


def chat_of(*people: str) -> Chat:
    sent_at = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
    messages = tuple(
        Message(local_id=i, sender=who, sent_at=sent_at, text="kayak")
        for i, who in enumerate(people, 1)
    )
    return Chat(
        chat_id="c", title="c", platform="invented", timezone="UTC",
        participants=people, messages=messages,
    )  # fmt: skip


def test_every_group_says_what_it_was_fitted_on():
    weights = shipped_weights()
    told = tuple(group for fitted in weights.fitted_on for group in fitted.groups)

    assert [name for name in weights.groups if not name.startswith(told)] == []


@pytest.mark.parametrize("blind", ["", "_vectors", "_lexical"])
@pytest.mark.parametrize("listed", [0.0, 1.0])
@pytest.mark.parametrize("terms", [1, 4, 40])
@pytest.mark.parametrize("people", [("Ana", "Bo"), ("Ana", "Bo", "Cleo")])
def test_sharing_words_with_any_kind_of_question_speaks_for_a_message(people, terms, listed, blind):
    weights = shipped_weights().groups[f"ranking{blind}"]
    plan = Plan.model_validate({"intent": "list" if listed else "fact", "queries": ["kayak"]})
    probe = Encoded.alone(np.zeros((1, 4)), np.zeros((0, 96), np.int8), np.zeros(1, np.int32))
    surface = build_surface(chat_of(*people))
    query = sought(plan, " ".join(f"kayak{i}" for i in range(terms)), probe, surface)

    # A word of a message stands in its pair, its window and its session, too; where words have
    # vectors, those of other messages are nearer to it than nothing.
    shares = {
        **dict.fromkeys(("own", "pair", "window", "session"), 1.0),
        **dict.fromkeys(("words", "pair_words", "window_words"), 0.4),
    }
    shared = sum(
        share
        * (
            weights[name]
            + query.length * weights.get(f"asked_long_{name}", 0.0)
            + query.asks_list * weights.get(f"asked_list_{name}", 0.0)
            + query.among_many * weights.get(f"{AMONG_MANY}_{name}", 0.0)
        )
        for name, share in shares.items()
    )

    assert query.asks_list == bool(listed)
    assert query.among_many == (len(people) > 2)
    assert shared > 0.5


def without_vectors(path: Path, *, but: str = "") -> Path:
    """The shipped file as it was before embedders without vectors of words had weights of their own."""
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    for part in ("groups", "cuts"):
        held[part] = {n: w for n, w in held[part].items() if "_vectors" not in n or n == but}
    path.write_text(json.dumps(held), encoding="utf-8")
    return path


def test_in_an_older_file_what_tells_an_answer_has_no_products(tmp_path):
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    by = (WHERE_COVERED, AMONG_MANY)
    for name in ("answerable", "answerable_vectors", "answerable_lexical"):
        group = held["groups"][name]
        held["groups"][name] = {n: w for n, w in group.items() if not n.endswith(by)}
    (tmp_path / "older.json").write_text(json.dumps(held), encoding="utf-8")

    weights, shipped = read_weights(tmp_path / "older.json"), shipped_weights()

    for name in ("answerable", "answerable_vectors", "answerable_lexical"):
        found = weights.groups[name]
        assert set(found) == set(shipped.groups[name])
        assert {w for n, w in found.items() if n.endswith(by)} == {0.0}
        assert found["top"] == shipped.groups[name]["top"]
    ExtractiveReasoner(weights)  # has all that it checks for


@pytest.mark.parametrize("kind", ["", "_vectors", "_lexical", "_read"])
def test_in_an_older_file_relevance_has_no_products(kind, tmp_path):
    name, by = f"relevance{kind}", (UNCOVERED, AMONG_MANY)
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    held["groups"][name] = {n: w for n, w in held["groups"][name].items() if not n.endswith(by)}
    (tmp_path / "older.json").write_text(json.dumps(held), encoding="utf-8")

    weights, shipped = read_weights(tmp_path / "older.json"), shipped_weights()

    found = weights.groups[name]
    assert set(found) == set(shipped.groups[name])
    assert {w for n, w in found.items() if n.endswith(by)} == {0.0}
    assert found["share"] == shipped.groups[name]["share"]
    ExtractiveReasoner(weights)  # has all that it checks for


def test_a_file_with_a_part_of_what_is_read_together_is_refused(tmp_path):
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    group = held["groups"]["relevance_read"]
    held["groups"]["relevance_read"] = {n: w for n, w in group.items() if n not in TOGETHER}
    (tmp_path / "older.json").write_text(json.dumps(held), encoding="utf-8")
    del group[TOGETHER[0]]
    held["groups"]["relevance_read"] = group
    (tmp_path / "part.json").write_text(json.dumps(held), encoding="utf-8")

    older = read_weights(tmp_path / "older.json")

    assert [older.groups["relevance_read"][name] for name in TOGETHER] == [0.0] * len(TOGETHER)
    with pytest.raises(ConfigurationError, match=f"no relevance_read weight for {TOGETHER[0]};"):
        ExtractiveReasoner(read_weights(tmp_path / "part.json"))


@pytest.mark.parametrize("kind", ["", "_vectors", "_lexical"])
@pytest.mark.parametrize(
    "lacked",
    [
        pytest.param((UNCOVERED,), id="of what is left uncovered"),
        pytest.param((AMONG_MANY, *OF_PEOPLE), id="of more than two people"),
        pytest.param((UNCOVERED, AMONG_MANY, *OF_PEOPLE), id="of both"),
    ],
)
def test_an_older_ranking_knows_nothing(lacked, kind, tmp_path):
    name = f"ranking{kind}"
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    group = held["groups"][name]
    held["groups"][name] = {n: w for n, w in group.items() if not n.startswith(lacked)}
    (tmp_path / "older.json").write_text(json.dumps(held), encoding="utf-8")

    weights, shipped = read_weights(tmp_path / "older.json"), shipped_weights()

    found = weights.groups[name]
    assert set(found) >= set(shipped.groups[name])
    assert {w for n, w in found.items() if n.startswith(lacked)} == {0.0}
    assert found["own"] == shipped.groups[name]["own"]
    check_weights(weights)


def test_what_developments_have_by_vectors_alone_stands_in_nobodys_way(tmp_path):
    older = without_vectors(tmp_path / "older.json", but="arc_absence_vectors")

    weights = read_weights(older)

    assert weights.groups["ranking_vectors"] == weights.groups["ranking"]
    assert "arc_absence_vectors" in weights.groups


def test_in_an_older_file_the_others_stand_in_where_words_have_no_vectors(tmp_path):
    weights = read_weights(without_vectors(tmp_path / "older.json"))

    # Developments do with the others where they have none of their own.
    own = {"arc_relevance_vectors", "arc_absence_vectors"}
    assert set(weights.groups) == set(shipped_weights().groups) - own
    assert set(weights.cuts) == set(shipped_weights().cuts) - {"arc_absent_vectors"}
    assert weights.groups["ranking_vectors"] == weights.groups["ranking"]
    assert weights.groups["relevance_vectors_read"] == weights.groups["relevance_read"]
    assert weights.cuts["abstain_vectors"] == weights.cuts["abstain"]
    ExtractiveReasoner(weights)


def test_a_file_with_some_of_these_groups_and_not_the_others_is_refused(tmp_path):
    part = without_vectors(tmp_path / "part.json", but="relevance_vectors")

    with pytest.raises(
        ConfigurationError, match=r"part\.json: .*groups\.answerable_vectors, cuts\.abstain_vectors"
    ):
        read_weights(part)


def test_what_an_older_file_weighs_and_nothing_has_any_more_is_passed_over(tmp_path):
    older = altered(tmp_path / "older.json", "groups", "ranking", "phrases", to=0.5)

    weights, shipped = read_weights(older), shipped_weights()

    assert weights.groups["ranking"]["phrases"] == 0.5
    assert weights.of("ranking", RANKING) == shipped.of("ranking", RANKING)
    ExtractiveReasoner(weights)


def test_a_form_comes_back_as_it_was_to_a_hundredth():
    drawn = np.random.default_rng(1)
    left, right = drawn.normal(size=(2, 6, 3))

    form = Form.of(left, right)

    whole = np.stack([form.turned(row) for row in np.eye(6, dtype=np.float32)])
    assert whole == pytest.approx(left @ right.T, abs=0.1)
    again = Form.model_validate(json.loads(json.dumps(form.model_dump(by_alias=True))))
    assert again == form


def test_a_form_of_nothing_speaks_for_nothing():
    form = Form.of(np.zeros((4, 2)), np.zeros((4, 2)))

    assert not form.turned(np.ones(4, np.float32)).any()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"left": "AAAA"}, "left holds 3 numbers, not 4 times 2", id="too short"),
        pytest.param({"right": "no*base64"}, "right is no base64", id="no base64"),
        pytest.param({"rank": 0}, "greater than 0", id="no rank"),
        pytest.param({"scale": "x"}, "number", id="no number"),
        pytest.param({"scale": float("nan")}, "finite", id="not finite"),
        pytest.param({"scale": 0.0}, "greater than 0", id="no scale"),
    ],
)
def test_a_form_that_is_none_is_refused_with_its_file(changed, said, tmp_path):
    form = Form.of(np.ones((4, 2)), np.ones((4, 2))).model_dump(by_alias=True)
    path = tmp_path / "mine.json"
    held = {**json.loads(SHIPPED.read_text()), "forms": {"other": {**form, **changed}}}
    path.write_text(json.dumps(held))

    with pytest.raises(ConfigurationError, match=rf"mine\.json.*{said}"):
        read_weights(path)


def test_the_shipped_form_is_for_the_embedder_that_comes_with_it():
    (held,) = [f for name, f in shipped_weights().forms.items() if name == MiniLM.name]

    assert held.dimensions == MiniLM.dimensions
    assert shipped_weights().groups["ranking"]["bilinear"] == 1.0


def test_a_ranking_from_before_forms_goes_without(tmp_path):
    held = json.loads(SHIPPED.read_text())
    del held["forms"]
    for name in ("ranking", "ranking_vectors", "ranking_lexical"):
        held["groups"][name].pop("bilinear", None)
    path = tmp_path / "older.json"
    path.write_text(json.dumps(held))

    read = read_weights(path)

    assert read.forms == {}
    assert read.of("ranking", RANKING)[RANKING.index("bilinear")] == 0.0
    assert "bilinear" not in read.groups["ranking_arc"]


def altered(path: Path, *place: str, to: object = None) -> Path:
    """The shipped file with another value in a place; without the place where it is None."""
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    at = held
    for key in place[:-1]:
        at = at[key]
    if to is None:
        del at[place[-1]]
    else:
        at[place[-1]] = to
    path.write_text(json.dumps(held), encoding="utf-8")
    return path


OWN = ("groups", "ranking", "own")
ABSTAIN = ("cuts", "abstain")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        pytest.param(OWN, float("nan"), "expected a finite number, found NaN", id="nan"),
        pytest.param(OWN, float("inf"), "expected a finite number, found Infinity", id="infinite"),
        pytest.param(OWN, 1e308, "expected less than or equal to 1000000, found 1e+308", id="huge"),
        pytest.param(OWN, -2e6, "expected greater than or equal to -1000000", id="far below"),
        pytest.param(OWN, "1.5", 'expected a number, found "1.5"', id="a text"),
        pytest.param(OWN, True, "expected a number, found true", id="a truth"),
        pytest.param(OWN, [[9] * 99], "expected a number, found a list", id="a list"),
        pytest.param(ABSTAIN, float("nan"), "expected a finite number, found NaN", id="cut nan"),
        pytest.param(ABSTAIN, float("-inf"), "a finite number, found -Infinity", id="cut infinite"),
        pytest.param(("cuts", "arc_most"), 0, "expected 1 or more, found 0", id="no message"),
        pytest.param(("version",), 0, "greater than or equal to 1, found 0", id="version 0"),
        pytest.param(("version",), True, "expected a whole number, found true", id="version true"),
        pytest.param(("version",), 1.5, "expected a whole number, found 1.5", id="half a version"),
        pytest.param(("groups",), [], "expected an object, found a list", id="no groups"),
        pytest.param(OWN, "9" * 400, f'found "{"9" * 39}…; compare', id="a long text"),
    ],
)
def test_a_number_that_is_none_is_refused_with_its_file_its_place_and_what_was_found(
    place, value, said, tmp_path
):
    path = altered(tmp_path / "mine.json", *place, to=value)

    with pytest.raises(ConfigurationError) as refused:
        read_weights(path)

    told = str(refused.value)
    assert told.startswith(f"{path}: not a weights file of this version: {'.'.join(place)}: ")
    assert said in told
    assert "https:" not in told


@pytest.mark.parametrize("scale", [1e38, 1e300, 2e6])
def test_a_form_beyond_what_float32_holds_is_refused(scale, tmp_path):
    (name,) = shipped_weights().forms
    path = altered(tmp_path / "mine.json", "forms", name, "scale", to=scale)

    with pytest.raises(ConfigurationError, match=r"scale: expected less than or equal to 1000000"):
        read_weights(path)


def test_the_largest_numbers_that_are_read_turn_no_vector_into_one_that_is_not_finite(tmp_path):
    (name,) = shipped_weights().forms
    path = altered(tmp_path / "mine.json", "forms", name, "scale", to=MOST)
    query = np.ones(MiniLM.dimensions, np.float32)

    turned = read_weights(path).forms[name].turned(query)

    assert np.isfinite(turned * np.float32(MOST)).all()


def test_a_form_that_is_none_is_told_without_its_numbers(tmp_path):
    (name,) = shipped_weights().forms
    path = altered(tmp_path / "mine.json", "forms", name, "left", to="AAAA" * 99)

    with pytest.raises(ConfigurationError) as refused:
        read_weights(path)

    assert f"forms.{name}: left holds 297 numbers, not 384 times 64" in str(refused.value)
    assert "AAAA" not in str(refused.value)


@pytest.mark.parametrize(
    "place",
    [
        *(("cuts", name) for name in ("abstain", "abstain_vectors", "recall_relevance_lexical")),
        *(("cuts", f"arc_{name}") for name in ("absent", "least", "most", "relevance", "unseen")),
        *(("groups", name) for name in ("arc_relevance", "arc_relevance_lexical", "arc_absence")),
        *(("groups", name) for name in ("phrases", "ranking", "relevance_lexical", "answerable")),
    ],
    ids=".".join,
)
def test_what_an_answer_cannot_do_without_is_missed_when_the_file_is_read(place, tmp_path):
    path = altered(tmp_path / "mine.json", *place)

    with pytest.raises(ConfigurationError, match=rf"mine\.json: .*: {'.'.join(place)} lacks;"):
        read_weights(path)


def test_all_that_lacks_is_named(tmp_path):
    path = altered(tmp_path / "mine.json", "cuts", to={"arc_most": 3})

    with pytest.raises(ConfigurationError, match=r"cuts\.abstain, .*, cuts\.arc_unseen lack;"):
        read_weights(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[" * 100_000, "no JSON of a usable depth", id="too deep"),
        pytest.param("{", "no JSON: Expecting", id="cut off"),
        pytest.param("[]", "the file: expected an object, found a list", id="a list"),
    ],
)
def test_a_file_that_is_no_json_object_says_so(text, said, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match=rf"mine\.json: .*{said}"):
        read_weights(path)
