"""A real browser opens a report from disk, and all controls work."""

from __future__ import annotations

import importlib.util
import math
import shutil
from pathlib import Path

import pytest

from offnominal.evaluation.delays import HALF_MISSED
from offnominal.reports.page import write_page
from offnominal.reports.timings import TIMING, timing_rows

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


def made_up_run():
    path = Path(__file__).parents[1] / "reports" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run_results(replicates=60)


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return write_page(made_up_run(), tmp_path_factory.mktemp("page") / "page.html").as_uri()


@pytest.fixture
def page(browser, address):
    """The page, freshly opened; whatever it complains about or asks the network for fails the test."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    error_info = []
    opened.on(
        "console", lambda message: error_info.append(message.text) if message.type in ("error", "warning") else None
    )
    opened.on("pageerror", lambda error: error_info.append(str(error)))
    opened.on(
        "request", lambda request: error_info.append(request.url) if not request.url.startswith("file:") else None
    )
    opened.goto(address)
    yield opened
    opened.close()
    assert not error_info


def names(page):
    return page.eval_on_selector_all("#leaderboard tbody tr", "rows => rows.map(row => row.dataset.name)")


def test_sorting_reverses_the_leaderboard_and_its_label(page):
    before = names(page)
    assert before[0] == "PE-DM"
    header = page.locator("#leaderboard thead th", has_text="Rank")
    assert header.get_attribute("aria-sort") == "ascending"
    header.get_by_role("button").press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert names(page) == before[::-1]
    page.locator("#leaderboard thead button", has_text="Detector").click()
    assert names(page) == sorted(before, key=str.lower)


def test_filters_change_every_part(page):
    parts = ("leaderboard", "critical", "spread-kind", "by-world", "heat", "timing-table", "tradeoff")
    before = {part: page.inner_html(f"#{part}") for part in parts}
    page.select_option("#kind", label="dynamics")
    assert all(page.inner_html(f"#{part}") != text for part, text in before.items())
    assert page.inner_text("#status") == "12 faults"
    page.select_option("#level", label="extreme")
    page.select_option("#world", index=1)
    assert page.inner_text("#status") == "1 fault"
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("document.getElementById('status').textContent === '36 faults'")
    assert {part: page.inner_html(f"#{part}") for part in parts} == before


def test_a_metric_where_less_is_better_keeps_the_best_first(page):
    page.select_option("#metric", label="Delay at equal cost")
    values = page.eval_on_selector_all(
        "#leaderboard tbody tr td:nth-child(4)", "cells => cells.map(cell => parseFloat(cell.textContent))"
    )
    assert values == sorted(values)
    assert "steps" in page.inner_text("#leaderboard thead")


def test_the_timing_table_says_what_the_tables_on_disk_say(page):
    alarm = page.input_value("#alarm")
    shown = page.eval_on_selector_all(
        "#timing-table tbody tr", "rows => rows.map(row => [row.dataset.name, row.children[1].textContent])"
    )
    label = TIMING["median_delay"]
    kept = {row["detector"]: row[label] for row in timing_rows(made_up_run().table) if row["alarm"] == alarm}
    assert dict(shown) == {name: HALF_MISSED if delay == math.inf else f"{delay:.1f}" for name, delay in kept.items()}
    assert HALF_MISSED in dict(shown).values()


def test_baselines_are_marked(page):
    marked = page.eval_on_selector_all("#leaderboard .baseline", "cells => cells.map(cell => cell.textContent)")
    assert sorted(marked) == ["PE-DM-untrainedbaseline", "Randombaseline", "Timebaseline"]


def test_a_fault_opens_by_mouse_and_by_keyboard_and_leads_to_its_episode(page):
    page.locator("#heat-table td[data-fault]").nth(30).click()
    dialog = page.locator("#fault")
    assert dialog.is_visible()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.get_by_role("button", name="dynamics/gravity@extreme-up").press("Enter")
    assert page.inner_text("#fault-title") == "dynamics/gravity@extreme-up"
    assert page.locator("#fault-numbers tbody tr").count() == 11
    first = page.inner_text("#fault-numbers tbody")
    page.select_option("#fault-world", index=2)
    assert page.inner_text("#fault-numbers tbody") != first
    timing = page.inner_text("#fault-timing tbody")
    page.select_option("#fault-alarm", index=2)
    assert page.inner_text("#fault-timing tbody") != timing
    page.click("#fault-watch")
    assert not dialog.is_visible()
    assert page.input_value("#episode-split") == "dynamics/gravity@extreme-up"


def test_the_episode_viewer_reacts_to_every_choice(page):
    for control in ("world", "split", "name"):
        before = page.inner_html("#episode")
        page.select_option(f"#episode-{control}", index=1)
        assert page.inner_html("#episode") != before, control
    assert page.locator('#episode [data-part="fault"]').count() == 1
    assert page.locator('#episode [data-part="score"]').count() == 1
    straight = page.get_attribute('#episode [data-part="score"]', "d")
    page.check("#episode-log")
    assert page.get_attribute('#episode [data-part="score"]', "d") != straight


def test_dark_follows_the_reader_and_the_button(page):
    def colour():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = colour()
    page.click("#theme")
    dark = colour()
    assert dark != light
    page.click("#theme")
    assert colour() == light
    page.evaluate("localStorage.clear(); delete document.documentElement.dataset.theme")
    page.emulate_media(color_scheme="dark")
    assert colour() == dark


def test_nothing_is_wider_than_the_window(page):
    for width in (1280, 700, 380):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_prints(page, tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(page.pdf(format="A4"))
    assert path.stat().st_size > 20_000
