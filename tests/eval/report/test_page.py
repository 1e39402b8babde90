import base64
import hashlib
import json
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser

import pytest

from eval.compare import compare
from eval.report.figures import figures_of
from eval.report.markup import fit, h, html
from eval.report.meanings import MEANINGS, meanings_list
from eval.report.page import Room, write_report
from eval.results import results_record
from eval.scoring import METRICS
from sayso.errors import StoreError


class Read(HTMLParser):
    """What an HTML reader makes of a page: its elements with attributes, and words by element."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.marks, self._open = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append("")
        if tag == "mark":
            self.marks.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data
        if "mark" in self._open:
            self.marks[-1] += data

    @property
    def data(self):
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def page(run):
    return run.page()


@pytest.fixture(scope="module")
def read(page):
    return Read(page)


def test_words_of_a_chat_make_no_element_and_no_script(read):
    names = {tag for tag, _ in read.tags}

    assert len(read.scripts) == 2
    assert not names & {"img", "iframe", "object", "link", "base", "embed"}
    assert "owned" not in read.scripts[1]


def test_no_element_has_a_handler_or_an_address_beyond_the_page(read):
    attributes = [(name, value) for _, of in read.tags for name, value in of.items()]

    assert not [name for name, _ in attributes if name.startswith("on") or name == "src"]
    assert all(value.startswith("#") for name, value in attributes if name == "href")


def test_the_policy_allows_the_one_script_of_the_page_and_nothing_else(read):
    policy = next(a["content"] for _, a in read.tags if a.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(read.scripts[1].encode()).digest()).decode()

    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}';" in policy


def test_data_hold_no_angle_bracket(run):
    data = Read(run.page(Room(in_page=0))).scripts[0]

    assert "<" not in data
    assert "\\u003c" in data


def test_words_end_their_direction_where_they_end(page):
    assert '<p class="text" dir="auto">\u202eright to left' in page


def test_what_no_page_can_hold_is_replaced(page):
    assert "\x00" not in page
    assert " and half a pair \ufffd here" in page
    page.encode("utf-8")
    assert fit("a\x1bb\ufffe") == "a\ufffdb\ufffd"


def test_text_between_elements_keeps_its_place():
    assert html(h("p", "a<", h("b", "&"), "c", None, [h("i"), "d"], class_="x")) == (
        '<p class="x">a&lt;<b>&amp;</b>c<i></i>d</p>'
    )


def test_means_are_those_of_the_results(run, read):
    shown = read.data["figures"]["set"]["modes"]

    for mode, record in run.results["modes"].items():
        for metric, of in record["metrics"].items():
            assert shown[mode][metric]["mean"] == of["mean"]
            assert shown[mode][metric]["n"] == of["n"]


def test_differences_are_those_of_a_comparison(run):
    (figures,) = figures_of(run.results, run.rows)
    of_mode = {m: [r for r in run.rows if r.mode == m] for m in ("oneshot", "agent")}
    (wanted,) = compare(of_mode["oneshot"], of_mode["agent"])

    (found,) = figures.changes
    assert (found.first, found.second) == ("oneshot", "agent")
    assert found.metrics == wanted.metrics
    assert found.holm == wanted.holm


def test_the_curve_meets_recall_at_ten(run):
    (figures,) = figures_of(run.results, run.rows)

    for mode, curve in figures.curves.items():
        of = run.results["modes"][mode]["metrics"]
        assert curve[5] == pytest.approx(of["recall@5"]["mean"])
        assert curve[10] == pytest.approx(of["recall@10"]["mean"])


def test_an_interval_of_one_conversation_is_called_descriptive(page):
    assert "intervals are descriptive" in page


def test_marked_words_are_the_cited_ones(read):
    # The two modes overlap: what one cites, what both do, what the other does.
    assert read.marks[:4] == ["booked ", "the night train to ", "Vienna", "the big clock"]


def test_data_sets_have_sections_of_their_own_and_no_common_mean(run):
    other = [replace(row, dataset="other", case_id=f"o-{row.case_id}") for row in run.rows]
    rows = [*run.rows, *other]
    results = results_record(
        rows, "qa", modes=["agent", "oneshot"], config={},
        at=datetime.fromisoformat(run.results["timestamp"]),
    )  # fmt: skip
    read = Read(replace(run, results=results, rows=tuple(rows)).page())

    assert [a["id"] for tag, a in read.tags if tag == "section"] == ["set0", "set1"]
    assert list(read.data["figures"]) == ["set", "other"]


def test_details_beyond_the_page_wait_in_its_data_and_then_are_left_out(run):
    late = Read(run.page(Room(in_page=0)))
    none = run.page(Room(in_page=0, in_all=0))

    assert sorted(late.data["later"]) == ["set0-1", "set0-2", "set0-3", "set0-4"]
    assert "4 cases do not open" in run.page(Room(in_page=0))
    assert Read(none).data["later"] == {}
    assert "4 cases have no details" in none


def test_details_in_the_data_are_what_the_page_would_hold(run, page):
    late = Read(run.page(Room(in_page=0))).data["later"]

    assert all(written in page for written in late.values())


def test_an_arc_has_its_expected_phases_and_those_of_each_mode_on_a_line(arcs):
    page = arcs.page()

    assert "From 2024-03-01 to 2024-03-08. expected: Books, Agrees &lt;on&gt; the clock" in page
    assert page.count('class="span gold"') == 4  # two phases, in the overview and in the case


def test_a_chat_that_is_not_at_hand_leaves_the_numbers(run):
    page = replace(run, chats={}, cases={}).page()

    assert "The chat is not at hand" in page


def test_a_failed_case_says_why(page):
    assert "TimeoutError: too &lt;late&gt;" in page


def test_the_page_of_no_rows_says_so_and_stands(run):
    results = results_record(
        [], "qa", modes=["agent"], config={},
        at=datetime.fromisoformat(run.results["timestamp"]),
    )  # fmt: skip

    assert "<h1>" in replace(run, results=results, rows=()).page()


def test_a_page_that_cannot_be_written_names_its_path(run, tmp_path):
    with pytest.raises(StoreError, match="nowhere"):
        write_report(
            tmp_path / "nowhere" / "r.html",
            results=run.results, rows=run.rows, chats=run.chats, cases=run.cases,
        )  # fmt: skip


def test_the_same_run_gives_the_same_page(run, page):
    assert run.page() == page


def test_an_arc_expects_messages_and_loses_no_characters(arcs):
    page = arcs.page()

    assert "span exact" not in page
    assert ">rank 1, relevance 0.50, cited<" in page


def test_expected_messages_without_spans_are_cited_or_not_whatever_the_characters(page):
    # Case train gives its characters, and both modes cite others of message 7; case evil gives none.
    assert ">rank 3, relevance 0.50, cited, though not exactly the expected characters<" in page
    assert ">rank 2, relevance 0.50, cited<" in page
    assert "Dotted below: those that are expected." in page


def test_the_last_stage_of_the_funnel_says_what_it_means(page, run):
    rows = tuple(
        replace(r, span_truth="whole messages" if r.span_truth else None) for r in run.rows
    )
    without = replace(run, rows=rows).page()

    # Of evil and late; cost expects nothing.
    assert "2 cases give none and expect their messages whole" in page
    assert "Span exact" not in without


def test_what_the_cases_expect_is_told_in_words(page):
    assert (
        "4 QA cases from 1 group of conversations that share no people: 3 whose expected messages "
        "are in the chat, 1 with nothing to find, where to abstain is right."
    ) in page


def test_a_trail_names_what_was_ranked_and_graded_best(page):
    assert "<dt>ranked first</dt><dd>#1 #2 #7 #3 of 4</dd>" in page
    assert "<dt>graded best</dt><dd>#1 (0.50) #2 (0.50) #7 (0.50) #3 (0.50) of 4</dd>" in page


def test_a_run_that_knew_the_gold_says_so_above_its_numbers(run):
    options = {"oracle": "evidence", "overlay": "repaired.jsonl"}
    page = replace(run, results=run.results | {"config": {"options": options}}).page()

    assert "oracle: the expected messages were handed to the generator" in page
    assert "scored under repaired labels" in page


@pytest.mark.parametrize("kind", ["qa", "arc"])
def test_every_metric_has_its_meaning_on_the_page(kind):
    told = html(meanings_list(kind))

    assert set(METRICS[kind]) - set(MEANINGS) == {"recall@10", "recall@20", "recall@50"}
    assert all(MEANINGS[name] in told for name in METRICS[kind] if name in MEANINGS)


def test_the_heading_gives_the_time_of_the_run_in_utc(run):
    results = run.results | {"timestamp": "2024-05-06T01:30:00+02:00"}

    assert "<h1>QA run of 2024-05-05 23:30 UTC</h1>" in replace(run, results=results).page()
