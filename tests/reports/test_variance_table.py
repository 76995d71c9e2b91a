"""The report of a run with several policies has the parts of the variance."""

from dataclasses import replace

import pyarrow as pa
import pytest

from offnominal.reports.sections import sections_of
from offnominal.reports.variance_table import HEADLINES, variance_section, variance_table

from .synthetic import run_results


@pytest.fixture(scope="module")
def alone():
    return run_results(replicates=20, seeds=2, worlds=("SAP-Goal1-v0", "MJC-HalfCheetah-v0"), names=("MLP-DM", "KNN"))


@pytest.fixture(scope="module")
def several(alone):
    """Return the run with a second policy, of which every number is 0.1 less."""
    rows = alone.table.to_pylist()
    lower = [
        row | {"policy": "sac"} | {name: None if row[name] is None else row[name] - 0.1 for name in HEADLINES}
        for row in rows
    ]
    return replace(alone, table=pa.Table.from_pylist(rows + lower, schema=alone.table.schema))


def test_a_run_with_one_policy_has_no_such_table(alone):
    assert variance_table(alone) is None
    assert "table-variance" not in [section.id for section in sections_of(alone)]


def test_each_metric_and_detector_has_a_row(several):
    found = variance_table(several)
    assert [(row["metric"], row["detector"]) for row in found.rows] == [
        ("Net detection", "MLP-DM"),
        ("Net detection", "KNN"),
        ("Time-matched AUROC", "MLP-DM"),
        ("Time-matched AUROC", "KNN"),
    ]
    assert all(row["fault"] and row["policy"] for row in found.rows)


def test_the_policies_that_differ_by_a_constant_have_its_variance(several):
    numbers = {(each["metric"], each["detector"], each["part"]): each for each in variance_table(several).numbers}
    assert numbers["matched_auroc", "MLP-DM", "policy"]["variance"] == pytest.approx(0.005, rel=0.05)
    assert abs(numbers["matched_auroc", "MLP-DM", "policy by fault"]["variance"]) < 1e-3


def test_a_detector_with_one_training_has_a_dash(several):
    assert [row["training"] is None for row in variance_table(several).rows] == [False, True, False, True]


def test_the_page_has_the_section(several):
    assert "variance" in variance_section(several).content
    assert "table-variance" in [section.id for section in sections_of(several)]
