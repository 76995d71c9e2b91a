"""Our results beside published values that travel with the package, for those who have not computed any.

They are the values of the pages of the documentation: of the most powerful run that has each one, by the protocol of
its paper. `docs/scoreboard.py` writes them, and a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.checksum import without_checksum
from offnominal.core.errors import DamagedFile
from offnominal.core.files import sha256_of
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.value_places import ValuePlaces
from offnominal.studies.published_comparison import PublishedComparison

FOLDER, FILE, MANIFEST = "shipped", "results.parquet", "manifest.json"
RUN = ("study", "scale", "about", "cells", "date", "version")
"""Columns with the run that a row comes from."""
TEXTS = ("paper", "table", "labels", "note", *RUN)
NUMBERS = ("ours", "low", "high", "published")
SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.dictionary(pa.int32(), pa.string())) for name in TEXTS),
        *(pa.field(name, pa.float64()) for name in NUMBERS),
        pa.field("units", pa.int32()),
    ]
)
"""Columns of the file. `labels` is a JSON object with the row of the published table."""


@dataclass(frozen=True, slots=True)
class ShippedRun:
    """A run whose results travel with the package.

    Args:
        study: Name of the study; empty for values that need no run, but may need data.
        scale: Name of the scale.
        about: What the scale is, such as the number of episodes.
        cells: Number of cells with a result, as ``"64 of 200"``; empty if it is not known.
        date: Day of the last result.
        version: Version of the package that computed it.
    """

    study: str
    scale: str
    about: str
    cells: str
    date: str
    version: str

    @property
    def name(self) -> str:
        """Study and scale."""
        return f"{self.study}@{self.scale}"

    @property
    def command(self) -> str:
        """The command that computes the run."""
        return f"offnominal run {self.study} --scale {self.scale}"

    def __str__(self) -> str:
        cells = f"{self.cells} cells" if self.cells else ""
        made = f"computed {self.date} by version {self.version}"
        return f"{self.name} ({'; '.join(filter(None, [self.about, cells, made]))})"

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {name: getattr(self, name) for name in RUN} | {"command": self.command}


@dataclass(frozen=True, slots=True)
class ShippedValue:
    """A value of ours, as the row of a file.

    Args:
        labels: Row of the published table.
        ours: The value.
        low: Lower end of its interval; None without one.
        high: Upper end.
        published: The published value that it is compared with, which may be a rank among the methods of the run; None
            if there is none.
        note: Remark.
        units: Number of tables, image sets or classes that the value is a mean over.
        run: Where it comes from; None if it is not said.
    """

    labels: Mapping[str, str]
    ours: float
    low: float | None = None
    high: float | None = None
    published: float | None = None
    note: str = ""
    units: int = 1
    run: ShippedRun | None = None

    def beside(self, published: PublishedComparison | None) -> PublishedComparison:
        """Return the comparison by the rule of a published value; with none, the value alone."""
        ends = np.array([end for end in (self.low, self.high) if end is not None])
        if published is None:
            return PublishedComparison(self.labels, Estimate(self.ours, ends), None, note=self.note, units=self.units)
        return replace(
            published,
            labels=self.labels,
            ours=Estimate(self.ours, ends),
            published=published.published if self.published is None else self.published,
            note=self.note,
            units=self.units,
        )


def shipped_values(
    paper: str, table: str, study: str, *, scales: Collection[str] = (), worlds: Collection[str] | None = None
) -> list[ShippedValue]:
    """Return the values of a published table that travel with the package.

    Args:
        paper: Short name of the paper.
        table: Number of the table.
        study: Name of the study that computes it; empty if it needs none.
        scales: Only values of runs at these scales; a value that needs no run has none.
        worlds: Only values of these worlds; means over several worlds are left out.

    Raises:
        DamagedFile: The file is not the one that the manifest names.

    Example:
        >>> values = shipped_values("ood-rl", "3", "ood-rl", scales=["paper"])
        >>> len(values), values[0].run.name
        (9, 'ood-rl@paper')
    """
    return [
        value
        for value in _values().get((paper, table, study), ())
        if (not study or value.run is None or value.run.scale in scales)
        and (worlds is None or value.labels.get("world") in worlds)
    ]


def filled_from(
    lines: Sequence[PublishedComparison], values: Sequence[ShippedValue]
) -> tuple[list[PublishedComparison], list[ShippedRun], int]:
    """Return a comparison with shipped values where there are none of ours, the runs of these, and their number.

    Args:
        lines: The comparison.
        values: Shipped values of the table.
    """
    places = ValuePlaces([line.labels for line in lines])
    found, used = list(lines), list[ShippedValue]()
    indices = {places.of(line.labels): index for index, line in reversed(list(enumerate(found)))}
    for value in values:
        index = indices.setdefault(places.of(value.labels), len(found))
        if index == len(found):
            found.append(value.beside(None))
        elif found[index].ours.value is None:
            found[index] = value.beside(found[index])
        else:
            continue
        used.append(value)
    return found, list(dict.fromkeys(each.run for each in used if each.run is not None)), len(used)


@cache
def _values() -> dict[tuple[str, str, str], list[ShippedValue]]:
    """Return all values by paper, table and study."""
    found: dict[tuple[str, str, str], list[ShippedValue]] = {}
    for row in shipped_table().to_pylist():
        found.setdefault((row["paper"], row["table"], row["study"]), []).append(_value(row))
    return found


def shipped_table(folder: Traversable | None = None) -> pa.Table:
    """Return the rows of the file.

    Args:
        folder: Its folder; that of the package if None.

    Raises:
        DamagedFile: It is not the file that the manifest names.
    """
    return read_shipped(FILE, folder)


def read_shipped(file: str, folder: Traversable | None = None) -> pa.Table:
    """Return the rows of a file that travels with the package.

    Args:
        file: Its name.
        folder: Its folder; that of the package if None.

    Raises:
        DamagedFile: It is not the file that the manifest names.
    """
    folder = folder or files("offnominal.papers").joinpath(FOLDER)
    content, manifest = folder.joinpath(file).read_bytes(), folder.joinpath(MANIFEST)
    stated = without_checksum(json.loads(manifest.read_text(encoding="utf-8")), str(manifest))
    if sha256_of(content) != stated["files"].get(file, {}).get("sha256"):
        raise DamagedFile(f"{folder.joinpath(file)} is not the file of its manifest; install the package again.")
    return pq.read_table(pa.BufferReader(content))


def run_of_row(row: Mapping[str, Any]) -> ShippedRun:
    """Return the run that a row of a file comes from."""
    return ShippedRun(*(row[name] for name in RUN))


def _value(row: Mapping[str, Any]) -> ShippedValue:
    run = run_of_row(row)
    labels = json.loads(row["labels"])
    return ShippedValue(labels, row["ours"], row["low"], row["high"], row["published"], row["note"], row["units"], run)
