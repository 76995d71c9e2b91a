"""The null applies onsets to nominal episodes."""

import numpy as np
import pytest

from offnominal.evaluation import InvalidLabels, measure_discrimination, measure_null_discrimination

from .cases import auroc, episode


@pytest.mark.parametrize(("faulty", "nominal"), [(4, 4), (3, 7), (7, 3)])
def test_every_onset_and_every_nominal_episode_is_used(faulty, nominal):
    rng = np.random.default_rng(faulty)
    scores = [rng.integers(0, 5, length).astype(float) for length in rng.integers(8, 15, nominal)]
    episodes = [episode(9, int(onset)) for onset in rng.integers(1, 8, faulty)]
    found = measure_null_discrimination(scores, episodes, replicates=0)
    expected = []
    for k in range(max(faulty, nominal)):
        row, onset = scores[k % nominal], episodes[k % faulty].onset
        expected.append(auroc(row[onset:], row[:onset]))
    assert found.local.auroc.value == pytest.approx(np.mean(expected))
    assert found.episodes == len(expected)


def test_rows_that_share_a_nominal_episode_are_drawn_together():
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=20), rng.normal(size=20)]
    once = [episode(20, 5), episode(20, 12)]
    thrice = measure_null_discrimination(scores, once * 3, replicates=50)
    single = measure_null_discrimination(scores, once, replicates=50)
    np.testing.assert_allclose(thrice.local.auroc.draws, single.local.auroc.draws)
    np.testing.assert_allclose(thrice.pooled.auroc.draws, single.pooled.auroc.draws)


def test_onsets_after_the_end_of_a_nominal_episode_are_counted():
    found = measure_null_discrimination([np.arange(5.0), np.arange(9.0)], [episode(9, 6), episode(9, 6)], replicates=0)
    assert (found.episodes, found.one_class) == (2, 1)


def test_the_null_of_elapsed_time_removes_all_of_its_excess():
    clock = [np.arange(30.0)] * 4
    episodes = [episode(30, onset) for onset in (3, 9, 15, 28)]
    found = measure_discrimination(clock, [each.active for each in episodes])
    excess = found.local - measure_null_discrimination(clock, episodes).local
    assert excess.auroc.value == excess.average_precision.value == excess.fpr95.value == 0.0
    assert excess.auroc.low == excess.auroc.high == 0.0


def test_a_null_needs_faulty_episodes():
    with pytest.raises(InvalidLabels, match="no faulty episodes"):
        measure_null_discrimination([np.arange(5.0)], [])
