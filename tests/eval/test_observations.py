import json

import pytest

from eval.case_files import read_cases
from eval.observations import observed
from sayso.errors import CaseError

RECORD = {
    "sample_id": "conv-1",
    "conversation": {"speaker_a": "Ana", "speaker_b": "Ben"},
    "qa": [{"question": "When did Ana move?", "evidence": ["D1:3"], "category": 2}],
    "observation": {
        "session_1_observation": {
            "Ana": [["Ana moved to Porto.", "D1:3"], ["Ana has two cats.", ["D1:4", "D1:6"]]],
            "Ben": [["Ben rows on Sundays.", "D1:5"]],
        }
    },
}


def _filed(folder, *records):
    path = folder / "chat.json"
    path.write_text(json.dumps(list(records) if len(records) > 1 else records[0]), "utf-8")
    return read_cases([path], "qa").cases


def test_each_observation_is_a_case_beside_its_chat(tmp_path):
    found = observed(_filed(tmp_path, RECORD))

    assert [(f.case.question, f.case.evidence) for f in found] == [
        ("Ana moved to Porto.", ("D1:3",)),
        ("Ana has two cats.", ("D1:4", "D1:6")),
        ("Ben rows on Sundays.", ("D1:5",)),
    ]
    assert len({f.case.case_id for f in found}) == 3
    assert {(f.case.chat, f.dataset, f.holds_chat) for f in found} == {("chat", "locomo", True)}


def test_of_several_conversations_in_a_file_each_keeps_its_own(tmp_path):
    other = {**RECORD, "sample_id": "conv-2", "observation": {"s": {"Cy": [["Cy swims.", "D2:1"]]}}}

    found = observed(_filed(tmp_path, RECORD, other))

    assert [(f.case.chat, f.case.question) for f in found if f.chat_within == "conv-2"] == [
        ("conv-2", "Cy swims.")
    ]
    assert sum(f.chat_within == "conv-1" for f in found) == 3


def test_cases_without_observations_have_none(tmp_path):
    bare = {k: v for k, v in RECORD.items() if k != "observation"}

    assert observed(_filed(tmp_path, bare)) == []


@pytest.mark.parametrize(
    "wrong",
    [["a list"], {"s": ["Ana"]}, {"s": {"Ana": ["one sentence"]}}, {"s": {"Ana": [[1, "D1:3"]]}}],
)
def test_another_shape_is_an_error_that_names_the_file(tmp_path, wrong):
    with pytest.raises(CaseError, match=r"chat\.json: observation: expected sessions"):
        observed(_filed(tmp_path, {**RECORD, "observation": wrong}))
