"""Arithmetic of the published tables of AnoVox."""

from __future__ import annotations

from collections import Counter, defaultdict

from offnominal.papers.printed_values import printed_values

SCENARIOS = (1117, 76, 35)
"""Content anomalies, temporal anomalies and nominal scenarios."""
FRAMES = 200
IMPOSSIBLE = [("RbA", "+norm")]
"""F1 above twice the precision."""


def test_the_size_of_the_set_is_its_scenarios_times_their_frames():
    sizes = {row["dataset"]: row["value"] for row in printed_values("anovox", "table_1") if row["field"] == "size"}
    assert len(sizes) == 23
    assert int(sizes["AnoVox"]) == sum(SCENARIOS) * FRAMES


def test_one_weather_of_the_text_is_missing_in_table_2():
    counts = Counter(row["item"] for row in printed_values("anovox", "table_2"))
    names = [row["value"] for row in printed_values("anovox", "table_2")]
    assert 13 in counts.values()
    assert "MidRainyNoon" not in names


def test_table_3_has_eight_camera_and_six_lidar_methods():
    sensors = Counter(row["value"] for row in printed_values("anovox", "table_3") if row["field"] == "sensor")
    assert sorted(sensors.values()) == [6, 8]


def test_f1_is_at_most_twice_the_precision_but_for_one_pair():
    found = defaultdict(dict)
    for row in printed_values("anovox", "table_4"):
        found[row["method"], row["subset"]][row["metric"]] = float(row["value"])
    assert len(found) == 10
    # 0.05 for the rounding of the precision.
    assert [place for place, values in found.items() if values["F1"] > 2 * (values["PPV"] + 0.05)] == IMPOSSIBLE
    assert {values["FPR95"] for values in found.values()} == {100.0}
