"""Likelihood ratio and change-point detection equal their formulas, published closed cases and slow references."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

from offnominal.alarms import Bocpd, EpisodeGlr, load_alarm, save_alarm, simulate_scores
from offnominal.core.errors import DamagedFile, InvalidParameter

STEP = [0.0] * 20 + [5.0] * 3


def glr(**options):
    """A ratio of scores that are standardised already."""
    return EpisodeGlr(alpha=0.5, **options).fit([[-1.0, 1.0]] * 10)


def bocpd(**options):
    return Bocpd(**options).fit([[-1.0, 1.0]])


def posteriors(alarm, scores):
    state, found = alarm.start(), []
    for score in scores:
        state, _ = alarm.update(state, [score])
        found.append(alarm.run_lengths(state)[0])
    return found


def test_the_ratio_of_a_step_is_the_closed_case():
    (ratios,) = glr().statistic([STEP])
    assert ratios[19:].tolist() == [0.0, 12.5, 25.0, 37.5]


@pytest.mark.parametrize("window", [1, 7, 100])
def test_the_ratio_is_the_largest_over_all_onsets_in_the_window(window):
    scores = np.random.default_rng(0).normal(size=60)
    (ratios,) = glr(window=window).statistic([scores])
    for t in range(60):
        sums = [scores[j : t + 1].sum() for j in range(max(t + 1 - window, 0), t + 1)]
        best = max(max(total, 0.0) ** 2 / (2 * (len(sums) - k)) for k, total in enumerate(sums))
        assert ratios[t] == pytest.approx(best, rel=1e-12, abs=1e-12)


def test_the_estimated_onset_is_close_to_that_of_the_shift():
    random = np.random.default_rng(1)
    alarm = EpisodeGlr(alpha=0.02).fit(list(random.normal(size=(200, 150))))
    streams = random.normal(size=(200, 150))
    streams[:, 80:] += 1.5
    found = [
        onset
        for onset, first in zip(alarm.onsets(list(streams)), alarm.first_alarms(list(streams)), strict=True)
        if first is not None and first >= 80
    ]
    assert len(found) > 190
    assert abs(np.median(found) - 80) <= 1
    assert np.mean(np.abs(np.array(found) - 80) <= 8) > 0.85
    assert alarm.onsets([np.zeros(50)]) == [None]


def test_the_posterior_of_a_step_is_the_closed_case():
    found = posteriors(bocpd(hazard=0.01), STEP)[19:]
    assert [int(each.argmax()) for each in found] == [20, 1, 2, 3]
    assert [each.max() for each in found] == pytest.approx([0.8987, 0.6054, 0.9751, 0.9866], abs=5e-5)
    assert [each[0] for each in found] == pytest.approx([0.01] * 4)


def test_the_posterior_equals_a_sum_over_all_segmentations():
    scores, hazard = np.random.default_rng(2).normal(size=8), 0.1

    def evidence(part):
        """Return the density of scores around one mean, by their joint normal distribution."""
        covariance = np.eye(len(part)) + np.ones((len(part), len(part)))
        _, logdet = np.linalg.slogdet(covariance)
        exponent = -0.5 * (part @ np.linalg.solve(covariance, part) + logdet + len(part) * np.log(2 * np.pi))
        return np.exp(exponent)

    joint = np.zeros(9)
    for code in range(2**7):
        cuts = [0, *(k + 1 for k in range(7) if code >> k & 1), 8]
        chance = hazard ** (len(cuts) - 2) * (1 - hazard) ** (7 - (len(cuts) - 2))
        joint[8 - cuts[-2]] += chance * np.prod([evidence(scores[a:b]) for a, b in pairwise(cuts)])
    expected = np.concatenate([[hazard], (1 - hazard) * joint[1:] / joint.sum()])
    assert posteriors(bocpd(hazard=hazard), scores)[-1][:9] == pytest.approx(expected, rel=1e-9)
    alarm = bocpd(hazard=hazard, recent=3)
    assert alarm.statistic([scores])[0][-1] == pytest.approx(expected[:4].sum(), rel=1e-9)


def test_the_start_is_no_change_and_the_first_score_has_the_prior_predictive():
    (found,) = bocpd(recent=5).statistic([np.zeros(30)])
    assert (found < 0.1).all()
    state, _ = (alarm := bocpd(hazard=0.2)).update(alarm.start(), [0.3])
    state, _ = alarm.update(state, [2.0])
    stay = 0.8 * norm.pdf(2.0, 0.15, np.sqrt(1.5))
    begin = 0.2 * norm.pdf(2.0, 0.0, np.sqrt(2.0))
    assert alarm.run_lengths(state)[0, 1] == pytest.approx(0.8 * begin / (stay + begin))


def test_runs_that_are_joined_hardly_change_the_alarm():
    random = np.random.default_rng(3)
    scores = np.concatenate([random.normal(size=400), random.normal(2.0, size=40)])
    (short,), (long,) = (bocpd(longest=each, recent=20).statistic([scores]) for each in (50, 1000))
    assert np.sum((short > 0.5) != (long > 0.5)) <= 1
    assert short[:400].max() < 0.5 < short[420]
    assert posteriors(bocpd(longest=50), scores)[-1].sum() == pytest.approx(1.0)


def test_skewed_correlated_scores_have_more_false_alarms_than_those_of_its_model():
    random = np.random.default_rng(0)

    def share(calibration, fresh):
        return np.mean([each.any() for each in Bocpd().fit(calibration).alarm(fresh)])

    independent = share(list(random.normal(size=(60, 200))), list(random.normal(size=(200, 200))))
    assert share(simulate_scores(60, seed=4), simulate_scores(200, seed=5)) > 3.0 * independent
    assert Bocpd().guarantee.kind == "none"


@pytest.mark.parametrize("alarm", [EpisodeGlr(alpha=0.1, window=7), Bocpd(longest=12)])
def test_a_saved_alarm_is_the_same_and_a_changed_one_is_refused(alarm, tmp_path):
    fitted = alarm.fit(simulate_scores(40, steps=30))
    save_alarm(tmp_path / "alarm.json", fitted)
    loaded = load_alarm(tmp_path / "alarm.json")
    fresh = simulate_scores(5, steps=40, seed=9)
    assert all(np.array_equal(a, b) for a, b in zip(loaded.statistic(fresh), fitted.statistic(fresh), strict=True))
    fitted.deviation_ = -1.0
    save_alarm(tmp_path / "changed.json", fitted)
    with pytest.raises(DamagedFile, match="deviation_"):
        load_alarm(tmp_path / "changed.json")


@pytest.mark.parametrize(
    ("alarm", "problem"),
    [
        (EpisodeGlr(window=0), "window"),
        (Bocpd(probability=1.0), "probability"),
        (Bocpd(hazard=0.0), "hazard"),
        (Bocpd(recent=10, longest=10), "longest"),
    ],
)
def test_impossible_arguments_are_named(alarm, problem):
    with pytest.raises(InvalidParameter, match=problem):
        alarm.fit(simulate_scores(40, steps=30))
