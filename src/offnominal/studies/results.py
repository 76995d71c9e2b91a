"""The results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STUDY = "study"


@dataclass(frozen=True, slots=True, eq=False)
class RunResults:
    """The results of a run: numbers, examples, failures, and how they were made.

    Args:
        name: Name of the study.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        scale: Scale of the study.
        manifest: Keys of the cells, versions, commit, hardware, seeds, time and memory.
        table: One row per (cell, split, alarm). Rows without an alarm hold discrimination, those with one hold timing.
        examples: One row per recorded episode: its scores, those of its nominal twin, thresholds and alarms.
        failures: One entry per cell that failed: error, message, traceback, cell.
        missing: Labels of all cells of the run that have no result, those that failed included. Whatever is computed
            from the table leaves them out.
        folder: Folder of the run; None if the results were not opened from one.
    """

    name: str
    title: str
    summary: str
    scale: str
    manifest: Mapping[str, Any]
    table: Any
    examples: Any
    failures: Sequence[Mapping[str, Any]] = field(default=())
    missing: Sequence[str] = field(default=())
    folder: Path | None = None

    @classmethod
    def none(cls) -> RunResults:
        """Return results without rows, for published tables that no study computes."""
        import pyarrow as pa

        return cls("", "", "", "", {}, pa.table({}), pa.table({}))

    @classmethod
    def example(cls) -> RunResults:
        """Return results of two detectors on two levels of a fault.

        Example:
            >>> RunResults.example().cells
            2
        """
        import pyarrow as pa

        about = {"world": "Toy-v0", "policy": "tqc", "seed": 0, "anomaly": "action/noise", "kind": "action"}
        numbers = {("LOF", "tiny"): 0.5, ("LOF", "strong"): 0.9, ("KNN", "tiny"): 0.6, ("KNN", "strong"): 0.9}
        rows = [
            about
            | {"key": name, "name": name, "detector": name, "level": level, "variant": level, "alarm": None}
            | {"split": f"action/noise@{level}", "auroc": auroc, "draws_auroc": [auroc - 0.01, auroc + 0.01]}
            for (name, level), auroc in numbers.items()
        ]
        return cls("toy", "A toy", "", "quick", {}, pa.Table.from_pylist(rows), pa.table({}))

    @property
    def cells(self) -> int:
        """Number of finished cells."""
        return len(set(self.table["key"].to_pylist())) if self.table.num_rows else 0

    @property
    def kind(self) -> str:
        """Kind of the study, as its configuration in the manifest says: ``study`` unless it names another."""
        config = self.manifest.get("config")
        return str(config.get("kind", STUDY)) if isinstance(config, Mapping) else STUDY
