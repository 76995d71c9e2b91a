"""The study kind of the gap between simulated scenes and photographs: its study, its cells, and how one is computed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.files import sha256_of
from offnominal.core.plot_style import pyplot
from offnominal.core.rounding import fixed
from offnominal.datasets.scenes import ROAD_IMAGE_SETS
from offnominal.detectors.scenes import scene_detectors
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.scenes.domain_gap import HERE, measure_gap
from offnominal.papers.anovox.cell import DrivingCell
from offnominal.papers.anovox.kind import DrivingKind
from offnominal.papers.anovox.scene_sets import SceneSets, open_scene_sets
from offnominal.papers.anovox.study import DrivingStudy
from offnominal.reports.dot_panels import dot_panels
from offnominal.reports.save_figures import save_figures
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.detector_study import DetectorScale
from offnominal.studies.kind import Rows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults

GAP = "domain-gap"
METRICS = ("auroc", "aupr", "fpr95")
HEADLINE = "Trained on one domain and tested on another: simulated scenes and photographs of roads."
CAPTION = "AUROC of pixels, trained → tested, means over training seeds; 0.5 is random (dashed)."
NAMES = {"trained on": "trained_on_name", "tested on": "tested_on_name"}
"""Columns of texts in results."""
NOTHING = "No set of photographs was in the data home, so that only the simulated scenes are tested."


@dataclass(frozen=True)
class GapCell(DrivingCell):
    """One detector of colours with one seed: trained and tested on simulated scenes and on photographs.

    The other fields are those of :class:`~offnominal.papers.anovox.cell.DrivingCell`.

    Args:
        sets: Sets of photographs.
        replicates: Number of bootstrap replicates.
        kind: Id of the study kind.

    Example:
        >>> cell = GapCell("PatchKNN", "PatchKNN")
        >>> cell.label, cell == GapCell.from_dict(cell.to_dict())
        ('gap/PatchKNN/0', True)
    """

    sets: tuple[str, ...] = tuple(ROAD_IMAGE_SETS)
    replicates: int = REPLICATES
    kind: Literal["domain-gap"] = "domain-gap"

    @property
    def label(self) -> str:
        """Name of the detector and seed."""
        return f"gap/{self.name}/{self.seed}"


@dataclass(frozen=True)
class GapStudy(DrivingStudy):
    """Detectors of colours, trained and tested on simulated scenes and on photographs.

    The other fields are those of :class:`~offnominal.papers.anovox.study.DrivingStudy`.

    Args:
        sets: Sets of photographs.
        replicates: Number of bootstrap replicates.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.
    """

    sets: tuple[str, ...] = tuple(ROAD_IMAGE_SETS)
    replicates: int = REPLICATES
    scales: dict[str, DetectorScale] = field(default_factory=dict)
    kind: Literal["domain-gap"] = "domain-gap"

    def __post_init__(self) -> None:
        self._check("sets")
        for name in self.sets:
            if name not in ROAD_IMAGE_SETS:
                raise UnknownName(f"no set of road images named {name!r}.{did_you_mean(name, ROAD_IMAGE_SETS)}")

    def cells(self) -> list[GapCell]:
        """Return every cell; all of them share their scenes."""
        return [
            GapCell(entry.name, entry.id, entry.parameters, seed, self.data, self.sets, self.replicates)
            for entry in self.detectors
            for seed in self.seeds_of(entry)
        ]


class GapData(NamedTuple):
    """Data of a cell.

    Attributes:
        scenes: Simulated scenes.
        present: Sets of photographs in the data home.
    """

    scenes: SceneSets
    present: tuple[str, ...]


class GapKind(DrivingKind[GapStudy, GapCell]):
    """Each cell trains one detector of colours here and there, and tests it here and there."""

    id = GAP
    study_class = GapStudy
    cell_class = GapCell
    code_targets = ("offnominal.evaluation.scenes.domain_gap:measure_gap",)
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("detector", "trained on", "tested on", "auroc", "aupr", "fpr95")

    def open_data(self, cell: GapCell, *, workers: int = 1) -> GapData:
        """Return the scenes, recorded if they are missing, and which photographs there are."""
        present = tuple(name for name in cell.sets if not ROAD_IMAGE_SETS[name].missing)
        return GapData(open_scene_sets(cell.data, workers=workers), present)

    def data_hash(self, cell: GapCell, data: GapData) -> str:
        """Return a hash of the scenes and of the sets that are there."""
        sums = [ROAD_IMAGE_SETS[name].labels.md5 + ROAD_IMAGE_SETS[name].images.md5 for name in data.present]
        return sha256_of(json.dumps([data.scenes.content_hash(), sums]))

    def run(self, cell: GapCell, data: GapData, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Train and test the detector of a cell in all domains."""
        scenes = data.scenes
        train = [] if scenes.train is None else list(scenes.train)
        test = [] if scenes.test is None else [scene for scene in scenes.test if scene.kind == "content"]
        with meter("evaluate"):
            found = measure_gap(
                lambda: scene_detectors.make(cell.detector, **cell.parameters),
                train,
                test,
                sets=data.present,
                replicates=cell.replicates,
                seed=cell.seed,
            )
        meter.steps = sum(row.metrics.images for row in found.rows)
        rows = []
        for row in found.rows:
            columns = {NAMES.get(name, name): value for name, value in row.columns().items()}
            rows.append({"split": f"{row.trained}/{row.tested}", **columns})
        return CellRows(rows)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page and table of a run; return the page."""
        rows = self.leaderboard(results)
        missing = [each.missing for each in ROAD_IMAGE_SETS.values() if each.missing]
        headline = HEADLINE if any(row["tested on"] != HERE for row in rows) else f"{HEADLINE} {NOTHING}"
        tables = [StudyTable("gap", "Trained and tested here and there", rows, rows, auroc=("auroc",))]
        save_figures(pyplot(), {"auroc": lambda plt: gap_figure(plt, rows)}, folder / "figures", dpi=200)
        explanation = " ".join(f"{each}." for each in missing)
        return write_table_report(results, headline, tables, {"auroc": CAPTION}, folder, explanation=explanation)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return a row per detector and pair of domains, with means over seeds."""
        groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        for row in results.table.to_pylist():
            groups.setdefault((row["name"], row[NAMES["trained on"]], row[NAMES["tested on"]]), []).append(row)
        found = []
        for (name, trained, tested), rows in groups.items():
            means = {}
            for metric in METRICS:
                values = [row[metric] for row in rows if row[metric] is not None]
                means[metric] = float(fixed(sum(values) / len(values), 3)) if values else None
            found.append({"detector": name, "trained on": trained, "tested on": tested, **means})
        return found


def gap_figure(plt: Any, rows: Rows) -> Any:
    """Draw the AUROC of every detector, a panel per pair of domains."""
    values = {(f"{row['trained on']} → {row['tested on']}", row["detector"]): row["auroc"] for row in rows}
    panels = {pair: partial(lambda pair, name: Estimate(values.get((pair, name))), pair) for pair, _ in values}
    names = list(dict.fromkeys(row["detector"] for row in rows))
    return dot_panels(plt, names, panels, label="AUROC of pixels (0.5 = random)", random_value=0.5)
