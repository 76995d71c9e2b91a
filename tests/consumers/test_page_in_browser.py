"""A real browser opens a report from disk, and all controls work."""

from __future__ import annotations

import csv
import io
import json
import math
from functools import cache

import pytest

import offnominal as off
from offnominal.core.directories import DATA_VARIABLE
from offnominal.evaluation.delays import HALF_MISSED
from offnominal.reports.default_alarm import default_alarm
from offnominal.reports.timings import TIMING, timing_rows

from ..blank_figures import blank_figures
from ..papers.made_runs import RUNS
from ..reports.synthetic import run_results
from .accessibility import ALL, ANOTHER_LOOK, serious_findings

pytestmark = pytest.mark.long


@cache
def made_up_run():
    return run_results(replicates=60)


@pytest.fixture(scope="module", params=sorted(RUNS.keys() - {"image-search"}))
def of_kind(request, tmp_path_factory):
    """The address of the page of a study of each kind; the searches of tables and images have the same."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch, blank_figures():
        patch.setenv(DATA_VARIABLE, str(folder / "nothing"))
        return off.write_report(RUNS[request.param](), folder).as_uri()


def download(page, action):
    with page.expect_download() as found:
        action()
    return found.value.suggested_filename, found.value.path().read_bytes()


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


def test_the_arrow_of_a_sorted_column_stands_beside_its_label_only(page):
    arrows = """() => [...document.querySelectorAll("#leaderboard th[aria-sort] button")]
        .map((button) => getComputedStyle(button, "::after").content)"""
    page.locator("#leaderboard thead button", has_text="Detection").click()
    assert page.evaluate(arrows) == ['" ↓"', "none"]


def test_filters_change_every_part(page):
    parts = ("leaderboard", "critical", "spread-kind", "by-world", "heat", "timing-table")
    curves = page.inner_html("#tradeoff")
    before = {part: page.inner_html(f"#{part}") for part in parts}
    page.select_option("#kind", label="dynamics")
    assert all(page.inner_html(f"#{part}") != text for part, text in before.items())
    assert page.inner_text("#status") == "12 faults"
    page.select_option("#level", label="extreme")
    page.select_option("#world", index=1)
    assert page.inner_text("#status") == "1 fault"
    assert page.inner_html("#tradeoff") != curves
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("document.getElementById('status').textContent === '36 faults'")
    assert {part: page.inner_html(f"#{part}") for part in parts} == before
    assert page.inner_html("#tradeoff") == curves


def test_a_metric_where_less_is_better_keeps_the_best_first(page):
    page.select_option("#metric", label="Net delay")
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


def test_the_alarm_with_a_guarantee_is_chosen_first(page):
    guaranteed = default_alarm(made_up_run().table)
    assert guaranteed == "EpisodeMaximum" != page.locator("#alarm option").first.inner_text()
    assert page.input_value("#alarm") == guaranteed
    page.locator("#heat-table td[data-fault]").first.click()
    assert page.input_value("#fault-alarm") == guaranteed


def test_baselines_are_marked(page):
    marked = page.eval_on_selector_all("#leaderboard .baseline", "cells => cells.map(cell => cell.textContent)")
    assert sorted(marked) == ["PE-DM-untrained baseline", "Random baseline", "Time baseline"]


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
    page.select_option("#fault-alarm", index=0)
    assert page.inner_text("#fault-timing tbody") != timing
    page.click("#fault-watch")
    assert not dialog.is_visible()
    assert page.input_value("#episode-split") == "dynamics/gravity@extreme-up"


def test_the_episode_viewer_reacts_to_every_choice(page):
    for control in ("world", "split", "name"):
        before = page.inner_html("#episode")
        chosen = page.evaluate(f"document.getElementById('episode-{control}').selectedIndex")
        page.select_option(f"#episode-{control}", index=0 if chosen else 1)
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


def test_filters_hidden_detectors_and_pairs_are_in_the_address(page, browser):
    page.select_option("#metric", label="AUROC")
    page.select_option("#kind", label="dynamics")
    page.select_option("#compare-first", label="KNN")
    page.locator("#spread-kind .legend button", has_text="Random").click()
    page.get_by_role("link", name="Timing").click()
    page.wait_for_function("location.hash.startsWith('#timing?')")
    other = browser.new_page()
    other.goto(page.url)
    assert other.inner_text("#status") == "12 faults"
    assert other.input_value("#metric") == page.input_value("#metric")
    for part in ("leaderboard", "spread-kind", "compare-table", "heat"):
        assert other.inner_html(f"#{part}") == page.inner_html(f"#{part}"), part
    other.wait_for_function("Math.abs(document.getElementById('timing').getBoundingClientRect().top) < innerHeight")
    other.close()


def test_curves_are_controlled_for_time_and_those_of_an_operator_are_a_choice(page):
    alarms = page.locator("#tradeoff path[data-tip][transform]")
    assert page.input_value("#curves") == "net"
    assert alarms.count() == 0
    assert page.locator("#tradeoff line.random").count() == 2
    assert "Elapsed time counts" not in page.inner_text("#tradeoff figcaption")
    controlled = page.inner_html("#tradeoff")
    page.select_option("#curves", "seen")
    assert alarms.count() > 0
    assert page.locator("#tradeoff line.random").count() == 0
    assert "Elapsed time counts" in page.inner_text("#tradeoff figcaption")
    page.select_option("#curves", "net")
    assert page.inner_html("#tradeoff") == controlled


def test_a_legend_hides_a_detector_in_figures_and_heat_maps(page):
    page.select_option("#curves", "seen")
    before = page.locator("#tradeoff path[data-tip]").count()
    entry = page.locator("#tradeoff .legend button", has_text="KNN")
    entry.press("Enter")
    panels, curve, alarms = 2, 1, 3
    assert page.locator("#tradeoff path[data-tip]").count() == before - panels * (curve + alarms)
    assert "KNN" not in page.inner_text("#heat-table thead")
    assert page.locator("#tradeoff .legend button", has_text="KNN").get_attribute("aria-pressed") == "false"
    assert "KNN" in names(page)


def test_two_detectors_are_compared_in_both_directions(page):
    said = page.inner_text("#compare-verdict")
    counts = page.locator("#compare-table tbody tr").first.locator("td").all_inner_texts()[:3]
    assert said.startswith("PE-DM − ")
    assert sum(map(int, counts)) == 36
    assert page.locator("#compare-scatter path[data-fault]").count() == 36
    page.get_by_role("button", name="Swap").click()
    assert page.locator("#compare-table tbody tr").first.locator("td").all_inner_texts()[:3] == counts[::-1]
    assert page.inner_text("#compare-verdict").partition(":")[0].endswith("− PE-DM")


def test_tables_figures_and_manifest_are_saved_from_the_page(page):
    page.select_option("#kind", label="dynamics")
    tools = page.locator("#ranking .tools")
    name, content = download(page, tools.get_by_text("CSV").click)
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "synthetic-leaderboard.csv"
    assert [row["detector"] for row in rows] == names(page)
    # The made-up replicates of a share of zero are all above it.
    found = [row for row in rows if float(row["net_detection"]) > 0.0]
    assert len(found) > 5
    assert all(float(row["low"]) <= float(row["net_detection"]) <= float(row["high"]) for row in found)
    _, content = download(page, tools.get_by_text("LaTeX").click)
    assert rb"\toprule" in content
    assert b"PE-DM & " in content
    _, content = download(page, page.locator("#differences .tools").get_by_text("PNG").click)
    assert content.startswith(b"\x89PNG")
    assert len(content) > 10_000
    _, content = download(page, page.locator("#save-manifest").click)
    assert json.loads(content)["commit"] == "0123456789abcdef"


def test_definitions_and_marks_are_read_by_keyboard_and_touch(page, browser, address):
    page.locator("#leaderboard button.tip").nth(1).focus()
    assert "Share of the faults" in page.inner_text("#tip")
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()
    page.locator("#tradeoff > svg").focus()
    page.keyboard.press("ArrowRight")
    first = page.inner_text("#tip")
    page.keyboard.press("ArrowRight")
    assert first in names(page)
    assert first != page.inner_text("#tip")
    phone = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    phone.goto(address)
    phone.locator("#metric-tip").tap()
    assert "Share of the faults" in phone.inner_text("#tip")
    phone.close()


def test_the_dialog_of_a_fault_starts_at_its_left_edge_on_a_phone(browser, address):
    phone = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    phone.goto(address)
    phone.locator("#heat-table td[data-fault]").first.tap()
    assert phone.evaluate("[...document.querySelectorAll('#fault, #fault .scroll')].every(e => !e.scrollLeft)")
    box = phone.locator("#fault-close").bounding_box()
    assert box["x"] + box["width"] <= 390
    phone.close()


def test_the_first_episode_is_a_clean_detection(page):
    steps = page.eval_on_selector_all(
        '#episode [data-part="alarm"]', "marks => marks.map(mark => Number(mark.dataset.tip.split('step ')[1]))"
    )
    onset = int(page.locator("#episode dl.facts dd").first.inner_text())
    assert steps
    assert min(steps) >= onset


def test_tables_of_every_kind_are_sorted_filtered_and_saved(browser, of_kind):
    opened = browser.new_page()
    opened.goto(of_kind)
    table = opened.locator("main table.static").first
    if not table.count():
        pytest.skip("a study on faults has its own tables")
    first = table.locator("tbody tr > :first-child").all_inner_texts()
    button = table.locator("thead button").first
    button.click()
    button.click()
    assert table.locator("tbody tr > :first-child").all_inner_texts() == sorted(first, key=str.lower, reverse=True)
    section = opened.locator("main section").filter(has=opened.locator("table.static")).first
    tools = section.locator(".tools").first
    _, content = download(opened, tools.get_by_text("CSV").click)
    assert len(list(csv.reader(io.StringIO(content.decode())))) > 1
    opened.close()


FEW_ROWS = """() => {
  const count = {};
  for (const row of document.querySelectorAll("tbody tr")) {
    const parts = [row.closest("section"), row.closest("table"), row, ...row.querySelectorAll("*")];
    const kind = parts.map((part) => part && [part.tagName, part.id, part.getAttribute("class"), part.style.cssText]);
    const name = JSON.stringify(kind);
    count[name] = (count[name] ?? 0) + 1;
    if (count[name] > 2) row.remove();
  }
  return document.querySelectorAll("*").length;
}"""
"""Leaves two rows of each kind in a table: the time to check colours grows with the square of their number."""


# No width hides an element and no width has colours of its own: two looks are all widths and all colours.
# By default the second one is that of a page of the server, which has the same colours.
@pytest.mark.parametrize(
    ("width", "scheme", "rules"),
    [(1280, "light", ALL), pytest.param(390, "dark", ANOTHER_LOOK, marks=pytest.mark.slow)],
    ids=["light", "dark"],
)
def test_every_kind_of_page_is_accessible(browser, of_kind, width, scheme, rules):
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    opened = browser.new_page(color_scheme="light")
    problems = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto(of_kind)
    for wide in (390, 1280):
        opened.set_viewport_size({"width": wide, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth") <= wide
    opened.evaluate(FEW_ROWS)
    opened.set_viewport_size({"width": width, "height": 900})
    opened.emulate_media(color_scheme=scheme)
    problems += serious_findings(opened, rules)
    opened.close()
    assert not problems


def test_numbers_at_risk_follow_the_alarm_and_the_world(page):
    def at_risk(name):
        rows = page.eval_on_selector_all("#incidence svg text", "texts => texts.map(text => text.textContent)")
        first = rows.index(name) + 1
        return rows[first : first + len(data["ticks"])]

    def expected(alarm, world, name):
        points = data["alarms"][alarm][world][names_of_page.index(name)]
        return [f"{points[data['steps'].index(tick)][4]:,}" for tick in data["ticks"]]

    content = json.loads(page.locator("#data").text_content())
    data, names_of_page = content["incidence"], content["names"]
    default, other = content["timing"]["default"], "ThreeSigma"
    assert at_risk("KNN") == expected(default, "-1", "KNN")
    page.locator("#alarm").select_option(other)
    assert at_risk("KNN") == expected(other, "-1", "KNN") != expected(default, "-1", "KNN")
    page.locator("#world").select_option(content["worlds"][1])
    assert at_risk("KNN") == expected(other, "1", "KNN") != expected(other, "-1", "KNN")
