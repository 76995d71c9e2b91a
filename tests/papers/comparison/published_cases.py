"""Made-up runs beside the published tables of the comparison."""

import pyarrow as pa

from offnominal.papers.catalogue import tables_of
from offnominal.papers.comparison.metrics import METRICS
from offnominal.studies.results import RunResults


def row(table, method, seed, configuration, value, *, test=None, **others):
    numbers = {f"validation_{name}": value for name in METRICS}
    numbers |= {f"test_{name}": value if test is None else test for name in METRICS}
    known = {"key": f"{table}{method}{seed}", "table": table, "method": method, "seed": seed}
    cost = {"fit_s": 2.0, "score_s": 1.0, "failure": "", "normal_score": 0.0, "polarity": 0.4}
    return known | {"configuration": configuration} | numbers | cost | others


def results_of(rows):
    return RunResults("comparison", "", "", "laptop", {}, pa.Table.from_pylist(rows), pa.table({}))


def lines_of(number, rows, study=None):
    (table,) = [each for each in tables_of("comparison", [number]) if study in (None, each.study)]
    return {tuple(line.labels.values()): line for line in table.compare(results_of(rows))}
