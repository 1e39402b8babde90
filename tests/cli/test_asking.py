"""search and ask on a small imported chat, through the whole of sayso."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Sayso


def test_a_search_ranks_messages_as_json(imported: Sayso) -> None:
    found = json.loads(imported("search", "Who teaches violin?", "-k", "3", "--json").out)

    assert found[0]["localId"] == 8
    assert set(found[0]) == {"localId", "score", "why"}
    assert len(found) <= 3
    assert [f["score"] for f in found] == sorted((f["score"] for f in found), reverse=True)


def test_a_search_is_a_table_for_people(imported: Sayso) -> None:
    heading, first, *_ = imported("search", "Who teaches violin?").out.splitlines()

    assert heading.split() == ["score", "id", "when", "who", "text"]
    assert first.split()[0] == "1"
    assert first.endswith("#8  Thu 2024-05-09 20:00  Ana María  My sister teaches violin in Porto")


def test_a_search_from_someone_never_returns_another(imported: Sayso) -> None:
    found = json.loads(imported("search", "kayak", "--from", "bo", "--json").out)

    assert found
    assert {f["localId"] for f in found} <= {2, 4, 6, 7}


def test_a_search_within_days_takes_the_chats_days(imported: Sayso) -> None:
    found = imported("search", "garage", "--since", "2024-05-02", "--until", "2024-05-02", "--json")

    assert [f["localId"] for f in json.loads(found.out)] == [5]


@pytest.mark.parametrize("question", [(), ("",), ("  ",)], ids=["none", "empty", "blank"])
def test_a_search_for_nothing_is_a_usage_error(imported: Sayso, question: tuple[str, ...]) -> None:
    ran = imported("search", *question)

    assert (ran.code, ran.out) == (2, "")
    assert "QUESTION" in ran.err


def test_a_question_that_looks_like_syntax_is_searched_as_text(imported: Sayso) -> None:
    assert imported("search", "what's up? (AND kayak*").code == 0
    assert imported("search", "O'Brien \x1b[0m \udcff").code == 0


def test_an_unknown_sender_lists_the_people(imported: Sayso) -> None:
    ran = imported("ask", "where?", "--from", "Zoe")

    assert (ran.code, ran.out) == (2, "")
    assert "people: Ana María (Nani), Bo" in ran.err


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_an_answer_quotes_its_evidence(imported: Sayso, mode: str) -> None:
    ran = imported("ask", "Who bought a kayak?", "--mode", mode)

    assert ran.code == 0
    assert "#3  Ana María  Wed 2024-05-01 09:05" in ran.out
    assert ran.out.splitlines()[-1].startswith(f"{mode} · stopped: ")
    assert ran.err.count("no language model is configured") == 1


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_an_answer_as_json_cites_text_that_reads_back(imported: Sayso, mode: str) -> None:
    ran = imported("ask", "Where does the sister of Nani teach?", "--mode", mode, "--json")
    given = json.loads(ran.out)
    texts = {
        m["localId"]: m["text"]
        for m in map(json.loads, imported("export", "trip").out.splitlines()[1:])
    }

    assert ran.err == ""
    assert (given["mode"], given["chatId"]) == (mode, "trip")
    assert 8 in [e["localId"] for e in given["evidence"]]
    for e in given["evidence"]:
        assert texts[e["localId"]][e["start"] : e["end"]] == e["quote"]


def test_words_need_no_quotation_marks(imported: Sayso) -> None:
    given = json.loads(imported("ask", "who", "bought", "a", "kayak", "--json").out)

    assert given["question"] == "who bought a kayak"


def test_an_answer_from_someone_cites_nobody_else(imported: Sayso) -> None:
    given = json.loads(imported("ask", "kayak", "--from", "Bo", "--json").out)

    assert {e["sender"] for e in given["evidence"]} <= {"Bo"}


@pytest.mark.parametrize(
    "flags",
    [("--rounds", "0"), ("--seconds", "-1"), ("--mode", "magic"), ("--since", "soon")],
    ids=" ".join,
)
def test_a_value_that_cannot_be_used_is_one_line_and_exit_2(
    imported: Sayso, flags: tuple[str, str]
) -> None:
    ran = imported("ask", "who?", *flags)

    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1


def test_a_file_is_asked_without_importing_it(sayso: Sayso, trip: Path) -> None:
    given = json.loads(sayso("ask", "who bought a kayak?", "--chat", str(trip), "--json").out)

    assert 3 in [e["localId"] for e in given["evidence"]]
    assert sayso("chats").out == ""
