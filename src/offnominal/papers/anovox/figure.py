"""The figure of a study of driving scenes: AUROC by row and detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_rows import FRAME
from offnominal.reports.colours import colours

ROWS = {size: size for size in ("default", "+norm", "tiny", "small", "medium", "big", "huge")} | {FRAME: "temporal"}
SPREAD = 0.75
"""Height of the marks of one row."""
MARKERS = ("o", "s", "^", "D")


def auroc_figure(plt: Any, found: SceneResults) -> Any:
    """Draw the AUROC of every detector by row, with 95 % intervals."""
    known = [row for unit, _, row in found.splits if unit == "voxel" and row in ROWS]
    rows = [row for row in ROWS if row in known]
    high = max(0.5, 0.09 * len(found.names))
    figure, axes = plt.subplots(figsize=(6.0, 1.2 + high * len(rows)), layout="constrained")
    shades = colours(found.names)
    shapes = _markers(found.names, shades)
    step = SPREAD / max(len(found.names), 1)
    for number, name in enumerate(found.names):
        for place, row in enumerate(rows):
            value = found.estimate(name, "voxel", row, "auroc")
            height = place + step * (number - (len(found.names) - 1) / 2)
            if value.value is not None:
                ends = [each for each in (value.low, value.high) if each is not None]
                axes.plot(ends, [height] * len(ends), color=shades[name], lw=3, alpha=0.4)
                axes.plot(value.value, height, shapes[name], ms=4.5, color=shades[name])
        axes.plot([], [], shapes[name], color=shades[name], label=name)
    axes.axvline(0.5, color="#888888", lw=0.9, ls=(0, (3, 3)), zorder=0)
    axes.set_yticks(range(len(rows)), [ROWS[row] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("AUROC")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    return figure


def _markers(names: Sequence[str], shades: Mapping[str, str]) -> dict[str, str]:
    """Return a marker for each detector; detectors of one colour have different ones."""
    before: dict[str, int] = {}
    found = {}
    for name in names:
        number = before.get(shades[name], 0)
        before[shades[name]] = number + 1
        found[name] = MARKERS[number % len(MARKERS)]
    return found
