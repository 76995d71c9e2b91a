"""The study kind of driving scenes: scene detectors on content and temporal anomalies."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, TypeVar

from offnominal.detectors.catalogue import uses_gpu
from offnominal.detectors.scenes import scene_detectors
from offnominal.papers.anovox import cell_run
from offnominal.papers.anovox.cell import SCENES, DrivingCell, SceneCell
from offnominal.papers.anovox.cell_run import weights_hash
from offnominal.papers.anovox.example_sheet import SCHEMA
from offnominal.papers.anovox.scene_sets import SceneSets, open_scene_sets
from offnominal.papers.anovox.study import DrivingStudy, SceneStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults

S = TypeVar("S", bound=DrivingStudy)
C = TypeVar("C", bound=DrivingCell)


class DrivingKind(StudyKind[S, C]):
    """Base class of the kinds whose cells have one scene detector."""

    def used(self, cell: C) -> list[Used]:
        """Return the detector and its parts."""
        return [(scene_detectors, cell.detector, cell.parameters)]

    def uses_gpu(self, cell: C) -> bool:
        """Whether the detector of a cell, or one that it is built from, has a network."""
        return uses_gpu(cell.detector, cell.parameters, scene_detectors)


class SceneKind(DrivingKind[SceneStudy, SceneCell]):
    """Each cell fits one detector to normal scenes and evaluates it on content and temporal anomalies."""

    id = SCENES
    study_class = SceneStudy
    cell_class = SceneCell
    code_targets = cell_run.CODE_TARGETS
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("rank", "detector", "content AUROC", "temporal AUROC", "delay")

    def open_data(self, cell: SceneCell, *, workers: int = 1) -> SceneSets:
        """Return the scenes of a cell; those that are missing are recorded."""
        return open_scene_sets(cell.data, workers=workers)

    def data_hash(self, cell: SceneCell, data: SceneSets) -> str:
        """Return the hash of the scenes."""
        return data.content_hash()

    def code_details(self, cell: SceneCell, sources: Sources) -> list[str]:
        """Return the hash of weights in the package."""
        return [weights_hash(cell)]

    def run(self, cell: SceneCell, data: SceneSets, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit, score and evaluate the detector of a cell."""
        return cell_run.run_scenes(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.papers.anovox.report import write_scene_report

        return write_scene_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best on content anomalies first."""
        from offnominal.papers.anovox.results import SceneResults
        from offnominal.papers.anovox.tables import leaderboard_rows

        return leaderboard_rows(SceneResults.of(results.table))
