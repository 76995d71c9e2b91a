"""Arithmetic of the published tables of OOD detection in deep RL."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, stdev

import pytest

from offnominal.papers.printed_values import printed_values

TRIALS = range(6, 20)
BEST = (3, 4, 5)


def column(row):
    return (row["task"], row["method"], row["parameter"], float(row["value"]), row["value2"] and float(row["value2"]))


def columns():
    trials, summaries = defaultdict(list), {}
    for number in TRIALS:
        for row in printed_values("ood-rl", f"table_{number}"):
            if row["stat"] == "trial":
                trials[column(row)].append(float(row["auc"]))
            else:
                summaries[column(row)] = (float(row["mean"]), float(row["std"]), row["std"])
    return trials, summaries


def test_every_column_has_five_trials_their_mean_and_their_sample_deviation():
    trials, summaries = columns()
    assert len(trials) == len(summaries) == 39
    for place, values in trials.items():
        mean, deviation, printed = summaries[place]
        assert len(values) == 5
        assert fmean(values) == pytest.approx(mean, abs=0.001), place
        digits = len(printed.partition(".")[2])
        assert stdev(values) == pytest.approx(deviation, abs=0.0011 if digits > 2 else 0.005), place


def test_best_values_are_the_largest_trials():
    trials, _ = columns()
    best = {
        column(row): float(row["best_auc"]) for number in BEST for row in printed_values("ood-rl", f"table_{number}")
    }
    assert len(best) == 39
    assert {place: max(trials[place]) for place in best} == best


def test_the_ensemble_loses_four_corruptions_of_pong_that_the_text_gives_to_it():
    best = {column(row): float(row["best_auc"]) for row in printed_values("ood-rl", "table_5")}
    ensemble = {place[2:]: auc for place, auc in best.items() if place[1] == "Ensemble"}
    other = {place[2:]: auc for place, auc in best.items() if place[1] != "Ensemble"}
    lost = {place[:2] for place in ensemble if other[place] > ensemble[place]}
    assert lost == {
        ("gaussian_noise", 0.18),
        ("gaussian_noise", 0.26),
        ("impulse_noise", 0.09),
        ("impulse_noise", 0.17),
    }


def test_table_1_has_all_150_settings_on_their_grid():
    rows = printed_values("ood-rl", "table_1")
    counts = defaultdict(int)
    for row in rows:
        counts[row["task"]] += 1
    assert counts == {"CartPole": 90, "Pendulum": 40, "Pong": 20}
    factors = [1 / n for n in range(10, 1, -1)] + list(range(2, 11))
    gravity = [float(row["value"]) for row in rows if row["task"] == "CartPole" and row["parameter"] == "gravity"]
    assert gravity == pytest.approx([round(9.8 * factor, 2) for factor in factors], abs=0.006)
