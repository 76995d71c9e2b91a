"""The study kind of streams."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.detectors.catalogue import uses_gpu
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.kinds.streams.cell import STREAMS, StreamCell
from offnominal.kinds.streams.cell_run import run_streams
from offnominal.kinds.streams.recording import StreamSource
from offnominal.kinds.streams.shown_stream import SCHEMA
from offnominal.kinds.streams.stream_alarms import alarm_target
from offnominal.kinds.streams.study import StreamStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class StreamKind(StudyKind[StreamStudy, StreamCell]):
    """Each cell fits one detector in one condition of one world and runs every alarm over its streams."""

    id = STREAMS
    study_class = StreamStudy
    cell_class = StreamCell
    example_schema = SCHEMA
    code_targets = (
        "offnominal.kinds.streams.cell_run:run_streams",
        "offnominal.kinds.streams.recording:record_streams",
    )
    leaderboard_columns: ClassVar[tuple[str, ...]] = (
        "alarm",
        "promised /h",
        "false alarms /h",
        "net detection",
        "delay s",
        "promises kept",
    )

    def open_data(self, cell: StreamCell, *, workers: int = 1) -> StreamSource:
        """Return the streams of a cell, which are simulated when it runs."""
        return StreamSource(cell)

    def data_hash(self, cell: StreamCell, data: StreamSource) -> str:
        """Return a hash of what decides the streams, and of their first steps."""
        return data.content_hash()

    def used(self, cell: StreamCell) -> list[Used]:
        """Return the detector, the alarms, the world and the anomalies."""
        used: list[Used] = [(detector_registry, cell.detector, cell.parameters)]
        used += [(alarm_registry, alarm_target(entry), {}) for entry in cell.alarms]
        acting = (each.anomaly for each in (*cell.background, *cell.faults))
        return [*used, *recorded_objects(cell.world, [*cell.condition.anomalies.values(), *acting])]

    def run(self, cell: StreamCell, data: StreamSource, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit the detector of a cell, and run every alarm over its streams."""
        return run_streams(cell, data.record(), meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.kinds.streams.report import write_stream_report

        return write_stream_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per alarm, most net detection first."""
        from offnominal.kinds.streams.results import StreamResults
        from offnominal.kinds.streams.tables import alarm_table

        return alarm_table(StreamResults.of(results)).rows

    def uses_gpu(self, cell: StreamCell) -> bool:
        """Whether the detector of a cell has a network."""
        return uses_gpu(cell.detector, cell.parameters)
