"""Study kinds: how studies of one kind are read, computed and reported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pyarrow as pa

from offnominal.core.errors import InvalidParameter
from offnominal.studies import example_episodes
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults

S = TypeVar("S", bound=BaseStudy)
C = TypeVar("C", bound=BaseCell)
Rows = list[dict[str, Any]]


class StudyKind(ABC, Generic[S, C]):
    """Everything that the runner, the report and the command line need of one kind of study.

    Register a subclass by an entry point in the group ``offnominal.study_kinds``; see
    :data:`~offnominal.studies.kinds.study_kinds`. Results are a table with one row per measurement.

    Attributes:
        id: Value of the field ``kind`` of its studies and cells.
        study_class: Class of its studies.
        cell_class: Class of its cells.
        example_schema: Schema of the table of examples that a cell stores for the report.
        leaderboard_columns: Columns of the leaderboard that the terminal shows; empty for all of them.
        code_targets: Code that computes the rows of a cell, as ``"package.module:attribute"``, without the registered
            objects that the cell names. The version of the kind stands for it.
    """

    id: ClassVar[str]
    study_class: ClassVar[type[BaseStudy]]
    cell_class: ClassVar[type[BaseCell]]
    example_schema: ClassVar[pa.Schema] = example_episodes.SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ()
    code_targets: ClassVar[tuple[str, ...]] = ()

    def parse_study(self, data: Mapping[str, Any]) -> S:
        """Return a study from plain data, as ``to_dict`` returns it or as a TOML file holds it."""
        study: S = self.study_class.from_dict(data)  # type: ignore[assignment]
        return study

    def parse_cell(self, data: Mapping[str, Any]) -> C:
        """Return a cell from plain data, as ``to_dict`` returns it."""
        cell: C = self.cell_class.from_dict(data)  # type: ignore[assignment]
        return cell

    def cells(self, study: S) -> Sequence[BaseCell]:
        """Return every cell of a study."""
        return study.cells()

    @abstractmethod
    def open_data(self, cell: C, *, workers: int = 1) -> Any:
        """Return the data of a cell; they are generated or downloaded if they are missing.

        Cells with the same data follow each other: keep them for the next one.

        Args:
            cell: The cell.
            workers: Number of processes that may generate them at the same time.
        """

    @abstractmethod
    def data_hash(self, cell: C, data: Any) -> str:
        """Return the hash of the data of a cell.

        Args:
            cell: The cell.
            data: As :meth:`open_data` returns them.
        """

    @abstractmethod
    def run(self, cell: C, data: Any, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Return the rows of a cell. It is called with one thread.

        Args:
            cell: The cell.
            data: As :meth:`open_data` returns them.
            meter: Measures the cost of fitting (``fit``), scoring (``score``) and evaluating (``evaluate``).
            sources: Reads source code, for parts that are kept under its version.
        """

    def used(self, cell: C) -> Iterable[Used]:
        """Return the registered objects that a cell uses, besides its kind; their versions are part of the key."""
        return ()

    def code_details(self, cell: C, sources: Sources) -> Sequence[Any]:
        """Return other plain data about the code of a cell that are part of the key, such as hashes of classes."""
        return ()

    @abstractmethod
    def report(self, results: RunResults, folder: Path) -> Path:
        """Write the report of a run into a folder, and return its page.

        The folders ``tables`` and ``figures`` exist in it.
        """

    @abstractmethod
    def leaderboard(self, results: RunResults) -> Rows:
        """Return the leaderboard of a run, best first."""

    def summary(self, results: RunResults, metric: str | None = None) -> Rows:
        """Return the leaderboard for the terminal: few columns, best first.

        Args:
            results: The run.
            metric: Metric of the ranking; None for the first one. Only some kinds of studies have several.
        """
        if metric is not None:
            raise InvalidParameter(f"studies of kind {self.id!r} have one leaderboard; leave the metric out.")
        columns = self.leaderboard_columns
        return [
            {name: value for name, value in row.items() if name in (columns or row)}
            for row in self.leaderboard(results)
        ]

    def findings(self, results: RunResults) -> list[str]:
        """Return sentences for the terminal below the leaderboard, such as the guarantees of alarms."""
        return []

    def page_data(self, results: RunResults) -> dict[str, Any] | None:
        """Return the data of interactive pages: leaderboards for every choice of world, kind and level of fault.

        See :func:`~offnominal.reports.payload.payload`; None if pages show the leaderboard and the tables only.
        """
        return None

    def uses_gpu(self, cell: C) -> bool:
        """Whether a cell should have a share of a GPU on a cluster."""
        return False
