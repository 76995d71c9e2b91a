"""Report of a detector on driving scenes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.evaluation.scenes.elements import Unit
from offnominal.evaluation.scenes.scene_metrics import SceneMetrics
from offnominal.evaluation.scenes.temporal import TemporalMetrics

SHOWN = ("auroc", "aupr", "fpr95", "f1", "ppv", "f1_star", "ppv_star")


@dataclass(frozen=True)
class SceneReport:
    """Metrics of a detector on driving scenes.

    Args:
        rows: Metrics of all rows of all units.
        temporal: Metrics of temporal anomalies by unit; empty without such scenes.
        thresholds: Threshold of each unit, chosen on the validation scenes.
    """

    rows: tuple[SceneMetrics, ...]
    temporal: dict[Unit, TemporalMetrics] = field(default_factory=dict)
    thresholds: dict[Unit, float] = field(default_factory=dict)

    def row(self, name: str, unit: Unit = "voxel") -> SceneMetrics:
        """Return the metrics of a row, such as ``"default"``, ``"+norm"`` or ``"medium"``."""
        found = {each.name: each for each in self.rows if each.unit == unit}
        if name not in found:
            raise UnknownName(f"no row {name!r} of the unit {unit!r}.{did_you_mean(name, found)}")
        return found[name]

    def table(self) -> list[dict[str, Any]]:
        """Return all rows as plain data, for CSV or a data frame."""
        return [row.columns() for row in self.rows]

    def __str__(self) -> str:
        lines = [f"{'row':24} {'frames':>6} {'positives':>10} " + " ".join(f"{name:>8}" for name in SHOWN)]
        for row in self.rows:
            numbers = row.numbers()
            values = (numbers[name].value if name in numbers else None for name in SHOWN)
            shown = " ".join(f"{'–' if value is None else format(value, '.3f'):>8}" for value in values)
            lines.append(f"{row.unit + ' ' + row.name:24} {row.frames:6} {row.positives:10} {shown}")
        return "\n".join(lines)
