"""A trail as a row holds it: everything that scores are made of, without the feature tables.

A search gives some forty features to each of up to 250 messages and the trail names a message up
to three times, so a whole trail takes a hundred times the room of what is read from it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sayso.core.models import Candidate, Graded
from sayso.core.trail import Trail

# A rank or a cut is never decided by what is beyond.
_DIGITS = 6
_WITH_FEATURES = 3

Record = dict[str, Any]  # a JSON object


def trail_record(trail: Trail) -> Record:
    """The trail as JSON holds it, in camelCase.

    ``ranking`` and each of ``rounds`` are ids and scores, best first; ``graded`` are ids with
    relevance and reason, and for the three best that are cited the ``features`` that are not 0.
    All else is whole.
    """
    whole = trail.model_dump(by_alias=True, mode="json", exclude={"ranking", "rounds", "graded"})
    cited = [one.local_id for one in trail.graded if one.local_id in trail.answer.local_ids]
    told = set(cited[:_WITH_FEATURES])
    return {
        **whole,
        "ranking": _found(trail.ranking),
        "rounds": [
            {"plan": r.plan.model_dump(by_alias=True, mode="json"), **_found(r.candidates)}
            for r in trail.rounds
        ],
        "graded": [_grade(one, with_features=one.local_id in told) for one in trail.graded],
    }


def read_trail(record: Mapping[str, Any]) -> Trail:
    """The trail that a record holds, features left out; ValueError where it holds none.

    Every score comes out of it as it came out of the trail that was written.
    """
    chat_id = record["question"]["chatId"]
    grades = [
        {
            "candidate": _candidate(chat_id, one["localId"], 0.0, one.get("features", {})),
            "relevance": one["relevance"],
            "why": one.get("why", ""),
        }
        for one in record["graded"]
    ]
    rounds = [{"plan": r["plan"], "candidates": _candidates(chat_id, r)} for r in record["rounds"]]
    return Trail.model_validate(
        {
            **record,
            "ranking": _candidates(chat_id, record["ranking"]),
            "rounds": rounds,
            "graded": grades,
        }
    )


def _candidates(chat_id: str, found: Mapping[str, Any]) -> list[Record]:
    pairs = zip(found["localIds"], found["scores"], strict=True)
    return [_candidate(chat_id, local_id, score, {}) for local_id, score in pairs]


def _candidate(chat_id: str, local_id: int, score: float, why: Mapping[str, float]) -> Record:
    return {"chatId": chat_id, "localId": local_id, "score": score, "why": dict(why)}


def _found(candidates: Sequence[Candidate]) -> Record:
    return {
        "localIds": [c.local_id for c in candidates],
        "scores": [round(c.score, _DIGITS) for c in candidates],
    }


def _grade(one: Graded, *, with_features: bool) -> Record:
    record: Record = {"localId": one.local_id, "relevance": round(one.relevance, _DIGITS)}
    if one.why:
        record["why"] = one.why
    if with_features:
        record["features"] = {n: v for n, v in one.candidate.why.items() if v}
    return record
