"""The median delay is the same number, or the same words, wherever a report shows it."""

import csv
import math

import pyarrow as pa
import pytest

from offnominal.evaluation.delays import HALF_MISSED, median_delay
from offnominal.reports.payload import payload
from offnominal.reports.study_tables import study_tables
from offnominal.reports.timings import TIMING, timing_rows
from offnominal.studies.result_rows import means_of
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long

LABEL = TIMING["median_delay"]


def rows(name, medians, *, seed=0):
    """One fault per median; None for a fault that is missed in more than half of its episodes."""
    for number, median in enumerate(medians):
        about = {"key": f"{name}{seed}", "world": "Toy-v0", "policy": "tqc", "name": name, "detector": name}
        fault = {"split": f"action/noise@{number}", "anomaly": "action/noise", "kind": "action"}
        about |= fault | {"seed": seed, "level": "tiny", "variant": str(number)}
        about |= dict.fromkeys((*TIMING, "auroc", "auroc_low", "draws_auroc", "alarm"))
        missed = 1.0 if median is None else 0.25
        timing = {"median_delay": median, "mean_delay": 20.0, "within_10": 0.0, "miss_rate": missed}
        yield about | {"auroc": 0.5, "auroc_low": 0.4, "draws_auroc": [0.4, 0.6]}
        yield about | {"alarm": "limit", "early_rate": 0.0, "false_alarms": 1.0} | timing


def run(*parts):
    table = pa.Table.from_pylist([row for part in parts for row in part])
    return RunResults("toy", "Toy", "", "", {}, table, pa.table({}))


RUN = run(
    rows("Random", [None, None, None]),
    rows("KNN", [1.0, 7.0, None]),
    rows("PE-DM", [2.0, None, None], seed=0),
    rows("PE-DM", [4.0, 5.0, None], seed=1),
)
EXPECTED = {"Random": math.inf, "KNN": 7.0, "PE-DM": 5.0}


def test_a_detector_that_misses_everything_has_no_median_delay():
    assert {row["detector"]: row[LABEL] for row in timing_rows(RUN.table)} == EXPECTED


def test_every_format_says_the_same(tmp_path):
    (table,) = [each for each in study_tables(RUN) if each.name == "timing"]
    table.write(tmp_path)
    kept = {row["detector"]: row for row in csv.DictReader((tmp_path / "timing.csv").open())}
    assert (kept["Random"][LABEL], kept["Random"]["missed"]) == ("", "1.0")
    assert {name: float(kept[name][LABEL]) for name in ("KNN", "PE-DM")} == {"KNN": 7.0, "PE-DM": 5.0}
    for suffix, said in ((".md", HALF_MISSED), (".tex", r"\textgreater{} 50 \% missed")):
        lines = (tmp_path / f"timing{suffix}").read_text(encoding="utf-8").splitlines()
        (random,) = [line for line in lines if "Random" in line]
        (knn,) = [line for line in lines if "KNN" in line]
        assert said in random
        assert " 7 " in knn


def test_the_page_carries_no_delay_where_there_is_none():
    data = payload(RUN)
    names = [column["name"] for column in data["timing"]["columns"]]
    carried = [
        dict(zip(names, row[data["names"].index("Random")], strict=True)) for row in data["timing"]["alarms"]["limit"]
    ]
    assert [(row["median_delay"], row["miss_rate"]) for row in carried] == [(None, 1.0)] * 3


def test_what_is_logged_of_a_cell_has_the_same_median():
    cell = pa.Table.from_pylist(list(rows("KNN", [1.0, 7.0, None])))
    assert means_of(cell)["median_delay"] == median_delay([1.0, 7.0, math.inf]) == 7.0
    assert "median_delay" not in means_of(pa.Table.from_pylist(list(rows("Random", [None, None]))))
