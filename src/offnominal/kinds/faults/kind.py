"""The study kind of the package itself: detectors on the faults of worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from offnominal.core.errors import ModuleFailed, UnknownName
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.catalogue import uses_gpu
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.cell_run import run_faults, used_objects
from offnominal.kinds.faults.data import content_hash, open_data
from offnominal.kinds.faults.study import Study
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import STUDY, RunResults

S = TypeVar("S", bound=Study)
C = TypeVar("C", bound=Cell)


class CellKind(StudyKind[S, C]):
    """Base class of the kinds whose cells fit one detector and evaluate it on faults."""

    def used(self, cell: C) -> list[Used]:
        """Return the detector, the alarms, the world and the anomalies."""
        return used_objects(cell, [cell.world])

    def uses_gpu(self, cell: C) -> bool:
        """Whether the detector of a cell, or a part of it, has a network; also if it cannot be imported here."""
        try:
            return uses_gpu(cell.detector, cell.parameters)
        except (ModuleNotFoundError, ModuleFailed, UnknownName):
            return True


class FaultStudyKind(CellKind[Study, Cell]):
    """Each cell fits one detector on nominal episodes of one world and evaluates it on every fault of that world."""

    id = STUDY
    study_class = Study
    cell_class = Cell
    code_targets = (
        "offnominal.evaluation.detector_evaluation:DetectorEvaluator",
        "offnominal.evaluation.evaluation_rows:evaluation_rows",
    )

    def open_data(self, cell: Cell, *, workers: int = 1) -> Dataset:
        """Return the dataset of a cell, generated on first use."""
        return open_data(cell, workers)

    def data_hash(self, cell: Cell, data: Dataset) -> str:
        """Return the hash of the episodes."""
        return content_hash(data)

    def run(self, cell: Cell, data: Dataset, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit, score and evaluate the detector of a cell."""
        return run_faults(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.reports.fault_page import write_fault_page
        from offnominal.reports.schedule_table import schedule_table
        from offnominal.reports.study_figures import write_figures
        from offnominal.reports.study_tables import study_tables
        from offnominal.reports.variance_table import variance_table

        for table in (*study_tables(results), schedule_table(results), variance_table(results)):
            if table is not None:
                table.write(folder / "tables")
        write_figures(results, folder / "figures")
        return write_fault_page(results, folder / "page.html")

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best first by the first metric."""
        from offnominal.reports.leaderboard import leaderboard_rows

        return leaderboard_rows(results)

    def summary(self, results: RunResults, metric: str | None = None) -> Rows:
        """Return one row per detector: the metric, the median delay and the false alarms of one alarm."""
        from offnominal.reports.leaderboard_summary import summary_rows

        return summary_rows(results, metric)

    def findings(self, results: RunResults) -> list[str]:
        """Return the verdicts, the alarm of the delays, and whether the guarantees of alarms were kept."""
        from offnominal.reports.default_alarm import default_alarm
        from offnominal.reports.guarantees import guarantee_lines
        from offnominal.reports.headline import NOT_CONTROLLED, run_sentences

        alarm = default_alarm(results.table)
        delays = "" if alarm is None else f"Delays and false alarms are those of the alarm {alarm!r}. {NOT_CONTROLLED}"
        return [line for line in (*run_sentences(results), delays, *guarantee_lines(results)) if line]

    def page_data(self, results: RunResults) -> dict[str, Any]:
        """Return the data of interactive pages."""
        from offnominal.reports.payload import payload

        return payload(results)
