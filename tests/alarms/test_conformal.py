"""The guarantees of conformal alarms hold exactly, by counting where possible and in simulations otherwise."""

import math

import numpy as np
import pytest

from offnominal.alarms import (
    EpisodeCusum,
    EpisodeEwma,
    EpisodeMaximum,
    TimeBand,
    TooFewEpisodes,
    WindowMaximum,
    simulate_scores,
)
from offnominal.core.errors import InvalidParameter, InvalidState

KINDS = [EpisodeMaximum, EpisodeEwma, EpisodeCusum, TimeBand]
SHAPED = KINDS[1:]
LENGTHS = (4, 12)


def apart(n, share=0.2):
    """Return which of n calibration episodes are not ranked, by the rule in the documents."""
    chosen = max(1, int(n * share))
    return [k * n // chosen for k in range(chosen)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.22, 0.3])
def test_exactly_the_guaranteed_number_of_held_out_episodes_alarms(kind, alpha):
    """This is the guarantee itself: given who they are, each of the exchangeable episodes may be the fresh one."""
    n = 40
    places = [] if kind is EpisodeMaximum else apart(n)
    reference = simulate_scores(n, steps=LENGTHS, seed=1)[: len(places)]
    exchangeable = simulate_scores(n - len(places) + 1, steps=LENGTHS, seed=2)
    alarmed = 0
    for fresh in range(len(exchangeable)):
        ranked = exchangeable[:fresh] + exchangeable[fresh + 1 :]
        calibration = [reference[places.index(number)] if number in places else ranked.pop(0) for number in range(n)]
        alarmed += kind(alpha).fit(calibration).first_alarms([exchangeable[fresh]]) != [None]
    assert alarmed == math.floor(round(alpha * len(exchangeable), 9))


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_over_calibrations_is_the_level_and_not_less(kind):
    """With (ranked + 1) * alpha a whole number there is nothing to lose by rounding."""
    n, fresh, calibrations = (49, 50, 250) if kind is not EpisodeMaximum else (39, 50, 250)
    scores = simulate_scores(calibrations * (n + fresh), steps=LENGTHS, seed=3)
    rates = []
    for start in range(0, len(scores), n + fresh):
        alarm = kind(alpha=0.1).fit(scores[start : start + n])
        first = alarm.first_alarms(scores[start + n : start + n + fresh])
        rates.append(np.mean([step is not None for step in first]))
    expected = math.floor(0.1 * (alarm.n_ranked_ + 1)) / (alarm.n_ranked_ + 1)
    assert abs(np.mean(rates) - expected) < 4 * np.std(rates) / np.sqrt(calibrations)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("confidence", [None, 0.9])
def test_the_rate_over_calibrations_has_its_beta_distribution(kind, confidence):
    calibrations, fresh = 400, 1000
    rates, law = [], None
    for number in range(calibrations):
        scores = simulate_scores(100 + fresh, steps=30, seed=number)
        alarm = kind(alpha=0.1, confidence=confidence).fit(scores[:100])
        rates.append(np.mean([step is not None for step in alarm.first_alarms(scores[100:])]))
        law = alarm.rate_distribution
    a, b = law
    mean, variance = a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)
    total = variance + (mean * (1 - mean) - variance) / fresh
    assert abs(np.mean(rates) - mean) < 4 * math.sqrt(total / calibrations)
    assert np.var(rates) == pytest.approx(total, rel=0.3)
    if confidence is not None:
        assert np.mean(np.array(rates) > 0.1) < 0.1 + 2 * math.sqrt(0.1 * 0.9 / calibrations)


def test_the_threshold_is_the_maximum_of_the_right_rank():
    scores = simulate_scores(57, steps=LENGTHS, seed=5)
    maxima = sorted(max(episode) for episode in scores)
    alarm = EpisodeMaximum(alpha=0.1).fit(scores)
    assert (alarm.rank_, alarm.n_ranked_, alarm.threshold_) == (53, 57, maxima[52])
    assert alarm.rate_distribution == (5.0, 53.0)
    strict = EpisodeMaximum(alpha=0.1, confidence=0.95).fit(scores)
    assert (strict.rank_, strict.threshold_) == (56, maxima[55])
    assert strict.guarantee.kind == "pac"
    assert alarm.guarantee.kind == "marginal"


def test_equal_maxima_make_false_alarms_rarer():
    scores = [[1.0, 2.0]] * 30
    alarm = EpisodeMaximum(alpha=0.1).fit(scores)
    assert alarm.first_alarms(scores[:1]) == [None]


def test_a_truncated_episode_has_no_additional_alarms():
    scores = simulate_scores(200, steps=40, seed=6)
    for kind in KINDS:
        alarm = kind(alpha=0.3).fit(scores[:100])
        whole, cut = alarm.first_alarms(scores[100:]), alarm.first_alarms([episode[:20] for episode in scores[100:]])
        assert [step for step in whole if step is not None and step < 20] == [step for step in cut if step is not None]


@pytest.mark.parametrize(
    ("alarm", "needed"),
    [
        (EpisodeMaximum(alpha=0.05), 19),
        (EpisodeMaximum(alpha=0.05, confidence=0.95), 59),
        (EpisodeEwma(alpha=0.05), 23),
        (EpisodeCusum(alpha=0.05, fit_fraction=0.5), 37),
        (TimeBand(alpha=0.05, confidence=0.95), 73),
        (EpisodeEwma(alpha=0.05, fit_fraction=0.01), 20),
    ],
)
def test_too_few_episodes_are_an_error_with_the_number_needed(alarm, needed):
    scores = simulate_scores(needed, steps=5)
    with pytest.raises(TooFewEpisodes, match=f"{needed - 1} nominal .* give {needed} or more"):
        alarm.fit(scores[:-1])
    alarm.fit(scores)
    assert alarm.rank_ == alarm.n_ranked_


@pytest.mark.parametrize("kind", SHAPED)
def test_the_statistic_is_fitted_only_on_episodes_that_are_not_ranked(kind):
    scores = simulate_scores(50, steps=LENGTHS, seed=7)
    alarm = kind(alpha=0.1).fit(scores)
    shape = [name for name in alarm.fitted_names() if name not in ("threshold_", "rank_", "n_ranked_")]
    assert shape
    others = [episode if number in apart(50) else 3.0 * episode for number, episode in enumerate(scores)]
    moved = [3.0 * episode if number in apart(50) else episode for number, episode in enumerate(scores)]
    for name in shape:
        np.testing.assert_array_equal(getattr(kind(alpha=0.1).fit(others), name), getattr(alarm, name))
        assert not np.array_equal(getattr(kind(alpha=0.1).fit(moved), name), getattr(alarm, name))
    assert alarm.n_ranked_ == 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.0},
        {"alpha": 1},
        {"alpha": "0.05"},
        {"alpha": True},
        {"alpha": np.nan},
        {"confidence": 0.0},
        {"confidence": 1.0},
    ],
)
def test_a_level_that_is_not_a_probability_is_an_error(kind, options):
    with pytest.raises(InvalidParameter, match=f"{next(iter(options))} is "):
        kind(**options).fit(simulate_scores(100, steps=5))


@pytest.mark.parametrize(
    ("alarm", "problem"),
    [
        (EpisodeEwma(fit_fraction=0.0), "fit_fraction is 0.0"),
        (EpisodeCusum(fit_fraction=0.6), "fit_fraction is 0.6"),
        (EpisodeEwma(weight=0.0), "weight is 0.0"),
        (EpisodeEwma(weight=1.1), "weight is 1.1"),
        (EpisodeEwma(weight=True), "weight is True"),
        (EpisodeCusum(drift=-0.1), "drift is -0.1"),
        (EpisodeCusum(drift=np.inf), "drift is inf"),
        (TimeBand(half_window=-1), "half_window is -1"),
        (TimeBand(half_window=1.5), "half_window is 1.5"),
    ],
)
def test_an_argument_out_of_range_is_an_error_at_fit(alarm, problem):
    with pytest.raises(InvalidParameter, match=problem):
        alarm.fit(simulate_scores(100, steps=5))


@pytest.mark.parametrize("kind", [*KINDS, WindowMaximum])
@pytest.mark.parametrize("change", [{"alpha": 0.01}, {"confidence": 0.99}])
def test_no_guarantee_is_stated_that_the_threshold_does_not_keep(kind, change):
    """The guarantee is that of the fit: a level that was set afterwards is refused."""
    alarm = kind(0.1, **({"window": 4} if kind is WindowMaximum else {})).fit(simulate_scores(60, steps=LENGTHS))
    assert alarm.guarantee.level == 0.1
    for name, value in change.items():
        setattr(alarm, name, value)
    with pytest.raises(InvalidState, match=r"was changed from .* after the fit\. Call fit again"):
        _ = alarm.guarantee
    assert alarm.fit(simulate_scores(3000, steps=LENGTHS)).guarantee.level == alarm.alpha
