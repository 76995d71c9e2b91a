"""Coreset and random sample of feature vectors."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from offnominal.detectors.images.features.feature_bank import BankBuilder, coreset

pytestmark = pytest.mark.long


def generator(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture
def clumped():
    """Most rows in one cluster and few outliers, which a random sample misses."""
    draw = generator(5)
    clump, few = draw.normal(0, 0.1, (500, 48)), draw.normal(0, 3.0, (20, 48))
    return torch.from_numpy(np.concatenate([clump, few]).astype(np.float32))


def radius(rows, chosen):
    return cdist(rows, rows[chosen]).min(axis=1).max()


def greedy(rows, first, keep):
    """Greedy k-centre by brute force."""
    chosen = [first]
    while len(chosen) < keep:
        chosen.append(int(cdist(rows, rows[chosen]).min(axis=1).argmax()))
    return chosen


def test_it_is_the_greedy_choice_of_brute_force(clumped):
    chosen = coreset(clumped, 30, generator(), projected=None).tolist()
    assert chosen == greedy(clumped.numpy().astype(np.float64), chosen[0], 30)


def test_a_projection_covers_almost_as_well_and_better_than_a_sample(clumped):
    full = radius(clumped, coreset(clumped, 30, generator(), projected=None))
    projected = radius(clumped, coreset(clumped, 30, generator()))
    sampled = radius(clumped, generator().choice(len(clumped), 30, replace=False))
    assert projected < 1.5 * full < sampled


def test_the_seed_determines_the_coreset(clumped):
    first, again, other = (coreset(clumped, 10, generator(seed)).tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_selection_ends_when_all_rows_are_covered():
    rows = torch.tensor([[0.0], [1.0], [0.0], [1.0], [0.0]])
    assert len(coreset(rows, 5, generator())) == 2
    assert len(coreset(rows[:1], 3, generator())) == 1


@pytest.mark.parametrize("pieces", [1, 7, 100])
def test_a_sample_does_not_depend_on_the_size_of_the_parts(pieces):
    rows = torch.arange(1000.0)[:, None]

    def kept(size):
        builder = BankBuilder(50, None, generator())
        for part in torch.split(rows, size):
            builder.add(part)
        return builder.selected()[:, 0].tolist()

    assert kept(pieces) == kept(1000)
    assert len(set(kept(pieces))) == 50


def test_a_sample_is_uniform():
    counts = np.zeros(40)
    for seed in range(400):
        builder = BankBuilder(10, None, generator(seed))
        for part in torch.split(torch.arange(40)[:, None], 3):
            builder.add(part)
        counts[builder.selected()[:, 0].numpy()] += 1
    assert abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


def test_the_number_of_candidates_is_bounded_and_a_fraction_is_selected(clumped):
    builder = BankBuilder(20, 0.1, generator())
    for part in torch.split(clumped.repeat(4, 1), 16):
        builder.add(part)
        assert builder.n_stored <= 400
    assert len(builder.selected()) == 20
    small = BankBuilder(20, 0.1, generator())
    small.add(clumped[:60])
    assert len(small.selected()) == 6


def test_a_stream_below_the_limit_keeps_its_order(clumped):
    builder = BankBuilder(1000, None, generator())
    builder.add(clumped)
    assert torch.equal(builder.selected(), clumped)


@pytest.mark.parametrize("distinct", [3, 300])
def test_no_row_is_selected_twice_however_often_distances_are_read(distinct):
    rows = torch.arange(distinct, dtype=torch.float32).repeat(3)[:, None]
    chosen = coreset(rows, 2 * distinct, np.random.default_rng(0))
    assert sorted(rows[chosen, 0].tolist()) == list(range(distinct))
