"""The tables of a diagnosis study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.kinds.diagnosis.cell_run import ALL, NOMINAL
from offnominal.reports.study_tables import StudyTable

Row = dict[str, Any]
KINDS = ("observation", "action", "dynamics")


@dataclass(frozen=True, slots=True)
class Column:
    """A number of the tables.

    Args:
        label: Its heading.
        split: Rows of the results that have it, for a whole world.
        name: Column of the results.
        random: Column of the results with the value of a random answer; empty if there is none.
        digits: Digits after the point.
    """

    label: str
    split: str
    name: str
    random: str = ""
    digits: int = 2


COLUMNS = (
    Column("sensor found", "observation", "channel_hit", "channel_random"),
    Column("actuator found", "action", "channel_hit", "channel_random"),
    Column("onset found", ALL, "found"),
    Column("onset error", ALL, "onset_error", digits=0),
    Column("onset in interval", ALL, "onset_covered"),
    Column("kind of fault", ALL, "fault_hit", "fault_random"),
    Column("false onset", NOMINAL, "found"),
)


@dataclass(frozen=True, slots=True, eq=False)
class DiagnosisResults:
    """The results of a diagnosis study.

    Args:
        rows: All rows of the run.
    """

    rows: list[Row]

    @classmethod
    def of(cls, table: Any) -> DiagnosisResults:
        """Return the results in the table of a run."""
        return cls(table.to_pylist())

    @property
    def worlds(self) -> list[str]:
        """Worlds, with the policy where there are several."""
        return list(dict.fromkeys(row["world"] for row in self.rows))

    @property
    def names(self) -> list[str]:
        """Detectors: the most sensors found first."""
        names = dict.fromkeys(row["name"] for row in self.rows)
        return sorted(names, key=lambda name: -(self.mean(name, COLUMNS[0]) or 0.0))

    def value(self, name: str, world: str, column: Column, part: str = "") -> float | None:
        """Return a number of a detector in a world, the mean over training seeds.

        Args:
            name: Name of the detector.
            world: Id of the world.
            column: The number.
            part: ``"_low"`` or ``"_high"`` for an end of its interval, ``"random"`` for that of a random answer.
        """
        key = column.random if part == "random" else column.name + part
        wanted = (name, world, column.split)
        found = [row.get(key) for row in self.rows if (row["name"], row["world"], row["split"]) == wanted]
        values = [each for each in found if each is not None]
        return float(np.mean(values)) if values else None

    def mean(self, name: str, column: Column, part: str = "") -> float | None:
        """Return the mean of a number of a detector over the worlds."""
        found = [self.value(name, world, column, part) for world in self.worlds]
        values = [each for each in found if each is not None]
        return float(np.mean(values)) if values else None


def diagnosis_tables(found: DiagnosisResults) -> list[StudyTable]:
    """Return every table of a diagnosis study."""
    return [detector_table(found), world_table(found), fault_table(found)]


def detector_table(found: DiagnosisResults) -> StudyTable:
    """Return the means over the worlds of each detector, with the value of random answers in brackets."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for name in found.names:
        row: Row = {"detector": name}
        for column in COLUMNS:
            value, random = found.mean(name, column), found.mean(name, column, "random") if column.random else None
            row[column.label] = _shown(value, random, column.digits)
            numbers.append({"detector": name, "number": column.label, "value": value, "random": random})
        rows.append(row)
    return StudyTable("diagnosis", "Diagnosis, mean over worlds; in brackets: a random answer", rows, numbers)


def world_table(found: DiagnosisResults) -> StudyTable:
    """Return the numbers of each detector in each world, with intervals by episode."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for world in found.worlds:
        for name in found.names:
            row: Row = {"world": world, "detector": name}
            for column in COLUMNS:
                value, low, high = (found.value(name, world, column, part) for part in ("", "_low", "_high"))
                row[column.label] = _with_interval(value, low, high, column.digits)
                numbers.append(
                    {"world": world, "detector": name, "number": column.label, "value": value, "low": low, "high": high}
                )
            rows.append(row)
    return StudyTable("worlds", "Diagnosis by world, with 95 % intervals by episode", rows, numbers)


def fault_table(found: DiagnosisResults) -> StudyTable:
    """Return the numbers of each detector for each fault, mean over worlds."""
    splits = dict.fromkeys(row["split"] for row in found.rows if row["split"] not in (*KINDS, ALL, NOMINAL))
    names = ("channel_hit", "found", "onset_error", "onset_covered", "fault_hit")
    labels = {column.name: column for column in COLUMNS if column.split != NOMINAL}
    rows: list[Row] = []
    numbers: list[Row] = []
    for split in splits:
        for name in found.names:
            row: Row = {"fault": split, "detector": name}
            for key in names:
                column = labels[key]
                label = "channel found" if key == "channel_hit" else column.label
                value = found.mean(name, Column(label, split, key))
                row[label] = _shown(value, None, column.digits)
                numbers.append({"fault": split, "detector": name, "number": label, "value": value})
            rows.append(row)
    return StudyTable("faults", "Diagnosis by fault, mean over worlds", rows, numbers)


def _shown(value: float | None, random: float | None, digits: int) -> str | None:
    if value is None:
        return None
    return f"{value:.{digits}f}" + (f" ({random:.{digits}f})" if random is not None else "")


def _with_interval(value: float | None, low: float | None, high: float | None, digits: int) -> str | None:
    if value is None or low is None or high is None:
        return _shown(value, None, digits)
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
