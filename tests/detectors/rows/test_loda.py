"""Random lines: right bins, nested projections, histograms of the likeliest size."""

import math

import numpy as np
import pytest

from offnominal.detectors.rows.loda import LODA, projections

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


def brute(rows, fresh, bins, cuts, seed):
    columns, weights = projections(rows.shape[1], cuts, seed)
    total = np.zeros(len(fresh))
    for chosen, weight in zip(columns, weights, strict=True):
        line, places = rows[:, chosen] @ weight, fresh[:, chosen] @ weight
        counts, edges = np.histogram(line, bins=bins)
        for i, x in enumerate(places):
            inside = edges[0] <= x <= edges[-1]
            held = counts[min(np.digitize(x, edges) - 1, bins - 1)] if inside else 0
            total[i] -= math.log(max(held, 0.5) / (len(rows) * (edges[1] - edges[0])))
    return total / cuts


@pytest.mark.parametrize(("bins", "cuts"), [(2, 5), (10, 40), (63, 20)])
def test_scores_are_those_of_brute_force(bins, cuts):
    ours = LODA(bins, n_random_cuts=cuts).fit(ROWS, seed=9).score(FRESH)
    np.testing.assert_allclose(ours, brute(ROWS, FRESH, bins, cuts, 9), rtol=1e-10)


def test_the_fullest_bin_has_the_lowest_and_outside_the_highest_score():
    rows = np.concatenate([np.zeros(90), np.linspace(1.0, 10.0, 10)])[:, None]
    crowded, thin, outside = LODA(10, n_random_cuts=20).fit(rows).score(np.array([[0.0], [9.5], [50.0]]))
    assert crowded < thin < outside


def test_fewer_lines_are_the_first_of_more():
    few, many = projections(9, 5, 3), projections(9, 12, 3)
    for some, more in zip(few, many, strict=True):
        np.testing.assert_array_equal(some, more[:5])
    assert many[0].shape == (12, 3)
    assert all(len(set(columns)) == 3 for columns in many[0].tolist())


def test_the_number_of_bins_has_the_best_penalised_likelihood():
    rows = np.random.default_rng(4).gamma(1.0, size=(400, 1))
    _, _, count, _ = LODA(n_random_cuts=3).fit(rows, seed=2).histogram_
    columns, weights = projections(1, 3, 2)
    for cut in range(3):
        line = rows[:, columns[cut]] @ weights[cut]
        gains = {}
        for bins in range(1, int(400 / math.log(400)) + 1):
            held = np.histogram(line, bins=bins)[0]
            held = held[held > 0]
            gains[bins] = (held * np.log(bins * held / 400)).sum() - (bins - 1 + math.log(bins) ** 2.5)
        assert count[cut] == max(gains, key=gains.get) > 1
