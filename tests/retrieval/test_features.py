from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.core.models import Plan
from sayso.retrieval import features
from sayso.retrieval.features import CROSSED, DETAIL, NAMES, SCREEN
from sayso.retrieval.index import Index, Surface, build_index, build_surface
from sayso.retrieval.retriever import Probes
from sayso.weights import Form

START = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
SESSION = (0, 0, 0, 0, 1, 1, 2)
TEXTS = (
    "red kayak on the lake",
    "what?!",
    "a lake house",
    "did you keep the kayak",
    "the kayak is gone",
    "red paint everywhere",
    "lake",
)
WINDOW = (-2, -1, 0, 1, 2)


@pytest.fixture
def index(make_chat, word_bags) -> Index:
    said = [
        (("Ana", "Bo")[i % 2], text, START + timedelta(hours=9 * s, minutes=i))
        for i, (text, s) in enumerate(zip(TEXTS, SESSION, strict=True))
    ]
    return build_index(make_chat(*said), word_bags)


@pytest.fixture
def columns(word_bags):
    """Every feature of every message by name."""

    def made(index: Index, query: str, **fields: object) -> dict[str, np.ndarray]:
        plan = Plan.model_validate({"intent": "fact", "queries": [query], **fields})
        (probe,) = Probes(word_bags).of([query])
        wanted = features.sought(plan, query, probe, index.surface)
        met = features.meet(index, wanted)
        cheap = features.screen(index, wanted, met)
        dear = features.detail(index, wanted, met, np.arange(index.size))
        assert cheap.shape == (index.size, len(SCREEN))
        assert dear.shape == (index.size, len(DETAIL))
        return dict(zip(NAMES, np.concatenate([cheap, dear], axis=1).T, strict=True))

    return made


def beside(i: int, offsets: tuple[int, ...]) -> list[int]:
    at = [i + o for o in offsets if 0 <= i + o < len(SESSION)]
    return [j for j in at if SESSION[j] == SESSION[i]]


def test_word_scores_are_the_best_matches_of_the_neighbourhood_within_the_session(
    index, columns, word_bags
):
    query = word_bags.encode_queries(["red lake house"]).tokens.astype(np.float64) / 127
    starts = index.meaning.starts
    best = np.zeros((len(TEXTS), len(query)))
    for i in range(len(TEXTS)):
        tokens = index.meaning.tokens[starts[i] : starts[i + 1]].astype(np.float64) / 127
        best[i] = [max(float(t @ q) for t in tokens) for q in query]

    found = columns(index, "red lake house")

    for name, offsets in (("words", (0,)), ("pair_words", (-1, 0)), ("window_words", WINDOW)):
        expected = []
        for i in range(len(TEXTS)):
            near = best[beside(i, offsets)]
            # An absent neighbour is like nothing: it counts as 0 where the others are below.
            absent = np.zeros((len(offsets) - len(near), len(query)))
            expected.append(np.concatenate([near, absent]).max(axis=0).mean())
        assert found[name] == pytest.approx(expected, abs=1e-4), name


def test_neighbourhood_cosines_are_those_with_the_sum_of_the_vectors(index, columns, word_bags):
    query = word_bags.encode_queries(["kayak lake"]).vectors[0]
    v = index.meaning.vectors

    found = columns(index, "kayak lake")

    for name, offsets in (("pair_cosine", (-1, 0)), ("window_cosine", WINDOW)):
        sums = [sum(v[j] for j in beside(i, offsets)) for i in range(len(TEXTS))]
        expected = [float(query @ s) / np.linalg.norm(s) for s in sums]
        assert found[name] == pytest.approx(expected, abs=1e-4), name


def test_some_rows_have_the_features_that_all_of_them_have(index, word_bags):
    plan = Plan(intent="fact", queries=("red kayak",), people=("Ana",))
    (probe,) = Probes(word_bags).of(["red kayak"])
    wanted = features.sought(plan, "red kayak", probe, index.surface)
    met = features.meet(index, wanted)

    every = features.detail(index, wanted, met, np.arange(index.size))
    some = features.detail(index, wanted, met, np.asarray([1, 4, 6]))

    assert some == pytest.approx(every[[1, 4, 6]], abs=1e-6)


def test_the_person_asked_about_counts_for_their_messages_and_against_the_others(index, columns):
    assert columns(index, "kayak", people=["Bo"])["by_person"].tolist() == [-1, 1, -1, 1, -1, 1, -1]
    assert set(columns(index, "kayak", people=["Bo", "Ana"])["by_person"]) == {0}
    assert set(columns(index, "kayak", people=["Zoe"])["by_person"]) == {0}


def test_of_several_people_named_in_a_group_each_counts(make_chat, word_bags, columns):
    said = [(who, "kayak", START) for who in ("Ana", "Bo", "Zoe", "Ana")]
    group = build_index(make_chat(*said), word_bags)

    assert columns(group, "kayak", people=["Bo", "Ana"])["by_person"].tolist() == [1, 1, -1, 1]
    assert columns(group, "kayak", people=["Bo", "Uli"])["by_person"].tolist() == [-1, 1, -1, -1]
    assert set(columns(group, "kayak", people=["Zoe", "Bo", "Ana"])["by_person"]) == {0}


def test_nearness_to_the_window_falls_over_ten_days(make_chat, word_bags, columns):
    days = (-12, -5, 0, 1, 2, 6)
    index = build_index(
        make_chat(*(("Ana", f"note {d}", START + timedelta(days=d)) for d in days)), word_bags
    )
    window = {"since": START, "until": START + timedelta(days=1)}

    near = columns(index, "note", **window)["near_date"]

    assert near == pytest.approx([0, 0.5, 1, 1, 0.9, 0.5], abs=1e-6)
    assert set(columns(index, "note")["near_date"]) == {0}


def test_a_message_that_speaks_of_a_day_in_the_window_is_marked_whenever_it_was_sent(
    make_chat, word_bags, columns
):
    eighth = datetime(2024, 5, 8, 10, 0, tzinfo=UTC)
    index = build_index(
        make_chat(
            ("Ana", "saw a flat yesterday", eighth),
            ("Bo", "saw a flat today", eighth + timedelta(minutes=1)),
            ("Ana", "saw a flat", eighth + timedelta(minutes=2)),
            ("Bo", "it was on 7 May", eighth + timedelta(days=90)),
        ),
        word_bags,
    )
    window = {"since": datetime(2024, 5, 7, tzinfo=UTC), "until": datetime(2024, 5, 8, tzinfo=UTC)}

    assert columns(index, "flat", **window)["spoken_date"].tolist() == [1, 0, 0, 1]
    assert columns(index, "flat", since=window["since"])["spoken_date"].tolist() == [1, 1, 0, 1]
    assert set(columns(index, "flat")["spoken_date"]) == {0}


def test_a_member_of_the_category_speaks_for_its_message_and_its_neighbours(
    make_chat, word_bags, columns
):
    index = build_index(
        make_chat(("Ana", "so?"), ("Bo", "tennis"), ("Ana", "nice"), ("Bo", "bye")), word_bags
    )

    found = columns(index, "Which sports are there?")

    assert found["in_category"].tolist() == [0, 1, 0, 0]
    assert found["near_category"].tolist() == [1, 0, 1, 0]


def test_features_of_a_chat_without_vectors_are_finite(make_chat, word_bags, columns):
    index = build_index(make_chat(("Ana", "?!"), ("Bo", "…")), word_bags)

    found = columns(index, "kayak")

    assert all(np.isfinite(column).all() for column in found.values())


@pytest.mark.parametrize("seconds", [1, 3600, 24 * 3600], ids=["a second", "an hour", "a day"])
def test_a_window_that_ends_within_a_day_holds_that_day(seconds, make_chat, word_bags, columns):
    # "yesterday", said on the 7th, is the 6th.
    said = ("Ana", "the boiler broke yesterday", datetime(2024, 5, 7, 9, 0, tzinfo=UTC))
    since = datetime(2024, 5, 6, tzinfo=UTC)
    of = build_index(make_chat(said), word_bags)

    found = columns(of, "boiler", since=since, until=since + timedelta(seconds=seconds))

    assert found["spoken_date"].tolist() == [1.0]


def test_a_window_that_ends_at_midnight_does_not_hold_the_next_day(make_chat, word_bags, columns):
    said = ("Ana", "the boiler broke yesterday", datetime(2024, 5, 7, 9, 0, tzinfo=UTC))
    midnight = datetime(2024, 5, 6, tzinfo=UTC)
    of = build_index(make_chat(said), word_bags)

    found = columns(of, "boiler", since=midnight - timedelta(days=1), until=midnight)

    assert found["spoken_date"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("query", "length"),
    [
        pytest.param("", -0.288, id="no term"),
        pytest.param("kayak", -0.288, id="one term"),
        pytest.param("red kayak lake", -0.288, id="few terms"),
        pytest.param("red kayak lake violin", 0.0, id="a usual number of terms"),
        pytest.param("red kayak lake violin " * 20, 1.012, id="many terms"),
        pytest.param("北京吃饭喝茶", -0.288, id="a short question of characters"),
        pytest.param("北京吃饭喝茶" * 2, 0.405, id="a longer one"),
    ],
)
def test_a_query_is_long_or_short_within_bounds(query, length, index, word_bags):
    (probe,) = Probes(word_bags).of([query])
    plan = Plan.model_validate({"intent": "fact", "queries": [query]})

    assert features.sought(plan, query, probe, index.surface).length == pytest.approx(
        length, abs=0.001
    )


@pytest.mark.parametrize("people", [("Ana", "Bo"), ("Ana", "Bo", "Cleo")])
@pytest.mark.parametrize(("intent", "listed"), [("fact", 0.0), ("list", 1.0)])
def test_features_are_crossed_with_what_query_and_chat_are_like_and_with_what_is_left_uncovered(
    intent, listed, people, make_chat, word_bags
):
    surface = build_surface(make_chat(*((who, "kayak") for who in people)))
    query = "red kayak lake"
    (probe,) = Probes(word_bags).of([query])
    plan = Plan.model_validate({"intent": intent, "queries": [query]})
    found = np.arange(2 * len(NAMES), dtype=np.float32).reshape(2, -1)
    found[:, NAMES.index("window_covered")] = 0.5, 0.75

    crossed = features.crossed(found, features.sought(plan, query, probe, surface))

    assert crossed.shape == (2, len(CROSSED))
    for name, column in zip(CROSSED, crossed.T, strict=True):
        kinds = {
            "asked_long_": np.log(3 / 4),
            "asked_list_": listed,
            "uncovered_": 0.25,
            "among_many_": float(len(people) > 2),
        }
        (kind,) = [k for k in kinds if name.startswith(k)]
        by, of = kinds[kind], name.removeprefix(kind)
        assert column == pytest.approx(by * found[:, NAMES.index(of)])


def test_a_development_is_told_by_its_plan(index, word_bags):
    (probe,) = Probes(word_bags).of(["kayak"])
    plans = [Plan.model_validate({"intent": i, "queries": ["kayak"]}) for i in ("arc", "list")]

    told = [features.sought(p, "kayak", probe, index.surface) for p in plans]
    assert [one.develops for one in told] == [True, False]


def asked_for(word_bags, surface: Surface, query: str) -> features.Sought:
    plan = Plan.model_validate({"intent": "fact", "queries": [query]})
    (probe,) = Probes(word_bags).of([query])
    return features.sought(plan, query, probe, surface)


def test_a_form_is_the_product_of_both_vectors_with_its_matrix(index, word_bags):
    drawn = np.random.default_rng(5)
    left, right = drawn.normal(size=(2, word_bags.dimensions, 3))
    query, rows = asked_for(word_bags, index.surface, "red kayak"), np.asarray([0, 3, 5])

    found = features.bilinear(index.meaning, query, rows, Form.of(left, right))

    expected = query.probe.vectors[0] @ left @ right.T @ index.meaning.vectors[rows].T
    assert found == pytest.approx(expected, abs=0.05)
    assert not features.bilinear(index.meaning, query, rows, None).any()


def test_a_form_reads_vectors_as_far_as_they_are_from_the_mean_of_the_chat(index, word_bags):
    vectors = index.meaning.vectors
    centre = vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors - centre, axis=1)
    lengths[2] = np.inf  # not embedded yet
    meaning = replace(index.meaning, centre=centre, lengths=lengths)
    drawn = np.random.default_rng(6)
    left, right = drawn.normal(size=(2, word_bags.dimensions, 3))
    query, rows = asked_for(word_bags, index.surface, "red kayak"), np.asarray([0, 2, 5])

    found = features.bilinear(meaning, query, rows, Form.of(left, right))

    away = query.probe.vectors[0] - centre
    away /= np.linalg.norm(away)
    beside = (vectors[rows] - centre) / lengths[rows, None]
    assert found == pytest.approx(away @ left @ right.T @ beside.T, abs=0.05)
    assert found[1] == 0.0
