"""A guarantee per window, for one long episode."""

import numpy as np
import pytest

from offnominal.alarms import TooFewEpisodes, WindowMaximum, alarm_from_dict
from offnominal.core.errors import InvalidParameter, InvalidState


def test_the_guarantee_holds_per_window_and_per_hour():
    rng = np.random.default_rng(3)
    rates = []
    for _ in range(40):
        alarm = WindowMaximum(alpha=0.1, window=20, period=1.0).fit([rng.normal(size=2000)])
        (raised,) = alarm.alarm([rng.normal(size=4000)])
        rates.append(raised.reshape(-1, 20).any(axis=1).mean())
    assert abs(np.mean(rates) - 0.1) < 2.5 * np.std(rates) / np.sqrt(40) + 0.01
    assert alarm.guarantee.per_hour == pytest.approx(18.0)
    assert WindowMaximum.per_hour(18.0, window=20, period=1.0).alpha == pytest.approx(0.1)
    assert "of nominal windows of 20 steps (18 per hour)" in str(alarm.guarantee)


def test_it_survives_saving():
    alarm = WindowMaximum(alpha=0.2, window=5).fit([np.arange(100.0)])
    assert alarm_from_dict(alarm.to_dict()).threshold_ == alarm.threshold_


@pytest.mark.parametrize("loaded", [False, True])
def test_a_window_that_was_changed_after_the_fit_is_refused(loaded):
    """The threshold of windows of 5 steps keeps no promise for windows of 100."""
    alarm = WindowMaximum(alpha=0.2, window=5).fit([np.arange(100.0)])
    alarm = alarm_from_dict(alarm.to_dict()) if loaded else alarm
    alarm.window = 100
    for use in (lambda: alarm.guarantee, lambda: alarm.alarm([[1.0]]), alarm.to_dict):
        with pytest.raises(InvalidState, match="window was changed from 5 to 100 after the fit"):
            use()
    alarm.window = 5
    assert alarm.guarantee.window == 5
    alarm.window = 10
    assert alarm.fit([np.arange(100.0)]).guarantee.window == 10


def test_invalid_arguments_and_short_logs_are_named():
    with pytest.raises(TooFewEpisodes, match=r"99 nominal steps have 9 windows of 10 steps.* give 190 steps or more"):
        WindowMaximum(alpha=0.05, window=10).fit([np.zeros(99)])
    with pytest.raises(InvalidParameter, match="window is 0"):
        WindowMaximum(window=0).fit([np.zeros(99)])
    with pytest.raises(InvalidParameter, match="an hour has 36 windows"):
        WindowMaximum.per_hour(40.0, window=100, period=1.0)
