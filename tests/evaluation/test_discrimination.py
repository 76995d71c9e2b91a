"""Discrimination depends on the order of scores within their episodes, and on nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.evaluation import measure_discrimination
from offnominal.evaluation.estimate import Estimate

from .cases import auroc, labels_of, scored


def numbers(found):
    return {
        (kind, name): getattr(getattr(found, kind), name)
        for kind in ("local", "pooled")
        for name in ("auroc", "average_precision", "fpr95")
    }


def same(first, second, *, draws=True):
    for name, one in numbers(first).items():
        other = numbers(second)[name]
        assert (one.value is None) == (other.value is None), name
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-12), name
        if draws:
            np.testing.assert_array_equal(one.draws, other.draws)


@settings(max_examples=60)
@given(scored())
def test_auroc_counts_pairs_and_episodes_of_one_kind_are_counted(case):
    scores, onsets = case
    labels = labels_of(scores, onsets)
    found = measure_discrimination(scores, labels, replicates=0)
    both = [on.any() and not on.all() for on in labels]
    each = [auroc(row[on], row[~on]) for row, on, ok in zip(scores, labels, both, strict=True) if ok]
    assert found.one_class == both.count(False)
    assert found.episodes == len(scores)
    assert found.local.auroc.value == (pytest.approx(np.mean(each)) if each else None)
    pooled, on = np.concatenate(scores), np.concatenate(labels)
    assert found.pooled.auroc.value == (
        pytest.approx(auroc(pooled[on], pooled[~on])) if on.any() and not on.all() else None
    )
    assert (found.steps, found.active_steps) == (len(on), on.sum())


@settings(max_examples=40)
@given(scored(), st.sampled_from([lambda x: x + 7.5, lambda x: x**3 + x, np.exp, lambda x: 1e-6 * x]))
def test_a_monotone_transform_changes_nothing(case, transform):
    scores, onsets = case
    labels = labels_of(scores, onsets)
    first = measure_discrimination(scores, labels, replicates=20)
    same(first, measure_discrimination([transform(row) for row in scores], labels, replicates=20))


@settings(max_examples=40)
@given(scored(least=2), st.randoms(use_true_random=False))
def test_the_order_of_episodes_changes_nothing(case, random):
    scores, onsets = case
    labels = labels_of(scores, onsets)
    order = random.sample(range(len(scores)), len(scores))
    shuffled = measure_discrimination([scores[e] for e in order], [labels[e] for e in order], replicates=0)
    same(measure_discrimination(scores, labels, replicates=0), shuffled, draws=False)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(2, 30), st.integers(1, 29)), min_size=1, max_size=5))
def test_elapsed_time_is_a_perfect_local_detector(shapes):
    clock = [np.arange(float(length)) for length, _ in shapes]
    found = measure_discrimination(clock, labels_of(clock, [onset for _, onset in shapes]), replicates=0)
    struck = [onset < length for length, onset in shapes]
    assert found.local.auroc.value == (1.0 if any(struck) else None)
    assert found.local.fpr95.value == (0.0 if any(struck) else None)


def test_negated_scores_mirror_the_auroc():
    rng = np.random.default_rng(4)
    scores, labels = [rng.normal(size=40) for _ in range(5)], [np.arange(40) >= 15] * 5
    up, down = (measure_discrimination([sign * row for row in scores], labels, replicates=0) for sign in (1.0, -1.0))
    assert up.local.auroc.value == pytest.approx(1.0 - down.local.auroc.value)
    assert up.pooled.auroc.value == pytest.approx(1.0 - down.pooled.auroc.value)


def test_intervals_widen_when_there_are_fewer_episodes():
    rng = np.random.default_rng(5)
    scores, labels = [rng.normal(size=40) for _ in range(200)], [np.arange(40) >= 20] * 200

    def width(number: Estimate):
        return number.high - number.low

    many, few = measure_discrimination(scores, labels), measure_discrimination(scores[:20], labels[:20])
    for name, number in numbers(many).items():
        assert number.low < number.value < number.high, name
        assert width(numbers(few)[name]) > 2.0 * width(number), name
    assert width(many.local.auroc) == pytest.approx(2 * 1.96 * np.sqrt(41 / 12 / 400 / 200), rel=0.25)


def test_only_the_seed_determines_the_interval():
    rng = np.random.default_rng(6)
    scores, labels = [rng.normal(size=20) for _ in range(30)], [np.arange(20) >= 7] * 30
    one, again, other = (measure_discrimination(scores, labels, seed=seed) for seed in (1, 1, 2))
    same(one, again)
    same(one, other, draws=False)
    assert not np.array_equal(one.local.auroc.draws, other.local.auroc.draws)
