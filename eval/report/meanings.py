"""What each metric says, in a line, for readers who have only the page."""

from xml.etree.ElementTree import Element

from eval.cases import CaseKind
from eval.report.markup import h
from eval.scoring import METRICS

MEANINGS = {
    "evidence_recall": "of the expected messages, the share that is cited",
    "fuzzy_recall": "the same, a message also counting that is missed by at most 3 numbers",
    "evidence_precision": "of the cited messages, the share that is expected",
    "evidence_f1": "the harmonic mean of evidence recall and precision",
    "all_hit": "1 where every expected message is cited, else 0",
    "timeline_coverage": "of the days of expected messages, the share on which one is cited",
    "citation_validity": "of the citations, the share that can be read back in the chat",
    "groundedness": "of the claims, the share whose names, numbers and dates stand in what they cite",
    "span/recall": "of the expected characters, the share that is cited",
    "span/precision": "of the cited characters, the share that is expected",
    "span/iou": "characters both expected and cited ÷ characters of either",
    "span/f1": "the harmonic mean of the characters' recall and precision",
    "answer/exact_match": "1 where the answer's words are those of the expected answer, else 0",
    "answer/f1": "the words that both answers share: harmonic mean of recall and precision",
    "recall@5": "of the expected messages, the share among the first 5 of the ranking; so for 10, 20, 50",
    "all_hit@10": "1 where the first 10 of the ranking hold every expected message, else 0",
    "ndcg@10": "how high the expected messages stand in the first 10; 1 where they come first",
    "global_recall": "of the expected messages of all phases, the share that is cited",
    "phase_coverage": "of the expected phases, the share of which some message is cited",
    "phase_recall": "the share of a phase's messages that is cited, as a mean over the phases",
}
_ONE_LINE = ("recall@10", "recall@20", "recall@50")  # told with recall@5
_TESTS = (
    "Each figure is a mean over the cases that have a value (n), with its 95 % interval by bootstrap "
    "over conversations. p: the difference tested by flipping the sign of whole conversations; "
    "p (Holm): corrected for so many metrics being tested. A difference whose interval holds 0 is "
    "called none."
)


def meanings_list(kind: CaseKind) -> Element:
    """The metrics of this kind with their meanings, and how they are compared; closed at first."""
    lines = [
        part
        for name in METRICS[kind]
        if name not in _ONE_LINE
        for part in (h("dt", name), h("dd", MEANINGS[name]))
    ]
    return h(
        "details",
        h("summary", "What the numbers mean"),
        h("dl", lines, class_="plan meanings"),
        h("p", _TESTS, class_="note"),
    )
