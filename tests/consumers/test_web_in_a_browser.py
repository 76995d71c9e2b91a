"""A real browser uses the server: by mouse, by keyboard, on a phone, in the dark, and from a static export."""

from __future__ import annotations

import threading
import time
import urllib.request
from dataclasses import replace

import pytest

pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe_playwright_python is not installed")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from offnominal.studies.kinds import study_kinds  # noqa: E402
from offnominal.studies.runs import open_run  # noqa: E402
from offnominal.web.app import make_app  # noqa: E402
from offnominal.web.export import export_pages  # noqa: E402
from offnominal.web.listening import bound_socket  # noqa: E402
from offnominal.web.settings import Settings  # noqa: E402

from .accessibility import ALL, ANOTHER_LOOK, serious_findings  # noqa: E402

pytestmark = pytest.mark.long
MARKUP = "<b onmouseover=alert(1)>KNN</b>"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LARGEST = 500_000
"""Bytes of a page with all its scripts and styles, without clips."""


@pytest.fixture(scope="module")
def settings(small_runs, tmp_path_factory):
    return Settings(runs=small_runs, cache=tmp_path_factory.mktemp("cache"), port=0)


@pytest.fixture(scope="module")
def address(settings):
    """Address of a running server."""
    listener = bound_socket(settings)
    port = listener.getsockname()[1]
    app = make_app(replace(settings, port=port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)
    listener.close()


@pytest.fixture(scope="module")
def fault(address):
    with urllib.request.urlopen(f"{address}/faults/small") as answer:
        return answer.read().decode().partition('href="/faults/small/')[2].partition('"')[0]


@pytest.fixture(scope="module")
def paths(fault):
    return ["/", "/runs/small", "/compare/small", "/faults/small", f"/faults/small/{fault}"]


@pytest.fixture
def open_page(browser):
    """Open pages; whatever they complain about fails the test."""
    complaints, opened = [], []

    def opening(address, viewport=DESKTOP, **options):
        context = browser.new_context(viewport=viewport, **options)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}") or dialog.dismiss())
        opened.append(context)
        page.goto(address, wait_until="networkidle")
        return page

    yield opening
    for context in opened:
        context.close()
    assert not complaints


def follow(page, link, address):
    """Click the first such link, and wait until the scripts of the next page have run."""
    with page.expect_navigation(url=address, wait_until="load"):
        page.locator(link).first.click()


def test_filters_change_the_leaderboard_and_stay_in_the_address(open_page, address):
    page = open_page(f"{address}/runs/small")
    assert page.locator("#leaderboard tbody tr").count() == 3
    assert page.locator("#leaderboard tbody th", has_text=MARKUP).count() == 1
    page.select_option("#metric", "auroc")
    page.select_option("#kind", "action")
    assert page.locator("#status").inner_text() == "2 faults"
    assert page.url.endswith("?metric=auroc&kind=action")
    page.reload()
    assert page.locator("#metric").input_value() == "auroc"
    assert page.locator("#heat tbody tr:not(.group)").count() == 2
    page.click("text=Reset")
    assert page.url.endswith("/runs/small")


def test_the_heat_map_is_coloured_by_the_numbers(open_page, address):
    for scheme in ("light", "dark"):
        page = open_page(f"{address}/runs/small", color_scheme=scheme)
        found = page.locator("#heat td.cell").evaluate_all(
            "cells => cells.map(cell => [Number(cell.innerText), getComputedStyle(cell).backgroundColor])"
        )
        colours = dict(found)
        assert "rgba(0, 0, 0, 0)" not in colours.values()
        assert colours[max(colours)] != colours[min(colours)]
        assert len(set(colours.values())) > 2


def test_numbers_lead_to_cells_and_detectors_to_comparisons(open_page, address):
    page = open_page(f"{address}/runs/small")
    page.locator("#heat td a").first.click()
    page.wait_for_url("**/cells/*")
    assert page.locator("text=commit").count()
    page.goto(f"{address}/runs/small")
    follow(page, "#leaderboard tbody th a", "**/compare/small/*/*")
    sync_api.expect(page.locator("#scatter a")).to_have_count(4)
    page.select_option("#second", "Time")
    page.wait_for_url("**/compare/small/*/Time")


def test_a_point_of_a_comparison_leads_to_its_fault_by_keyboard(open_page, address):
    page = open_page(f"{address}/compare/small")
    point = page.locator("#scatter a").first
    point.focus()
    said, target = page.locator("#tip").inner_text(), point.get_attribute("href")
    assert said == point.get_attribute("aria-label")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{target}")


def test_definitions_are_read_by_keyboard_and_names_stand_apart_from_their_tags(open_page, address):
    page = open_page(f"{address}/runs/small")
    page.locator("#timing-table button.tip").first.focus()
    assert "half of the faults" in page.locator("#tip").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()
    assert page.locator('#leaderboard tr[data-name="Time"] th').text_content() == "Time baseline"


def test_a_fault_shows_its_clip_and_computes_delay_curves(open_page, address, fault):
    page = open_page(f"{address}/faults/small/{fault}")
    page.wait_for_selector("img.clip:not([hidden])", timeout=60_000)
    page.wait_for_selector("#curve svg", timeout=60_000)
    page.select_option("#strength", label="medium")
    replay = page.locator("#clip a").get_attribute("href")
    assert replay.startswith("/replay?world=SAP-Goal0-v0&fault=observation%2Fnoise&strength=medium&seed=")
    assert "strength=medium" in page.url
    assert page.locator("#strengths tr.leader th").inner_text() == "medium"


def test_the_alarm_with_a_guarantee_is_chosen_first_as_in_the_terminal(open_page, address, fault, small_runs):
    said = study_kinds.build("study").findings(open_run(small_runs / "small"))
    assert any(each.startswith("Delays and false alarms are those of the alarm 'episode maximum'.") for each in said)
    for path in ("runs/small", f"faults/small/{fault}"):
        page = open_page(f"{address}/{path}")
        assert page.locator("#alarm option").all_inner_texts() == ["3 sigma", "episode maximum"]
        assert page.input_value("#alarm") == "episode maximum"


def test_the_keyboard_is_enough(open_page, address):
    page = open_page(f"{address}/runs/small")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.locator("#metric").focus()
    page.keyboard.press("ArrowDown")
    assert "metric=matched_auroc" in page.url
    page.locator("#leaderboard thead button", has_text="Detector").focus()
    page.keyboard.press("Enter")
    assert page.locator("#leaderboard thead th[aria-sort]").inner_text().startswith("Detector")
    assert page.evaluate("document.activeElement.textContent") == "Detector"
    page.locator("#theme").focus()
    page.keyboard.press("Space")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


# No width hides an element and no width has colours of its own: two looks are all widths and all colours.
@pytest.mark.parametrize(
    ("viewport", "scheme", "rules", "chosen"),
    [
        (DESKTOP, "light", ALL, slice(None)),
        (PHONE, "dark", ANOTHER_LOOK, slice(1, 2)),
        pytest.param(PHONE, "dark", ANOTHER_LOOK, slice(None), marks=pytest.mark.slow),
    ],
    ids=["light", "run-dark", "dark"],
)
def test_no_page_has_serious_accessibility_findings_or_scrolls_sideways(
    open_page, address, paths, viewport, scheme, rules, chosen
):
    page = open_page(address, viewport, color_scheme=scheme)
    for path in paths[chosen]:
        page.goto(address + path, wait_until="networkidle")
        assert not serious_findings(page, rules), path
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path


def test_pages_are_small_named_and_ready_for_phones(browser, address, paths):
    for path in paths:
        page = browser.new_page()
        answers = []
        page.on("response", lambda answer, kept=answers: kept.append(answer))
        page.goto(address + path, wait_until="load")
        assert page.title().endswith("· Offnominal")
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.locator("meta[name=viewport]").count() == 1
        assert page.locator("h1").count() == 1
        text = [answer for answer in answers if "image" not in answer.headers.get("content-type", "")]
        assert len(text) <= 3  # the page, its style and its script
        assert sum(len(answer.body()) for answer in text) < LARGEST
        page.close()


def test_the_export_works_from_disk(open_page, settings, tmp_path_factory):
    site = export_pages(settings, tmp_path_factory.mktemp("site") / "site")
    page = open_page((site.folder / "index.html").as_uri())
    follow(page, "article.run h2 a", "**/runs/small.html")
    page.select_option("#metric", "auroc")
    assert page.url.endswith("runs/small.html?metric=auroc")
    follow(page, "#heat th a", "**/faults/small/*")
    page.wait_for_selector("#curve svg")
    page.wait_for_selector("img.clip:not([hidden])")
    sync_api.expect(page.locator("#episode-curves figure")).to_have_count(3)
    follow(page, "nav >> text=Compare", "**/compare.html")
    sync_api.expect(page.locator("#scatter a")).to_have_count(4)
