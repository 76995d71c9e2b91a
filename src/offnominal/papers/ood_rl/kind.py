"""The study kind of the paper: policies with uncertainty estimates in modified environments."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.agents.files import policy_hash
from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.papers.ood_rl import cell_run
from offnominal.papers.ood_rl.agents import agent
from offnominal.papers.ood_rl.cell import OODCell
from offnominal.papers.ood_rl.series import SCHEMA
from offnominal.papers.ood_rl.study import OODStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class OODKind(StudyKind[OODStudy, OODCell]):
    """Each cell runs one agent in all modified versions of its world and scores its episodes with some detectors."""

    id = "ood-rl"
    study_class = OODStudy
    cell_class = OODCell
    code_targets = cell_run.CODE_TARGETS
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("world", "method", "AUC", "equal length", "episode means")

    def open_data(self, cell: OODCell, *, workers: int = 1) -> UncertainPolicy:
        """Return the agent of a cell, trained if it is missing."""
        return agent(cell.world, cell.uncertainty, cell.seed)

    def data_hash(self, cell: OODCell, data: UncertainPolicy) -> str:
        """Return the hash of the weights of the agent."""
        return policy_hash(data)

    def used(self, cell: OODCell) -> list[Used]:
        """Return the world, the faults and the methods."""
        return cell_run.used_objects(cell)

    def run(self, cell: OODCell, data: UncertainPolicy, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Run the agent of a cell in every setting and evaluate the detectors."""
        return cell_run.run_agent(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.papers.ood_rl.report import write_ood_report

        return write_ood_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per world and detector, best first."""
        from offnominal.papers.ood_rl.report_tables import detection_leaderboard
        from offnominal.papers.ood_rl.results import OODResults

        return detection_leaderboard(OODResults.of(results.table))
