"""What nominal data say about each channel and about the time between samples: ranges, held values, rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import number_in, text
from offnominal.core.config import Config
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray

MARGIN = 0.1
"""A value is out of range if it is beyond the nominal range by more than this share of its span."""
HELD = 3
"""A channel is stuck if it holds a value for more than this many times its longest nominal run."""
FEWEST_HELD = 10
"""Fewest samples of one value that are called stuck."""
WINDOW = 50
"""Steps between samples over which rate and jitter are measured."""
TIME = "time"


@dataclass(frozen=True)
class ChannelCheck(Config):
    """What is nominal for one channel.

    Args:
        name: Name of the channel.
        unit: Its unit; empty if unknown.
        mean: Mean nominal value.
        low: Smallest nominal value.
        high: Largest nominal value. A channel with one nominal value is constant; its range is not checked, and it
            cannot be stuck.
        hold: Longest nominal run of one value, in samples.
    """

    name: str
    unit: str = ""
    mean: float = 0.0
    low: float = 0.0
    high: float = 0.0
    hold: int = 0

    @property
    def constant(self) -> bool:
        """Whether the channel had one value only."""
        return self.low == self.high

    @property
    def limits(self) -> tuple[float, float]:
        """Range outside of which a value is an alarm.

        Example:
            >>> ChannelCheck("speed", low=0.0, high=10.0).limits
            (-1.0, 11.0)
        """
        margin = np.inf if self.constant else MARGIN * (self.high - self.low)
        return self.low - margin, self.high + margin

    @property
    def most_held(self) -> int:
        """Samples of one value in a row that are not yet stuck; 0 if the channel cannot be stuck."""
        return 0 if self.constant else max(HELD * self.hold, FEWEST_HELD)


@dataclass(frozen=True)
class TimingCheck(Config):
    """What is nominal for the time between two samples; zeros if it is unknown, which is not checked.

    Args:
        period: Seconds from one sample to the next.
        longest: Longest nominal step in seconds.
        deviation: Largest nominal difference of the mean step of a window from the period, as a share of the period.
        jitter: Largest nominal standard deviation of the steps of a window, as a share of the period.
    """

    period: float = 0.0
    longest: float = 0.0
    deviation: float = 0.0
    jitter: float = 0.0

    @property
    def most_gap(self) -> float:
        """Seconds between two samples that are not yet a gap."""
        return max(3.0 * self.period, 1.5 * self.longest)

    @property
    def most_deviation(self) -> float:
        """Share by which the rate of a window may differ."""
        return max(0.2, 1.5 * self.deviation)

    @property
    def most_jitter(self) -> float:
        """Standard deviation of the steps of a window that is not yet an alarm, as a share of the period."""
        return max(0.2, 2.0 * self.jitter)


@dataclass(frozen=True)
class Checks(Config):
    """Checks of samples, learned from nominal episodes.

    Args:
        observation: One per value of an observation.
        action: One per value of an action.
        timing: The time between samples.
    """

    observation: tuple[ChannelCheck, ...]
    action: tuple[ChannelCheck, ...] = ()
    timing: TimingCheck = TimingCheck()

    @property
    def channels(self) -> tuple[ChannelCheck, ...]:
        """Those of the observation, then those of the action."""
        return self.observation + self.action


def learn_checks(
    episodes: Sequence[Episode],
    *,
    observations: Sequence[str],
    actions: Sequence[str],
    units: Sequence[str] = (),
    rate: float | None = None,
) -> Checks:
    """Return the checks that nominal episodes of vectors pass.

    Args:
        episodes: Nominal episodes. Their extra ``time``, if they have one, is the time of each observation in seconds.
        observations: Names of the values of an observation.
        actions: Names of the values of an action.
        units: Units of all of them; none if empty.
        rate: Samples per second, for episodes without times.

    Example:
        >>> still = Episode(np.array([[0.0], [1.0], [1.0]]), np.zeros((2, 0)), np.zeros(2), np.zeros(2, bool))
        >>> learn_checks([still], observations=["level"], actions=[], rate=10.0).observation
        (ChannelCheck(name='level', unit='', mean=0.666..., low=0.0, high=1.0, hold=2),)
    """
    if not len(episodes):
        raise InvalidParameter("there are no episodes; checks are learned from nominal ones.")
    named = [text("units", each) for each in units] or [""] * (len(observations) + len(actions))
    if len(named) != len(observations) + len(actions):
        raise InvalidParameter(f"there are {len(named)} units for {len(observations) + len(actions)} channels.")
    before = [_rows(episode.observations) for episode in episodes]
    commanded = [_rows(episode.actions) for episode in episodes]
    return Checks(
        _channels(before, observations, named[: len(observations)]),
        _channels(commanded, actions, named[len(observations) :]),
        _timing([episode.extras[TIME] for episode in episodes if TIME in episode.extras], rate),
    )


def _rows(values: Array) -> FloatArray:
    return np.asarray(values, np.float64).reshape(len(values), -1)


def _channels(parts: Sequence[FloatArray], names: Sequence[str], units: Sequence[str]) -> tuple[ChannelCheck, ...]:
    values = np.concatenate(parts)
    if values.shape[1] != len(names):
        raise InvalidParameter(f"there are {len(names)} names for {values.shape[1]} channels: {', '.join(names)}.")
    return tuple(
        ChannelCheck(
            name,
            units[index],
            float(values[:, index].mean()),
            float(values[:, index].min()),
            float(values[:, index].max()),
            max(_longest_run(part[:, index]) for part in parts),
        )
        for index, name in enumerate(names)
    )


def _longest_run(values: FloatArray) -> int:
    """Return the length of the longest run of one value.

    Example:
        >>> _longest_run(np.array([1.0, 1.0, 2.0, 2.0, 2.0]))
        3
    """
    changes = np.flatnonzero(np.diff(values)) + 1
    edges = np.concatenate([[0], changes, [len(values)]])
    return int(np.diff(edges).max())


def _timing(times: Sequence[Array], rate: float | None) -> TimingCheck:
    steps = [np.diff(np.asarray(each, np.float64)) for each in times if len(each) > 1]
    if rate is not None:
        period = 1.0 / number_in("rate", rate, 0.0, open_low=True)
    elif steps:
        period = float(np.median(np.concatenate(steps)))
    else:
        return TimingCheck()
    if not steps:
        return TimingCheck(period, period)
    windows = [np.lib.stride_tricks.sliding_window_view(each, WINDOW) for each in steps if len(each) >= WINDOW]
    means = [np.abs(each.mean(axis=1) / period - 1.0).max() for each in windows]
    spreads = [each.std(axis=1).max() / period for each in windows]
    longest = float(np.concatenate(steps).max())
    return TimingCheck(period, longest, float(max(means, default=0.0)), float(max(spreads, default=0.0)))
