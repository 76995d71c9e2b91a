"""The report of a study of driving scenes: tables, one figure and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.papers.anovox.figure import auroc_figure
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.tables import scene_tables
from offnominal.reports.figures import pyplot
from offnominal.reports.save_figures import save_figures
from offnominal.reports.simple_page import write_simple_report
from offnominal.studies.results import RunResults

CAPTION = (
    "AUROC with 95 % intervals over scenarios; 0.5 is random (dashed). Voxels of content anomalies by size, and "
    "frames with a temporal anomaly."
)


def write_scene_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a run; return the page."""
    found = SceneResults.of(results.table)
    save_figures(pyplot(), {"auroc": lambda plt: auroc_figure(plt, found)}, folder / "figures", dpi=200)
    summary = f"{len(found.names)} detectors, {results.cells} cells."
    return write_simple_report(results, summary, scene_tables(found), {"auroc": CAPTION}, folder)
