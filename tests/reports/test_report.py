"""Page, tables and figures say the same, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from offnominal.core.errors import InvalidParameter, MissingProvenance
from offnominal.evaluation.estimate import Estimate
from offnominal.reports.comparison_terminal import comparison_terminal
from offnominal.reports.latex import latex
from offnominal.reports.published_comparison import comparison_html, comparison_markdown
from offnominal.reports.report import publish_report
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.published_comparison import PublishedComparison, Rule

from .synthetic import ALARMS, SKILL, WORLDS, run_results

pytestmark = pytest.mark.long

FIGURES = (
    "leaderboard",
    "critical_difference",
    "by_kind",
    "by_level",
    "heat_map",
    "delay_false_alarms",
    "detection_over_time",
)
TABLES = ("leaderboard", "worlds", "levels", "ranks", "timing")
SHARE = Rule("measured", margin=0.05, close=0.02)
LINES = [
    PublishedComparison({"detector": "KNN"}, Estimate(0.71, np.array([0.7, 0.72])), 0.70, SHARE),
    PublishedComparison({"detector": "<b>"}, Estimate(0.9, np.array([0.89, 0.91])), 0.5, SHARE, note="other data"),
    PublishedComparison({"detector": "RIQN"}, Estimate(0.9), None),
]


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_there_as_pixels_and_as_vectors(folder, name):
    assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    drawn = (folder / "figures" / f"{name}.svg").read_text()
    assert "PE-DM" in drawn
    assert "<dc:date>" not in drawn


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_there_in_every_format(folder, name):
    rows = list(csv.DictReader((folder / "tables" / f"{name}.csv").open()))
    assert rows
    shown = (folder / "tables" / f"{name}.md").read_text()
    published = (folder / "tables" / f"{name}.tex").read_text()
    assert r"\toprule" in published
    for detector in SKILL:
        assert detector in shown
        assert detector in published
    assert not re.search(r"(?<!\\)%", published)


def test_the_leaderboard_on_disk_is_that_of_the_results(folder, made_up):
    rows = [
        row
        for row in csv.DictReader((folder / "tables" / "leaderboard.csv").open())
        if row["metric"] == "matched_auroc"
    ]
    entries = leaderboard(made_up.table)
    assert [row["detector"] for row in rows] == [standing.name for standing in entries]
    assert [float(row["low"]) for row in rows] == pytest.approx([standing.estimate.low for standing in entries])


def test_timing_has_one_row_per_alarm_and_detector(folder, made_up):
    rows = list(csv.DictReader((folder / "tables" / "timing.csv").open()))
    assert len(rows) == len(ALARMS) * len(SKILL)
    chosen = next(row for row in rows if (row["alarm"], row["detector"]) == ("EpisodeMaximum", "KNN"))
    values = [
        row["miss_rate"]
        for row in made_up.table.to_pylist()
        if (row["alarm"], row["name"]) == ("EpisodeMaximum", "KNN")
    ]
    assert float(chosen["missed"]) == pytest.approx(sum(values) / len(values))


def test_latex_commands_in_names_are_text():
    assert r"a\_b \& 5\,\%" not in latex([{"x": "a_b & 5 %"}])
    assert r"a\_b \& 5 \%" in latex([{"x": "a_b & 5 %"}])


def test_a_comparison_fits_into_eighty_columns():
    out = io.StringIO()
    lines = [
        PublishedComparison(
            {"method": name, "training": "NovelCraft", "metric": metric, "context": "–"},
            Estimate(0.5, np.array([0.4, 0.6])),
            0.5,
            SHARE,
            note="one fifth of the delay" if metric.startswith("delay") else "",
        )
        for name in ("Visual", "Multimodal")
        for metric in ("AUROC", "delay at TPR95")
    ]
    Console(file=out, width=80).print(comparison_terminal("Table 4", lines))
    text = out.getvalue()
    assert text.count("NovelCraft") == text.count("Visual") == text.count("one fifth of the delay") == 1
    assert text.count("[1]") == 3
    assert "context" not in text
    assert text.count("0.500 [0.400, 0.600]") == 4


def test_a_comparison_with_published_results_is_the_same_everywhere():
    out = io.StringIO()
    Console(file=out, width=140).print(comparison_terminal("Table 12", LINES))
    for shown in (out.getvalue(), comparison_markdown(LINES), comparison_html("Table 12", LINES)):
        assert "✓ reproduced closely" in shown
        assert "✗ differs" in shown
        assert "+0.400" in shown
        assert "other data" in shown
        said = "Measured results: of 2 published values 1 is reproduced (1 closely), 1 differs."
        assert said in " ".join(shown.split())
    assert "<b>" not in comparison_html("", LINES)


@pytest.mark.usefixtures("blank_figures")
def test_a_published_report_links_to_its_manifest_without_paths_of_the_machine(tmp_path):
    small = run_results(replicates=20, seeds=1, worlds=WORLDS[:1], names=("KNN", "Time"))
    run = replace(small, manifest={**small.manifest, "store": "/home/me/runs/store"})
    page = publish_report(run, tmp_path / "published").read_text(encoding="utf-8")
    assert '<a href="run.json">Manifest</a>' in page
    assert "/home/me" not in page
    kept = json.loads((tmp_path / "published" / "run.json").read_text())
    assert kept["commit"] == small.manifest["commit"]
    assert "store" not in kept


@pytest.mark.parametrize("lacking", [{"commit": ""}, {"versions": {"python": "3.12.3"}}])
def test_results_of_unknown_origin_are_not_published(made_up, tmp_path, lacking):
    with pytest.raises(MissingProvenance, match=r"commit|version"):
        publish_report(replace(made_up, manifest={**made_up.manifest, **lacking}), tmp_path / "published")
    assert not (tmp_path / "published").exists()


def test_a_report_is_not_published_over_its_run(made_up, tmp_path):
    with pytest.raises(InvalidParameter, match="folder of the run itself"):
        publish_report(replace(made_up, folder=tmp_path), tmp_path)
