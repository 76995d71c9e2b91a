"""What a reader takes from a page: figures with legends, LaTeX that compiles, a print-out with whole tables."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest

from offnominal.reports.fault_page import write_fault_page
from offnominal.reports.latex import escaped, latex
from offnominal.reports.page import PageContent, write_page
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_section import table_section

from ..reports.synthetic import SKILL, run_results

pytestmark = pytest.mark.long

LATEX = shutil.which("pdflatex")
DOCUMENT = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\n\\end{document}\n"
DARK_INK = "rgb(29, 31, 35)"
"""Of text on the light page."""
PRINTED = {"A4": 673, "Letter": 695}
"""CSS pixels of a line between the margins of the print-out."""


def saved(page, tools, kind):
    with page.expect_download() as found:
        page.locator(tools).get_by_text(kind, exact=True).click()
    return found.value.path().read_bytes()


def cells(content):
    """Return the cells of a table in LaTeX, the header first."""
    return [line.strip().removesuffix(r" \\").split(" & ") for line in content.splitlines() if line.endswith(r"\\")]


def test_a_saved_figure_has_its_legend_and_light_colours(page):
    page.click("#theme")
    page.select_option("#curves", "seen")
    text = saved(page, "#tradeoff + .tools", "SVG").decode()
    for name in (*SKILL, "ThreeSigma", "EpisodeMaximum"):
        assert f">{name}</text>" in text
    assert re.search(r'<rect[^>]*fill="#fff"', text)
    assert DARK_INK in text
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_hidden_detectors_are_not_in_the_legend_of_a_saved_figure(page):
    page.locator("#tradeoff .legend button", has_text="KNN").click()
    text = saved(page, "#tradeoff + .tools", "SVG").decode()
    assert ">KNN</text>" not in text
    assert ">Mahalanobis</text>" in text


def test_a_saved_image_is_white_in_the_dark_and_higher_than_its_chart(page):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    page.click("#theme")
    found = image.open(io.BytesIO(saved(page, "#compare-scatter + .tools", "PNG"))).convert("RGB")
    assert found.width == 2 * 520
    assert found.height > 2 * 500
    pixels = np.asarray(found)
    assert (pixels[:4] == 255).all()
    assert (pixels[2 * 500 :] != 255).any()  # the legend


def test_the_scatter_has_the_first_detector_upwards_as_on_the_server(page):
    labels = page.eval_on_selector_all(
        "#compare-scatter > svg > text:not(.quiet)", "texts => texts.map(text => text.textContent)"
    )
    first, second = (page.locator(f"#compare-{side} option:checked").inner_text() for side in ("first", "second"))
    assert labels[0].startswith(f"{second}:")
    assert labels[1].startswith(f"{first}:")
    marks = page.eval_on_selector_all(
        "#compare-scatter path[data-fault]",
        """marks => marks.map((mark) =>
            [mark.dataset.tip, ...mark.getAttribute("transform").match(/[0-9.]+/g).map(Number)])""",
    )
    (low, x_low, y_low), (high, x_high, y_high) = (
        choose(marks, key=lambda mark: float(mark[0].split(": ")[1].split(" against ")[0])) for choose in (min, max)
    )
    assert y_high < y_low, (low, high, x_low, x_high)
    assert f"Above the dashed line {first} is better" in page.inner_text("#compare-scatter figcaption")


def test_saved_latex_has_names_without_tags_and_no_column_of_graphs(page):
    header, *rows = cells(saved(page, "#ranking .tools", "LaTeX").decode())
    assert header[:4] == ["Rank", "Detector", "Ties", r"Net detection $\uparrow$ better"]
    assert len(header) == 6
    assert {row[1] for row in rows} == set(SKILL)
    assert page.locator("#leaderboard tr", has_text="Random").locator("th").text_content() == "Random baseline"


@pytest.mark.skipif(LATEX is None, reason="LaTeX is not installed")
def test_saved_latex_compiles(page, tmp_path):
    tables = [
        saved(page, f'{section} .tools:has-text("LaTeX") >> nth=0', "LaTeX").decode()
        for section in ("#ranking", "#compare", "#matrices", "#timing", "#guarantees")
    ]
    compiled(tables, tmp_path)


@pytest.mark.skipif(LATEX is None, reason="LaTeX is not installed")
def test_tables_on_disk_compile(tmp_path):
    signs = "a_b & 5 % $ # {x} ~ ^ < > | ` × ± → ↑ ↓ − ≤ ≥ ≈ ∞ · … σ µ – \\ “é”"
    compiled([latex([{"detector": signs, "±": 0.5}, {"detector": "[x]", "±": 1.0}], signs), escaped(signs)], tmp_path)


def compiled(tables, folder):
    (folder / "page.tex").write_text(DOCUMENT % "\n".join(tables), encoding="utf-8")
    command = [LATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(
        command, check=False, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (folder / "page.log").read_text(errors="replace")


def test_zeros_stand_apart_on_the_log_axis(browser, tmp_path):
    run = run_results(replicates=20, seeds=1, worlds=("SAP-Goal1-v0",))
    place = run.table.column_names.index("false_alarms")
    numbers = pc.if_else(pc.equal(run.table["name"], "KNN"), 0.0, pc.multiply(run.table["false_alarms"], 0.5))
    run = replace(run, table=run.table.set_column(place, "false_alarms", numbers))
    opened = browser.new_page()
    opened.goto(write_fault_page(run, tmp_path / "page.html").as_uri())
    opened.select_option("#curves", "seen")
    ticks = dict(
        opened.eval_on_selector_all(
            "#tradeoff > svg > text.quiet[text-anchor=middle]",
            "texts => texts.map(text => [text.textContent, Number(text.getAttribute('x'))])",
        )
    )
    marks = opened.eval_on_selector_all(
        "#tradeoff > svg > path[data-tip][transform]",
        """marks => marks.map((mark) =>
            [mark.dataset.tip.split(",")[0], Number(mark.getAttribute("transform").match(/[0-9.]+/)[0])])""",
    )
    opened.close()
    assert {at for name, at in marks if name == "KNN"} == {ticks["0"]}
    others = {at for name, at in marks if name != "KNN"}
    assert min(others) > ticks["0"] + 30
    assert len(others) > 20  # other rates have places of their own


@pytest.fixture(scope="module")
def wide_table(tmp_path_factory):
    """The address of a page with a table of many columns."""
    row = {"world": "MJC-HalfCheetah-v0"} | {f"AnomalyTransformer-{k}": "0.827 [0.801, 0.853]" for k in range(13)}
    content = PageContent("Wide.", [table_section(StudyTable("wide", "Wide", [row] * 3, [row] * 3))])
    return write_page(run_results(replicates=2), content, tmp_path_factory.mktemp("wide") / "page.html").as_uri()


@pytest.mark.parametrize("paper", sorted(PRINTED))
def test_no_table_is_cut_in_print(page, address, wide_table, paper):
    for opened in (address, wide_table):
        page.goto(opened)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": PRINTED[paper], "height": 900})
        wide = page.eval_on_selector_all(
            "main table, main svg",
            """(parts) => parts.filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
            .map((part) => [part.id || part.dataset.name, part.getBoundingClientRect().right])""",
        )
        assert not wide
        assert page.evaluate("document.documentElement.scrollWidth") <= PRINTED[paper]
        assert page.evaluate("getComputedStyle(document.body).color") == DARK_INK
