"""Arithmetic of the published tables of NovelCraft."""

from __future__ import annotations

import pytest

from offnominal.papers.printed_values import printed_values

NORMAL_FRAMES, NOVEL_FRAMES = 890, 3530
NORMAL_EPISODES, NOVEL_EPISODES = 67, 337
LABELED, NEW = 873, 332
OUT_OF_ROUNDING = {("GCD", "SSGMM")}
"""71.41 follows from its two parts; 71.5 is printed."""


def number(rows, **wanted):
    (found,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return float(found["value"])


def test_splits_add_up():
    rows = printed_values("novelcraft", "table_2")
    fields = {row["field"] for row in rows}
    filtered = next(field for field in fields if "filtered" in field)
    normal = [number(rows, split=split, type="Normal", field=filtered) for split in ("train", "valid", "test")]
    assert sum(normal) == 8800
    assert (
        sum(number(rows, split=split, type="Normal", field="episodes") for split in ("train", "valid", "test")) == 207
    )
    assert normal[2] == NORMAL_FRAMES
    assert number(rows, split="test", type="Novel", field=filtered) == NOVEL_FRAMES
    assert number(rows, split="valid", type="Novel", field=filtered) == NEW


def test_the_novelties_of_table_a2_add_up():
    rows = printed_values("novelcraft", "table_A2")
    totals = {
        field: sum(int(row["value"]) for row in rows if row["field"] == field)
        for field in ("modified_episodes", "filtered_frames")
    }
    assert totals == {"modified_episodes": 635, "filtered_frames": 8185}
    # The text counts 53; Bedrock is in no split.
    assert len({row["modification"] for row in rows}) == 54


def test_table_3_repeats_rows_of_table_e1():
    long = {
        (row["method"].removesuffix("+"), row["regime"], row["metric"]): float(row["value"])
        for row in printed_values("novelcraft", "table_E1")
        if row["training_data"] == "NovelCraft+"
    }
    short = {
        (row["method"].removesuffix("+"), row["regime"], row["metric"]): float(row["value"])
        for row in printed_values("novelcraft", "table_3")
    }
    assert len(short) == 30
    assert short == long


def test_rates_are_fractions_of_the_frames():
    for row in printed_values("novelcraft", "table_E1"):
        count = {"TNR": NORMAL_FRAMES, "TPR": NOVEL_FRAMES}.get(row["metric"])
        if count:
            share = float(row["value"]) / 100
            assert round(share * count) / count == pytest.approx(share, abs=0.00006), row


def test_rates_are_fractions_of_the_episodes():
    for row in printed_values("novelcraft", "table_4"):
        count = {"TNR": NORMAL_EPISODES, "TPR": NOVEL_EPISODES}.get(row["metric"])
        if count:
            share = float(row["value"]) / 100
            assert round(share * count) / count == pytest.approx(share, abs=0.00006), row


def test_the_accuracy_of_all_classes_follows_from_old_and_new():
    rows = printed_values("novelcraft", "figure_4")
    for features, clustering in {(row["features"], row["clustering"]) for row in rows}:
        method = {"features": features, "clustering": clustering}
        together = LABELED * number(rows, classes="labeled", **method) + NEW * number(rows, classes="new", **method)
        mean = together / (LABELED + NEW)
        tolerance = 0.1 if (features, clustering) in OUT_OF_ROUNDING else 0.06
        assert mean == pytest.approx(number(rows, classes="all", **method), abs=tolerance)


def test_seconds_are_the_printed_times():
    for row in printed_values("novelcraft", "table_C1"):
        days, hours, minutes, seconds = (int(part[:-1]) for part in row["value"].split())
        assert ((days * 24 + hours) * 60 + minutes) * 60 + seconds == int(row["seconds"])
