"""Arithmetic of the published tables of Anomaly-Gym."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import pytest

from offnominal.papers.printed_values import printed_values

WEIGHTS = {"action": 6, "dynamics": 3, "observation": 6}
"""Anomalies of each kind in a world."""
LOST = {("image", "SAP", "tiny")}
"""A number of Table 13 in this group cannot be read."""


def by_kind_and_in_all():
    """Yield the place, the numbers of Table 3 by kind of fault, and the mean of Table 12 or 13 over the worlds."""
    kinds = defaultdict(dict)
    for row in printed_values("anomaly-gym", "table_3"):
        kinds[row["modality"], row["env_group"], row["strength"]][row["anomaly_class"]] = float(row["AUROC"])
    detectors = {row["modality"]: row["detector"] for row in printed_values("anomaly-gym", "table_3")}
    worlds = defaultdict(list)
    for modality, table in (("vector", "table_12"), ("image", "table_13")):
        for row in printed_values("anomaly-gym", table):
            if row["detector"] == detectors[modality] and row["metric"] == "AUROC" and row["mean"]:
                worlds[modality, row["env"].partition("-")[0], row["strength"]].append(float(row["mean"]))
    assert len(kinds) == 20
    for place, found in kinds.items():
        if place not in LOST and place in worlds:
            yield place, found, fmean(worlds[place])


def weighted(found, weights):
    return sum(weights[kind] * found[kind] for kind in weights) / sum(weights.values())


def test_table_3_is_the_weighted_mean_of_tables_12_and_13():
    lines = list(by_kind_and_in_all())
    assert len(lines) >= 19
    for place, found, overall in lines:
        assert weighted(found, WEIGHTS) == pytest.approx(overall, abs=0.015), place


def test_the_robot_has_temporal_noise_but_no_noise():
    """Printed numbers are rounded: two of them may differ by 0.01."""
    lines = [(found, overall) for (_, group, _), found, overall in by_kind_and_in_all() if group == "URR"]
    assert len(lines) == 4
    rounding = 0.01 + 1e-9
    fitting = []
    for number in (3, 4, 5, 6):
        weights = {"action": number, "dynamics": 3, "observation": number}
        if all(abs(weighted(found, weights) - overall) <= rounding for found, overall in lines):
            fitting.append(number)
    assert fitting == [5]


def test_more_steps_find_more_faults_in_table_4():
    found = defaultdict(dict)
    for row in printed_values("anomaly-gym", "table_4"):
        found[row["threshold"], row["detector"]][row["metric"]] = float(row["mean"])
    assert len(found) == 9
    assert all(rates["D5"] <= rates["D10"] <= rates["D20"] for rates in found.values())
    # Nothing can be found and missed: a misprint, or means over different episodes.
    assert [place for place, rates in found.items() if rates["D20"] + rates["MR"] > 1.005] == [("max", "LSTM-DM")]


def test_parameters_of_table_9_are_monotone_in_the_strength_as_read():
    order = ("tiny", "medium", "strong", "extreme")
    rows = defaultdict(dict)
    for row in printed_values("anomaly-gym", "table_9"):
        if row["value"]:
            rows[row["env"], row["anomaly"]][row["strength"]] = float(row["value"])
    assert len(rows) == 90
    for place, values in rows.items():
        found = [values[level] for level in order if level in values]
        assert found in (sorted(found), sorted(found, reverse=True)), place


def test_table_9_agrees_with_the_public_code_but_for_known_cells():
    cells = [row for row in printed_values("anomaly-gym", "table_9") if row["value"] and row["public_code"]]
    decimals = [len(row["value"].partition(".")[2]) for row in cells]
    other = [
        row
        for row, places in zip(cells, decimals, strict=True)
        if abs(float(row["value"]) - float(row["public_code"])) > 0.5 * 10**-places + 1e-9
    ]
    assert len(other) == 23
    assert sum(row["env"].startswith("SAP") and "scal" in row["anomaly_printed"] for row in other) == 12


def test_the_ten_worlds_have_fifteen_anomalies():
    worlds = {row["env"] for row in printed_values("anomaly-gym", "table_6")}
    assert len(worlds) == 10
    assert sum(WEIGHTS.values()) == 15
