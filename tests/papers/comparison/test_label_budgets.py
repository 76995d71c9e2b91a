"""What labels are worth."""

import math

import pyarrow as pa
import pytest

from offnominal.papers.comparison.search.metrics import METRICS
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.label_budgets import ALL, BUDGETS, CLEAN, RANDOM_CHOICE, by_label_budget

pytestmark = pytest.mark.long


def row(table, method, seed, configuration, test, normal, **validation):
    numbers = {f"validation_{name}": validation.get(name, math.nan) for name in METRICS} | {"test_auc": test}
    about = {"table": table, "method": method, "seed": seed, "configuration": configuration, "failure": ""}
    return about | numbers | {"normal_score": normal}


def made(*extra, method="vae"):
    """Two configurations: few labels like the first, all labels and normal points the second."""
    rows = []
    for table in ("iris", "wine"):
        for seed in (1, 2, 3):
            rows.append(row(table, method, seed, '{"h": 1}', 0.6, 2.0, pr_at_5=0.9, auc=0.7, **{"pr_at_5%": 0.9}))
            rows.append(row(table, method, seed, '{"h": 2}', 0.8, 1.0, pr_at_5=0.5, auc=0.9, **{"pr_at_5%": 0.4}))
    return ComparisonResults.of(pa.Table.from_pylist([*rows, *extra]))


def test_every_budget_chooses_by_its_own_criterion():
    assert {name: found.mean() for name, found in by_label_budget(made(), "numbers").items()} == pytest.approx(
        {RANDOM_CHOICE: 0.7, CLEAN: 0.8, "5": 0.6, ALL: 0.8}
    )
    assert list(by_label_budget(made(), "percents")) == [RANDOM_CHOICE, CLEAN, "5%", ALL]


def test_budgets_stand_in_rising_order():
    assert list(BUDGETS["numbers"]) == ["5", "10", "50", "100", "500", "1,000"]
    assert list(BUDGETS["percents"]) == ["0.01%", "0.1%", "1%", "5%", "10%", "20%"]


def test_classical_methods_without_labels_use_their_fixed_parameters():
    default_result = [
        row(table, "knn", seed, '{"default": true}', 0.75, 0.0) for table in ("iris", "wine") for seed in (1, 2)
    ]
    assert made(*default_result, method="knn").clean().tolist() == [[0.75], [0.75]]
    assert CLEAN not in by_label_budget(made(method="knn"))
