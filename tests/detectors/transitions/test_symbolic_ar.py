"""Symbolic-AR: counts and categories, scores of each variable, progress."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.detectors.transitions import SymbolicAR

pytestmark = pytest.mark.long

LENGTH = 16
SMALL = {"n_counts": 2, "n_categories": 1, "hidden": (16,), "dropout": 0.0, "learning_rate": 1e-2, "device": "cpu"}


def episode(seed, length=LENGTH):
    """The first count rises, the second falls, the category alternates between 3 and 7."""
    time = np.arange(length + 1) + seed % 3
    observations = np.stack([time, LENGTH + 2 - time, np.where(time % 2, 3, 7), np.full(length + 1, 99)], axis=1)
    return Episode(
        observations.astype(np.float32), np.zeros(length, np.int64), np.zeros(length), np.zeros(length, bool)
    )


NOMINAL = [episode(seed) for seed in range(12)]


def changed(row, column, value):
    given = episode(0)
    observations = given.observations.copy()
    observations[row:, column] += value
    return Episode(observations, given.actions, given.rewards, given.active)


@pytest.fixture(scope="module", params=["raw", "log1p", "poisson"])
def fitted(request):
    return SymbolicAR(**SMALL, counts=request.param, n_epochs=30).fit(NOMINAL)


@pytest.mark.parametrize(("column", "value"), [(0, 9), (1, 9), (2, 5)])
def test_a_change_is_explained_by_its_variable(fitted, column, value):
    given = changed(9, column, value)
    explanation, (scores,) = fitted.explain(given), fitted.score([given])
    losses = explanation.contributions
    (nominal,) = fitted.score([episode(0)])
    assert explanation.method == "maximum"
    assert explanation.channels == tuple(fitted.variables)
    assert losses.shape == (LENGTH, 3)
    assert losses[8].argmax() == column
    assert scores[8] == pytest.approx(losses[8].max())
    assert scores[8] > 2 * nominal.max()
    assert fitted.variables == ["count 0", "count 1", "category 0"]


def test_a_negative_count_has_a_higher_score_than_none(fitted):
    nothing, negative = (fitted.score([changed(9, 1, value)])[0][8] for value in (-9, -13))
    assert negative > nothing


def test_the_norm_combines_all_variables():
    largest = SymbolicAR(**SMALL, n_epochs=1).fit(NOMINAL)
    norm = SymbolicAR(**SMALL, n_epochs=1, reduction="norm").fit(NOMINAL)
    losses, terms = largest.explain(NOMINAL[0]).contributions, norm.explain(NOMINAL[0])
    assert largest.score(NOMINAL[:1])[0] == pytest.approx(losses.max(axis=1))
    assert norm.score(NOMINAL[:1])[0] == pytest.approx(np.sqrt(losses.sum(axis=1)))
    assert terms.exact
    assert terms.contributions.sum(axis=1) == pytest.approx(terms.scores)


@pytest.mark.parametrize("padding", [False, True])
def test_scores_without_a_full_context_are_zero_unless_it_is_padded(padding):
    detector = SymbolicAR(**SMALL, n_epochs=1, context=4, padding=padding).fit(NOMINAL)
    (scores,) = detector.score(NOMINAL[:1])
    assert (scores[:3] > 0).all() == padding
    assert (scores[3:] > 0).all()


def test_unexpected_progress_has_a_high_score_if_the_score_is_two_sided():
    detector = SymbolicAR(**SMALL, n_epochs=40, two_sided=True, padding=True).fit(NOMINAL)
    ahead = episode(0)
    ahead.observations[5:] = ahead.observations[11]  # six steps are skipped
    column = detector.variables.index("progress")
    losses, nominal = (detector.explain(each).contributions for each in (ahead, episode(0)))
    assert losses[4, column] > 4 * nominal[:, column].max()


def test_invalid_input_is_named():
    with pytest.raises(InvalidParameter, match="4 columns; 22 counts"):
        SymbolicAR(device="cpu").fit(NOMINAL)
    with pytest.raises(InvalidParameter, match="16 transitions; a context of 30"):
        SymbolicAR(**SMALL, context=30).fit(NOMINAL)
    with pytest.raises(InvalidParameter, match="nothing to predict"):
        SymbolicAR(n_counts=0, n_categories=0)
    with pytest.raises(InvalidParameter, match="counts"):
        SymbolicAR(counts="square")
