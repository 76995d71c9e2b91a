"""The figure of a study of driving scenes: AUROC by row and detector."""

from __future__ import annotations

from functools import partial
from typing import Any

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_rows import FRAME
from offnominal.reports.dot_panels import dot_panels

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
