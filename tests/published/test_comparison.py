"""Arithmetic of the published tables of the comparison of anomaly detectors."""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from statistics import fmean, stdev

import numpy as np
import pytest

from offnominal.papers.comparison.ranks import critical_difference, mean_ranks
from offnominal.papers.printed_values import printed_values

CELLS = ("mean_over_folds", "mean_over_classes", "value")
MISPRINTED_RANKS = {"table_B1": {"knn", "orbf", "vaek"}}


def rows_of(table, **wanted):
    rows = printed_values("comparison", table)
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def printed_ranks(table, **wanted):
    return {row["method"]: float(row["value"]) for row in rows_of(table, quantity="mean_rank", **wanted)}


def recomputed_ranks(table, **wanted):
    cells = defaultdict(dict)
    for row in rows_of(table, **wanted):
        if row["quantity"] in CELLS:
            cells[row["dataset"], row.get("class", "")][row["method"]] = float(row["value"])
    methods = list(next(iter(cells.values())))
    values = np.array([[found[method] for method in methods] for found in cells.values()])
    means = mean_ranks(values, ties="min")
    # Halves go to the even digit, which only decimal numbers show.
    return {
        method: float(Decimal(f"{mean:.6f}").quantize(Decimal("0.1"), ROUND_HALF_EVEN))
        for method, mean in zip(methods, means, strict=True)
    }


@pytest.mark.parametrize(
    ("table", "wanted", "count"),
    [
        ("table_IV", {}, 23),
        ("table_B1", {}, 23),
        ("table_VI", {}, 12),
        ("table_VII", {}, 12),
        ("table_C2", {"protocol": "mean"}, 12),
        ("table_C3", {"protocol": "mean"}, 12),
        ("table_C5", {}, 12),
        ("table_C6", {}, 12),
    ],
)
def test_mean_ranks_follow_from_the_cells(table, wanted, count):
    printed, ours = printed_ranks(table, **wanted), recomputed_ranks(table, **wanted)
    assert len(printed) == count
    assert {method for method in printed if printed[method] != ours[method]} == MISPRINTED_RANKS.get(table, set())


def test_table_v_repeats_the_ranks_of_tables_iv_and_b1():
    for metric, table in (("AUC", "table_IV"), ("TPR@5", "table_B1")):
        assert printed_ranks("table_V", metric=metric, selection="mean") == printed_ranks(table)


def test_the_max_ranks_of_table_c3_are_those_of_the_other_setting():
    misprinted = printed_ranks("table_C3", protocol="max")
    assert misprinted == printed_ranks("table_VI")
    assert misprinted != printed_ranks("table_VII")


@pytest.mark.parametrize(("classes", "means"), [("table_C5", "table_VI"), ("table_C6", "table_VII")])
def test_means_over_classes_are_those_of_the_main_tables(classes, means):
    values = defaultdict(list)
    for row in rows_of(classes, quantity="value"):
        values[row["dataset"], row["method"]].append(float(row["value"]))
    printed = {(row["dataset"], row["method"]): float(row["value"]) for row in rows_of(means, quantity=CELLS[1])}
    assert len(printed) == 48
    for place, value in printed.items():
        assert len(values[place]) == 10
        assert fmean(values[place]) == pytest.approx(value, abs=0.0061)


@pytest.mark.parametrize(("classes", "means"), [("table_C5", "table_VI"), ("table_C6", "table_VII")])
def test_sigma_1_is_the_mean_sample_deviation_over_classes(classes, means):
    values = defaultdict(lambda: defaultdict(list))
    for row in rows_of(classes, quantity="value"):
        values[row["method"]][row["dataset"]].append(float(row["value"]))
    for row in rows_of(means, quantity="sigma_1"):
        deviations = [stdev(found) for found in values[row["method"]].values()]
        assert fmean(deviations) == pytest.approx(float(row["value"]), abs=0.0061)


@pytest.mark.parametrize(
    ("table", "methods", "problems", "level"),
    [("table_IV", 23, 40, 5.148), ("table_VI", 12, 4, 7.724), ("table_C5", 12, 40, 2.443)],
)
def test_critical_differences(table, methods, problems, level):
    cells = [row for row in rows_of(table) if row["quantity"] in CELLS]
    assert len({row["method"] for row in cells}) == methods
    assert len({(row["dataset"], row.get("class", "")) for row in cells}) == problems
    assert critical_difference(methods, problems, alpha=0.1) == pytest.approx(level, abs=5e-4)


def test_one_score_methods_have_as_many_scores_as_models():
    models = {(row["dataset"], row["method"]): int(row["value"]) for row in rows_of("table_B2")}
    scores = {(row["dataset"], row["method"]): int(row["value"]) for row in rows_of("table_B3")}
    for method in ("knn", "pidf", "vaek"):
        assert all(abs(scores[place] - 3 * models[place]) <= 1 for place in models if place[1] == method)
    for method in ("avae", "maf", "sptn", "osvm", "lof"):
        assert all(scores[place] <= models[place] for place in models if place[1] == method)


def test_every_size_of_table_i_is_known():
    assert len({row["dataset"] for row in rows_of("table_I")}) == 40
    assert {row["alias"] for row in rows_of("table_I")} == {
        row["dataset"] for row in rows_of("table_IV") if row["quantity"] == CELLS[0]
    }
