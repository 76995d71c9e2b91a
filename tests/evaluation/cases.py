"""Scores, labels and episodes to test with, and metrics by counting pairs."""

import numpy as np
from hypothesis import strategies as st

from offnominal.core.episode import Episode, Event


def tied_scores(rng, length, *, levels):
    """Return scores with ties, some of them infinite."""
    scores = rng.integers(0, levels, length).astype(float)
    scores[rng.random(length) < 0.05] = np.inf
    scores[rng.random(length) < 0.05] = -np.inf
    return scores


def mixed_labels(rng, length, share):
    """Return labels of both kinds, about as many faulty as asked."""
    labels = rng.random(length) < share
    faulty, healthy = rng.choice(length, 2, replace=False)
    labels[faulty], labels[healthy] = True, False
    return labels


def ragged(rng, n, *, longest=30, levels=6):
    """Return scores and onsets of n episodes of different length; some onsets come too late."""
    lengths = rng.integers(2, longest, n)
    scores = [rng.integers(0, levels, length).astype(float) for length in lengths]
    return scores, rng.integers(0, longest, n).tolist()


def episode(length, onset=None, *, end=None, seed=0, observations=None):
    """Return an episode of which only the labels matter."""
    steps = np.arange(length)
    active = np.zeros(length, np.bool_) if onset is None else (steps >= onset) & (steps < (end or length))
    events = () if onset is None else (Event("observation/offset", 1.0, onset, end),)
    seen = np.zeros((length + 1, 1)) if observations is None else np.asarray(observations, float)
    return Episode(seen, np.zeros((length, 1)), np.zeros(length), active, events, seed)


def split(rng, n=20, length=30):
    """Return faulty episodes, some of them without a fault, and scores that rise at the onset."""
    onsets = rng.integers(2, length + 5, n)
    episodes = [episode(length, int(onset), seed=i) for i, onset in enumerate(onsets)]
    return episodes, [rng.normal(size=length) + each.active for each in episodes]


def same(first, second):
    """Check that two estimates are equal, draw by draw."""
    assert first.value == second.value
    np.testing.assert_array_equal(first.draws, second.draws)


def labels_of(scores, onsets):
    return [np.arange(len(row)) >= onset for row, onset in zip(scores, onsets, strict=True)]


def auroc(faulty, healthy):
    """Return the AUROC by counting pairs."""
    return np.mean([(a > b) + 0.5 * (a == b) for a in faulty for b in healthy])


@st.composite
def scored(draw, *, least=1):
    """Draw whole-numbered scores and onsets of some episodes."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=least, max_size=6))
    scores = [draw(st.lists(st.integers(-4, 4), min_size=length, max_size=length)) for length in lengths]
    return [np.array(row, float) for row in scores], [draw(st.integers(0, 12)) for _ in lengths]
