"""The page in headless Chromium: nothing leaves, and what it offers works."""

import shutil

import pytest

from eval.report.page import Room
from tests.eval.report.conftest import EVIL, LINES

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("chromium is not installed", allow_module_level=True)

# The contrast of each text with what is painted below it, after WCAG 2: [ratio, size, words].
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b]
    .map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const below = (el) => {
    for (; el; el = el.parentElement) {
      const color = rgb(getComputedStyle(el).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const el of document.querySelectorAll("body *:not(script)")) {
    const words = [...el.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("");
    if (!words.trim() || !el.getClientRects().length) continue;
    const style = getComputedStyle(el);
    const color = el.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(rgb(color)), light(below(el))].sort((x, y) => y - x);
    found.push([(a + .05) / (b + .05), el.tagName + "." + (el.className.baseVal ?? el.className), words.slice(0, 30)]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, written):
    """Opens the page: its width, its colours, with its JavaScript or without; counts requests."""
    contexts = []

    def open_page(path=written, *, width=1280, scheme="light", script=True):
        context = browser.new_context(
            viewport={"width": width, "height": 844},
            color_scheme=scheme,
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        page.requested, page.faults = [], []
        page.route(
            "**/*", lambda route: (page.requested.append(route.request.url), route.continue_())
        )
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda message: page.faults.append(message.text))
        page.on("dialog", lambda dialog: page.faults.append(dialog.message))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def _open_all(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.evaluate("new Promise(requestAnimationFrame)")


def _cases(page):
    return page.eval_on_selector_all(
        ".cases > tbody",
        "all => all.filter((b) => b.offsetHeight).map((b) => b.rows[0].cells[0].textContent)",
    )


def test_no_request_leaves_and_nothing_fails(opened, written):
    page = opened()
    _open_all(page)

    assert page.requested == [written.as_uri()]
    assert page.faults == []
    assert "owned" not in page.title()


def test_details_from_the_data_are_as_inert_as_those_in_the_page(opened, run, tmp_path):
    path = tmp_path / "late.html"
    path.write_text(run.page(Room(in_page=0)), encoding="utf-8")
    page = opened(path)

    assert page.locator(".case").count() == 0
    _open_all(page)
    page.wait_for_function("document.querySelectorAll('.case').length === 4")
    assert page.requested == [path.as_uri()]
    assert page.faults == []
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_search_category_and_kind_leave_the_cases_that_fit(opened, width):
    page = opened(width=width)
    found = {}
    for name, value in (("text", "TRAIN which"), ("category", "<b>two</b>"), ("tag", "failed")):
        control = page.locator(f"form.filters [name={name}]")
        control.fill(value) if name == "text" else control.select_option(value)
        found[name] = (_cases(page), page.locator("form.filters output").text_content())
        control.fill("") if name == "text" else control.select_option("")

    assert found == {
        "text": (["train"], "1 of 4 cases"),
        "category": (["evil"], "1 of 4 cases"),
        "tag": (["late"], "1 of 4 cases"),
    }
    assert _cases(page) == ["train", "evil", "cost", "late"]


def test_a_column_sorts_by_its_numbers_up_and_down_with_what_has_none_last(opened):
    page = opened()
    heading = page.get_by_role("columnheader", name="agent evidence_f1")
    heading.get_by_role("button").click()
    up, told_up = _cases(page), heading.get_attribute("aria-sort")
    heading.get_by_role("button").press("Enter")
    down, told_down = _cases(page), heading.get_attribute("aria-sort")

    # f1 of evil is 2 · 1/5 · 1 ÷ (1/5 + 1) = 1/3, of train 1.
    assert (up, told_up) == (["evil", "train", "cost", "late"], "ascending")
    assert (down, told_down) == (["train", "evil", "cost", "late"], "descending")
    page.locator("form.filters [name=sort]").select_option("")
    assert _cases(page) == ["train", "evil", "cost", "late"]


def test_each_marked_span_is_the_quote_that_was_cited(opened, run):
    page = opened()
    _open_all(page)
    shown = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".cases > tbody")].map((body) => [
            body.rows[0].cells[0].textContent,
            [...body.querySelectorAll("mark")].map((mark) => [
                Number(mark.closest("[data-id]").dataset.id), Number(mark.dataset.start),
                mark.dataset.by.split(" ").map(Number), mark.textContent])]))"""
    )
    checked = 0
    for row in run.rows:
        at = ["oneshot", "agent"].index(row.mode)
        for evidence in row.trail.answer.evidence if row.trail else ():
            pieces = [
                words
                for local_id, start, by, words in shown[row.case_id]
                if local_id == evidence.local_id
                and at in by
                and evidence.start <= start < evidence.end
            ]
            assert "".join(pieces) == evidence.quote.replace("\x00", "\ufffd").replace(
                "\ud83d", "\ufffd"
            )
            checked += 1
    assert checked == 10


@pytest.mark.parametrize("path", ["written", "arcs"])
def test_nothing_is_wider_than_a_phone(opened, written, arcs, tmp_path, path):
    target = written
    if path == "arcs":
        target = tmp_path / "arcs.html"
        target.write_text(arcs.page(), encoding="utf-8")
    page = opened(target, width=390)
    _open_all(page)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_its_ground(opened, arcs, tmp_path, scheme):
    path = tmp_path / "arcs.html"
    path.write_text(arcs.page(), encoding="utf-8")
    for page in (opened(scheme=scheme), opened(path, scheme=scheme)):
        _open_all(page)
        found = page.evaluate(CONTRASTS)

        assert len(found) > 100
        assert [one for one in found if one[0] < 4.5] == []


def test_dark_is_dark(opened):
    page = opened(scheme="dark")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 26)"


def test_a_case_opens_without_javascript(opened):
    page = opened(script=False)
    page.get_by_text("Which train?", exact=True).first.click()

    assert page.get_by_text("Expected answer: the night train").is_visible()
    assert not page.locator("form.filters").is_visible()


def test_words_of_a_chat_are_shown_letter_by_letter(opened):
    page = opened()
    _open_all(page)
    texts = page.eval_on_selector_all(".msg .text", "all => all.map((one) => one.textContent)")

    assert EVIL in texts
    assert LINES[2][1] in texts


def test_an_address_opens_the_case_that_it_names(opened, written):
    page = opened()
    page.goto(f"{written.as_uri()}#set0-2")

    page.wait_for_function("document.querySelector('#set0-2 details').open")
