from datetime import UTC, datetime, timedelta
from math import exp, log

from sayso.core.chat import Chat, Message
from sayso.core.models import Aspect, Candidate, Filter, Plan
from sayso.core.pooling import expand, gather, merge

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)


def message(local_id: int, *, minutes: int, sender: str = "Ana", reply_to: int | None = None):
    sent_at = START + timedelta(minutes=minutes)
    return Message(local_id=local_id, sender=sender, sent_at=sent_at, text="x", reply_to=reply_to)


# localId 5 was added by a later import and stands second in message order.
CHAT = Chat(
    chat_id="c",
    title="c",
    platform="invented",
    messages=(
        message(1, minutes=0),
        message(5, minutes=1, sender="Bo", reply_to=1),
        message(2, minutes=2, sender="Bo", reply_to=1),
        message(3, minutes=3, reply_to=99),
        message(4, minutes=4, sender="Bo", reply_to=2),
    ),
)
PLAN = Plan(intent="fact", queries=("x",))


def found(local_id: int, score: float, **why: float) -> Candidate:
    return Candidate(chat_id="c", local_id=local_id, score=score, why=why)


def ids(candidates) -> list[int]:
    return [c.local_id for c in candidates]


def test_merging_keeps_each_message_at_its_best_score():
    merged = merge(CHAT, [[found(1, 0.2), found(2, 0.9)], [found(1, 0.5), found(3, 0.4)]])

    assert [(c.local_id, c.score) for c in merged] == [(2, 0.9), (1, 0.5), (3, 0.4)]


def test_equal_scores_stand_in_message_order():
    assert ids(merge(CHAT, [[found(2, 0.5), found(5, 0.5), found(1, 0.5)]])) == [1, 5, 2]


def test_merging_nothing_gives_nothing():
    assert merge(CHAT, []) == ()
    assert merge(CHAT, [[], []]) == ()


def test_what_a_hit_replies_to_joins_behind_it():
    pool = expand(CHAT, PLAN, [found(4, -1.0, own=0.7)])

    assert ids(pool) == [4, 2]
    assert pool[1].score < -1.0
    assert pool[1].why["linked_to"] == 4


def test_replies_to_a_hit_join():
    assert set(ids(expand(CHAT, PLAN, [found(1, -1.0)]))) == {1, 5, 2}


def test_a_message_that_was_found_keeps_its_own_score():
    pool = expand(CHAT, PLAN, [found(1, -1.0), found(2, -1.1), found(5, -1.2)])

    assert {c.local_id: c.score for c in pool if c.local_id != 4} == {1: -1.0, 2: -1.1, 5: -1.2}


def test_a_reply_to_a_message_that_is_not_there_adds_nothing():
    assert ids(expand(CHAT, PLAN, [found(3, -1.0)])) == [3]


def test_only_messages_within_the_limits_join():
    by_ana = PLAN.model_copy(update={"limits": Filter(senders=("Ana",))})
    early = PLAN.model_copy(update={"limits": Filter(until=START + timedelta(minutes=2))})

    assert ids(expand(CHAT, by_ana, [found(1, -1.0)])) == [1]
    assert ids(expand(CHAT, early, [found(1, -1.0)])) == [1, 5]


def test_expanding_nothing_gives_nothing():
    assert expand(CHAT, PLAN, []) == ()


def test_a_plan_without_aspects_is_searched_as_it_stands():
    def search(plan: Plan, k: int):
        return (found(1, -0.1), found(2, -2.0))[:k]

    assert ids(gather(CHAT, search, PLAN, 1)) == [1]


def test_aspects_share_half_a_say_each_and_keep_the_marks_of_the_question():
    asked: list[Plan] = []

    def search(plan: Plan, k: int):
        asked.append(plan)
        if plan.queries == ("x",):
            return (found(1, log(0.6), own=1.0), found(2, log(0.4), own=0.5))
        return (found(2, log(0.9), own=7.0), found(3, log(0.1), own=3.0))

    aspect = Aspect(kind="person", text="y", people=("Bo",))
    pooled = gather(CHAT, search, PLAN.model_copy(update={"aspects": (aspect,)}), 10)

    # (0.4 + 0.45) / 1.5, 0.6 / 1.5, 0.05 / 1.5
    assert [(c.local_id, round(exp(c.score), 4)) for c in pooled] == [
        (2, 0.5667), (1, 0.4), (3, 0.0333),
    ]  # fmt: skip
    assert [c.why["own"] for c in pooled] == [0.5, 1.0, 3.0]
    assert [(p.queries, p.people, p.aspects) for p in asked[1:]] == [(("y",), ("Bo",), ())]
