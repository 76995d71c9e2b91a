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


def test_table_3_is_the_weighted_mean_of_tables_12_and_13():
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
    compared = 0
    for place, found in kinds.items():
        if place in LOST or place not in worlds:
            continue
        weighted = sum(WEIGHTS[kind] * found[kind] for kind in WEIGHTS) / sum(WEIGHTS.values())
        assert weighted == pytest.approx(fmean(worlds[place]), abs=0.015), place
        compared += 1
    assert compared >= 19


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
