"""The report of a study of driving scenes: tables, one figure and one page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from offnominal.core.files import write_bytes
from offnominal.core.plot_style import pyplot
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_rows import FRAME
from offnominal.papers.anovox.tables import leaderboard_rows, scene_tables
from offnominal.reports.dot_panels import dot_panels
from offnominal.reports.save_figures import save_figures
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

CAPTION = (
    "AUROC with 95 % intervals over scenarios; 0.5 is random (dashed). Voxels of content anomalies by size, and "
    "frames with a temporal anomaly."
)

EXAMPLES = (
    "{name}: the frames with the highest F1 of the voxels, with most missed voxels and with most false alarms. "
    "Camera, lidar and voxel truth above, scores and outcomes below."
)


def write_scene_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a run; return the page."""
    found = SceneResults.of(results.table)
    save_figures(pyplot(), {"auroc": lambda plt: auroc_figure(plt, found)}, folder / "figures", dpi=200)
    captions = {"auroc": CAPTION} | _write_examples(results, found.names, folder / "figures")
    facts = {"detectors": len(found.names)}
    return write_table_report(results, _headline(found), scene_tables(found), captions, folder, facts=facts)


def _headline(found: SceneResults) -> str:
    """Return the detector with the highest AUROC on content anomalies."""
    rows = leaderboard_rows(found)
    if not rows:
        return "No detector has finished."
    best = rows[0]
    return f"{best['detector']} has the highest AUROC of the voxels of content anomalies: {best['content AUROC']}."


def _write_examples(results: RunResults, names: Sequence[str], folder: Path) -> dict[str, str]:
    """Write one image of example frames per detector; return their captions by file name."""
    captions: dict[str, str] = {}
    stored = results.examples.to_pylist() if results.examples.num_columns else []
    first = {row["name"]: row for row in sorted(stored, key=lambda row: -row["seed"])}
    for name in (name for name in names if name in first):
        file = f"examples-{names.index(name) + 1}"
        write_bytes(folder / f"{file}.png", first[name]["png"])
        captions[file] = EXAMPLES.format(name=name)
    return captions


ROWS = {size: size for size in ("default", "+norm", "tiny", "small", "medium", "big", "huge")} | {FRAME: "temporal"}


def auroc_figure(plt: Any, found: SceneResults) -> Any:
    """Draw the AUROC of every detector with its 95 % interval, a panel per row; the best of the first row is on top."""
    known = [row for unit, _, row in found.splits if unit == "voxel" and row in ROWS]
    rows = [row for row in ROWS if row in known]
    names = list(found.names)
    if rows:
        names.sort(key=lambda name: -(_auroc(found, rows[0], name).value or 0.0))
    panels = {ROWS[row]: partial(_auroc, found, row) for row in rows}
    return dot_panels(plt, names, panels, label="AUROC of voxels (0.5 = random)", random_value=0.5)


def _auroc(found: SceneResults, row: str, name: str) -> Estimate:
    return found.estimate(name, "voxel", row, "auroc")
