import json

import pytest
from langchain_core.utils.json import parse_partial_json

from sayso.reasoning.writing import Writing


def told(text: str, piece: int) -> list[str]:
    writing = Writing(parse_partial_json)
    pieces = [text[at : at + piece] for at in range(0, len(text), piece)]
    heard = [writing.hear(part) for part in pieces] + [writing.hear("", last=True)]
    return [part for part in heard if part]


@pytest.mark.parametrize("piece", [1, 3, 1000])
@pytest.mark.parametrize(
    "answer",
    ["A kayak.", "", 'She said "no", \\ and\nleft. 🛶', "кая́к", "{not: an object}"],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_pieces_make_up_the_answer(answer, piece, ascii_only):
    text = "```json\n" + json.dumps({"cited": [1], "answer": answer}, ensure_ascii=ascii_only)

    assert "".join(told(text + "\n```", piece)) == answer


def test_an_answer_in_the_reasoning_is_not_told():
    text = '<think>{"answer": "a boat"}</think>{"answer": "A kayak"}'

    assert "".join(told(text, 1)) == "A kayak"


def test_a_reply_without_an_answer_tells_nothing():
    assert told('{"queries": ["kayak"]}', 2) == []


def test_a_long_answer_is_not_read_anew_at_each_piece():
    lengths = []

    def counted(text: str):
        lengths.append(len(text))
        return parse_partial_json(text)

    text = json.dumps({"answer": "word " * 4000})
    writing = Writing(counted)
    for at in range(0, len(text), 4):
        writing.hear(text[at : at + 4])

    assert sum(lengths) < 60 * len(text)
