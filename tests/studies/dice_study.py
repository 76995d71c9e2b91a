"""A study kind of another package, in one module: means of thrown dice."""

from dataclasses import dataclass

import numpy as np

from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies import BaseCell, BaseStudy, CellRows, StudyKind

KIND = f"{__name__}:DiceKind"


@dataclass(frozen=True)
class DiceCell(BaseCell):
    """One die, thrown some times."""

    sides: int
    throws: int = 10
    seed: int = 0
    kind: str = "dice"

    @property
    def label(self):
        return f"d{self.sides}/{self.seed}"

    @property
    def source(self):
        return f"d{self.sides}"


@dataclass(frozen=True)
class DiceStudy(BaseStudy):
    """Some dice."""

    sides: tuple[int, ...] = ()
    throws: int = 10
    kind: str = "dice"

    def cells(self):
        return [DiceCell(sides, self.throws, kind=self.kind) for sides in self.sides]


class DiceKind(StudyKind[DiceStudy, DiceCell]):
    """Throws dice."""

    id = "dice"
    study_class = DiceStudy
    cell_class = DiceCell

    def open_data(self, cell, *, workers=1):
        return range(1, cell.sides + 1)

    def data_hash(self, cell, data):
        return f"a die with {len(data)} sides"

    def run(self, cell, data, meter, *, sources):
        meter.steps = cell.throws
        return CellRows([{"table_name": f"d{cell.sides}", "mean_throw": throw(cell, data)}])

    def report(self, results, folder):
        rows = self.leaderboard(results)
        return write_table_report(results, "Dice.", [StudyTable("dice", "Means", rows, rows)], {}, folder)

    def leaderboard(self, results):
        rows = results.table.select(["table_name", "mean_throw"]).to_pylist()
        return sorted(rows, key=lambda row: -row["mean_throw"])


def throw(cell, faces):
    return float(np.random.default_rng(cell.seed).choice(faces, cell.throws).mean())
