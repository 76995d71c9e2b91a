"""The search finds known curves, and says what it cannot find."""

import numpy as np
import pytest

from offnominal.calibration.axis import Axis, axes_of
from offnominal.calibration.search import StrengthSearch
from offnominal.core.errors import SimulationDiverged, UnsupportedEnvironment
from offnominal.core.philox import fill_normal
from offnominal.core.streams import stream_keys
from offnominal.worlds.catalogue import make_world

pytestmark = pytest.mark.long


class Curve:
    """Stands in for a sampler: the score is a known function of the distance plus luck and noise."""

    def __init__(self, score, noise=0.15, breaks_at=np.inf):
        self.score, self.noise, self.breaks_at = score, noise, breaks_at

    def control_variates(self, seed, n):
        return 0.05 * normal(seed + np.arange(n), 0)[:, None]

    def faulty(self, axis, distances, seed, onset):
        if (distances >= self.breaks_at).any():
            raise SimulationDiverged("broken")
        seeds = seed + np.arange(len(distances))
        return self.score(distances) + 0.05 * normal(seeds, 0) + self.noise * normal(seeds, 1)


def normal(seeds, lane):
    """Return a standard normal number per seed."""
    drawn = np.empty((len(seeds), 1))
    fill_normal(stream_keys(seeds, np.full(len(seeds), lane), "anomaly"), np.zeros(len(seeds), np.int64), 0, drawn)
    return drawn[:, 0]


OFFSET = Axis("action/offset", 0.0)


def searched(curve, axis=OFFSET, levels=(0.99, 0.9, 0.75, 0.5), **options):
    search = StrengthSearch(curve, axis, **options)
    search.scan(min(levels))
    return search, {level: search.find(level) for level in levels}


@pytest.mark.parametrize(
    "score",
    [
        lambda d: 1.0 - 0.4 * d,
        lambda d: 1.0 - 0.2 * d**2,
        lambda d: 1.0 / (1.0 + d),
        lambda d: np.where(d < 0.3, 1.0, 1.0 - 3.0 * (d - 0.3)),
    ],
    ids=["line", "square", "saturating", "threshold"],
)
def test_every_level_of_a_smooth_curve_is_found_within_its_error(score):
    curve = Curve(score)
    _, found = searched(curve)
    for level, each in found.items():
        assert each.attainable
        assert score(np.array([each.distance]))[0] == pytest.approx(level, abs=4.0 * max(each.score.error, 0.002))
        assert each.episodes <= 1600
    distances = [each.distance for each in found.values()]
    assert distances == sorted(distances)


def test_a_curve_that_rises_again_is_crossed_where_it_first_falls():
    _, found = searched(Curve(lambda d: 1.0 - 0.6 * np.exp(-(np.log(d / 3.0) ** 2))), levels=(0.75,))
    assert found[0.75].distance < 3.0


def test_a_level_below_the_lowest_score_is_not_attainable_and_says_how_low_it_gets():
    _, found = searched(Curve(lambda d: 1.0 - 0.3 * d / (1.0 + d)), levels=(0.99, 0.9, 0.5))
    assert [each.attainable for each in found.values()] == [True, True, False]
    assert "harms more than one of" in found[0.5].note
    assert found[0.5].distance > 10.0
    assert 0.65 < found[0.5].score.value < 0.75


def test_a_level_the_lowest_score_just_touches_is_attainable():
    _, found = searched(Curve(lambda d: np.maximum(1.0 - d, 0.755), noise=0.05), levels=(0.9, 0.75))
    assert found[0.75].attainable


def test_a_simulation_that_breaks_down_ends_the_ladder():
    search, found = searched(Curve(lambda d: 1.0 - 0.001 * d, breaks_at=50.0), levels=(0.9,))
    assert not found[0.9].attainable
    assert "the simulation breaks down at" in found[0.9].note
    assert search.distances.max() < 50.0


def test_a_fault_without_effect_has_no_level():
    _, found = searched(Curve(np.ones_like, noise=0.0), levels=(0.99, 0.5))
    assert not any(each.attainable for each in found.values())


def test_whole_numbers_are_taken_only_if_they_have_the_level():
    delay = Axis("action/delay", 0.0, integer=True)
    _, found = searched(Curve(lambda d: 1.0 - 0.05 * d, noise=0.05), delay)
    assert not found[0.99].attainable
    assert "of whole numbers, 1 gives 0.9" in found[0.99].note
    assert [found[level].distance for level in (0.9, 0.75, 0.5)] == [2.0, 5.0, 10.0]
    assert all(found[level].attainable for level in (0.9, 0.75, 0.5))


def test_the_search_stays_within_its_budget():
    _, found = searched(Curve(lambda d: 1.0 - 0.2 * d, noise=0.5), budget=600)
    assert all(each.episodes <= 600 for each in found.values())


def test_parameters_have_few_digits():
    _, found = searched(Curve(lambda d: 1.0 - 0.2 * d), Axis("action/scaling", 1.0, "up"), levels=(0.9,))
    parameter = float(np.exp(found[0.9].distance))
    assert parameter - 1.0 == pytest.approx(float(f"{parameter - 1.0:.4g}"), rel=1e-9)


def test_level_at_the_lowest_score_is_found_when_the_budget_is_spent_on_telling_whether_it_is_attained():
    _, found = searched(Curve(lambda d: 1.0 - 0.25 * np.minimum(d, 1.0), noise=0.3), levels=(0.745,), budget=200)
    assert found[0.745].score.value == pytest.approx(0.745, abs=0.1)


def test_refinement_with_a_spent_budget_has_one_round():
    search, _ = searched(Curve(lambda d: 1.0 - 0.4 * d), levels=(0.9,), budget=200)
    before = len(search.scores)
    x, score = search._refine(0.9, np.log(0.25), spent=200)
    assert np.exp(x) == pytest.approx(0.25, rel=0.3)
    assert np.isfinite(score.error)
    assert 0 < len(search.scores) - before <= 100


def test_an_anomaly_that_a_world_cannot_have_is_named_before_the_search():
    with pytest.raises(UnsupportedEnvironment, match="action/delay needs a Box action space; CRAFT-Pogo-v1 has none"):
        axes_of(make_world("CRAFT-Pogo-v1", 1), ["action/delay"])
    assert not [axis for axis in axes_of(make_world("CRAFT-Pogo-v1", 1)) if axis.anomaly.startswith("action/")]
