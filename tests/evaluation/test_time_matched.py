"""Faulty steps are compared with nominal steps of the same elapsed time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.evaluation import measure_time_matched
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.ranking import BLOCK

from .cases import auroc, labels_of, ragged, scored


def by_counting(scores, labels, nominal, weights=None, weights_nominal=None):
    """Return the AUROC and the share of matched steps, one step after the other."""
    weights = np.ones(len(scores)) if weights is None else weights
    weights_nominal = np.ones(len(nominal)) if weights_nominal is None else weights_nominal
    total = weight = matched = 0.0
    for row, on, times in zip(scores, labels, weights, strict=True):
        usable = [t for t in np.flatnonzero(on) if any(t < len(other) for other in nominal)]
        matched += len(usable)
        for t in usable:
            beside = [
                other[t]
                for other, count in zip(nominal, weights_nominal, strict=True)
                if t < len(other)
                for _ in range(int(count))
            ]
            if beside:
                total += times / len(usable) * auroc([row[t]], beside)
                weight += times / len(usable)
    active = sum(on.sum() for on in labels)
    return (total / weight if weight else None), (matched / active if active else None)


@settings(max_examples=60)
@given(scored(), scored())
def test_the_metric_equals_a_count_of_pairs(case, others):
    scores, onsets = case
    labels, nominal = labels_of(scores, onsets), others[0]
    found = measure_time_matched(scores, labels, nominal, replicates=0)
    value, share = by_counting(scores, labels, nominal)
    assert found.auroc.value == (None if value is None else pytest.approx(value))
    assert found.matched == (None if share is None else pytest.approx(share))


def test_every_replicate_equals_a_count_of_pairs():
    rng = np.random.default_rng(0)
    (scores, onsets), (nominal, _) = ragged(rng, 7), ragged(rng, 5)
    nominal[0] = np.arange(40.0)
    labels = labels_of(scores, onsets)
    found = measure_time_matched(scores, labels, nominal, replicates=BLOCK + 5, seed=2)
    counts, others = Resamples.draw(7, BLOCK + 5, seed=2).counts, Resamples.draw_nominal(5, BLOCK + 5, seed=2).counts
    assert (others[0, 1:10] == 0).any()
    for replicate in (*range(1, 10), BLOCK - 1, BLOCK, BLOCK + 5):
        expected, _ = by_counting(scores, labels, nominal, counts[:, replicate], others[:, replicate])
        assert found.auroc.draws[replicate - 1] == pytest.approx(expected)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(2, 30), st.integers(0, 29)), min_size=1, max_size=5), st.integers(1, 30))
def test_elapsed_time_has_a_time_matched_auroc_of_one_half(shapes, reach):
    clock = [np.arange(float(length)) for length, _ in shapes]
    labels = labels_of(clock, [onset for _, onset in shapes])
    found = measure_time_matched(clock, labels, [np.arange(float(reach))] * 3, replicates=0)
    steps = [t for on in labels for t in np.flatnonzero(on)]
    within = [t < reach for t in steps]
    assert found.auroc.value == (pytest.approx(0.5) if any(within) else None)
    assert found.matched == (pytest.approx(np.mean(within)) if steps else None)


def test_a_score_that_drifts_with_time_is_only_credited_with_the_fault():
    rng = np.random.default_rng(1)
    drift = np.linspace(0.0, 20.0, 50)
    nominal = [drift + rng.normal(size=50) for _ in range(200)]
    onsets = rng.integers(2, 49, 200)
    labels = [np.arange(50) >= onset for onset in onsets]
    harmless = [drift + rng.normal(size=50) for _ in range(200)]
    harmful = [row + 1.0 * on for row, on in zip(harmless, labels, strict=True)]
    nothing, something = (measure_time_matched(rows, labels, nominal).auroc for rows in (harmless, harmful))
    assert nothing.low < 0.5 < nothing.high
    assert something.low < 0.7602 < something.high


def test_every_episode_counts_the_same_however_early_its_fault():
    nominal = [np.zeros(10)]
    scores = [np.ones(10), -np.ones(10)]
    labels = [np.arange(10) >= 1, np.arange(10) >= 9]
    found = measure_time_matched(scores, labels, nominal, replicates=0)
    assert found.auroc.value == pytest.approx(0.5)
    assert found.episodes == 2
