"""Tail probabilities by counting, in the three combinations of the papers and of their public code."""

import numpy as np
import pytest
from scipy.stats import skew

from offnominal.core.errors import DamagedFile
from offnominal.detectors.rows.ecod import ECOD

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long
SKEWED = np.concatenate([ROWS, ROWS[:40] ** 2 * [1.0, -3.0, 0.0]])


def tails(row):
    """The negative logs of the tails of one row that stands among the nominal ones."""
    among = np.concatenate([SKEWED, row[None]])
    return -np.log((among <= row).mean(axis=0)), -np.log((among >= row).mean(axis=0))


def as_written(row, combine):
    left, right = tails(row)
    sign = np.sign(skew(SKEWED, axis=0))
    if combine == "rows":
        return max(left.sum(), right.sum(), np.where(sign < 0, left, right).sum())
    # As in the public code: a factor for each tail by the sign of the skewness.
    by_sign = left * -np.sign(sign - 1) + right * np.sign(sign + 1)
    other = np.maximum(left, right) if combine == "columns" else (left + right) / 2
    return np.maximum(by_sign, other).sum()


@pytest.mark.parametrize("combine", ["rows", "columns", "means"])
def test_scores_are_those_of_the_formula(combine):
    detector = ECOD(combine=combine).fit(SKEWED)
    assert set(np.sign(skew(SKEWED, axis=0))) == {-1.0, 1.0}
    np.testing.assert_allclose(detector.score(FRESH), [as_written(row, combine) for row in FRESH], rtol=1e-12)


def test_the_public_code_counts_both_tails_of_a_column_without_skewness():
    rows = np.array([[-1.0], [0.0], [1.0]])
    both = -2 * np.log(3 / 4)
    assert ECOD(combine="columns").fit(rows).score(np.zeros((1, 1))) == pytest.approx(both)
    assert ECOD().fit(rows).score(np.zeros((1, 1))) == pytest.approx(both / 2)


def test_a_file_with_unsorted_points_is_refused():
    detector = ECOD().fit(SKEWED)
    state = detector.state_dict()
    state["points"] = state["points"][::-1].copy()
    with pytest.raises(DamagedFile, match="not sorted"):
        ECOD().load_state_dict(state)
