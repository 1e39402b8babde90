"""A run as JUnit XML, which continuous integration shows case by case.

A case fails where its first id metric (F1 for questions, recall for arcs) is 0 though there was
something to find, or where it answered what has no answer; an error is an error; a case whose
gold is unreachable is skipped. The figures stand as properties. Bars that a run had to reach are a
suite of their own, which fails in the words that the terminal prints.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from eval.compare import FLIPS_BY
from eval.scoring import Row
from sayso.errors import StoreError

# XML 1.0 has no way to write these, not even escaped.
_UNWRITABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "�")


def write_junit(path: Path, rows: Sequence[Row], below: Sequence[str] | None = None) -> None:
    """One suite a mode, and one of ``below``, the bars that were missed (None = there were no bars).

    StoreError where the file cannot be written.
    """
    root = Element("testsuites", name="sayso eval")
    if below is not None:
        _bars(root, below)
    for mode in dict.fromkeys(row.mode for row in rows):
        _suite(root, mode, [row for row in rows if row.mode == mode])
    indent(root)
    try:
        ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error


def _bars(root: Element, below: Sequence[str]) -> None:
    suite = SubElement(
        root,
        "testsuite",
        name="bars",
        tests=str(len(below) or 1),
        failures=str(len(below)),
        errors="0",
        skipped="0",
    )
    for line in below or [""]:
        name = _text(line) or "every bar is reached"
        case = SubElement(suite, "testcase", classname="bars", name=name)
        if line:
            SubElement(case, "failure", message=name)


def _suite(root: Element, mode: str, rows: Sequence[Row]) -> None:
    verdicts = [_verdict(row) for row in rows]
    suite = SubElement(
        root,
        "testsuite",
        name=_text(mode),
        tests=str(len(rows)),
        failures=str(sum(kind == "failure" for kind, _ in verdicts)),
        errors=str(sum(kind == "error" for kind, _ in verdicts)),
        skipped=str(sum(kind == "skipped" for kind, _ in verdicts)),
        time=f"{sum(row.seconds for row in rows):.3f}",
    )
    for row, (kind, story) in zip(rows, verdicts, strict=True):
        case = SubElement(
            suite,
            "testcase",
            classname=_text(f"{row.dataset or row.kind}.{row.category or row.kind}"),
            name=_text(row.case_id + (f" repeat {row.repeat}" if row.repeat else "")),
            time=f"{row.seconds:.3f}",
        )
        properties = SubElement(case, "properties")
        for name, value in row.metrics.items():
            if value is not None:
                SubElement(properties, "property", name=name, value=f"{value:.4f}")
        if kind != "passed":
            SubElement(case, kind, message=_text(story))


def _verdict(row: Row) -> tuple[str, str]:
    if row.error is not None:
        return "error", row.error
    if row.gold == "unreachable":
        return "skipped", "its evidence names no message of the chat"
    ids = ", ".join(map(str, row.returned_ids)) or "none"
    if not row.answerable:
        return ("passed", "") if row.abstained else ("failure", f"has no answer, cited {ids}")
    if row.metrics[FLIPS_BY[row.kind]] == 0:
        expected = ", ".join(map(str, row.expected_ids))
        return "failure", f"expected {expected}; cited {ids}"
    return "passed", ""


def _text(text: str) -> str:
    plain = text.translate(_UNWRITABLE)
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in plain)
