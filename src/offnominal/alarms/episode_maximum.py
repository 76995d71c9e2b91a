"""The conformal limit on the score itself."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.alarms.conformal import ConformalAlarm


@dataclass(eq=False)
class EpisodeMaximum(ConformalAlarm):
    """Alarms above a conformal limit on an episode's largest score.

    Of n calibration episodes it takes the largest scores and, as the limit, the ceil((n + 1) (1 - alpha))-th smallest
    of them. For alpha = 0.05 that takes 19 episodes at least, with confidence 0.95 it takes 59.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a fresh nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence. Equal scores only make it rarer. An episode that
        is cut short, by the alarm or by anything else, has no more false alarms than the whole one.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that go on for
        longer than those of the calibration would have: recalibrate then. Nor that the rate of one calibration is as
        low as alpha, unless `confidence` is given: with 100 episodes and alpha = 0.05 it lies between 0.02 and 0.09 in
        nine calibrations of ten.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        confidence: None for a rate that holds on average over calibrations; a probability for a rate that holds for
            this calibration, unless it was one of the 1 - confidence unlucky ones.

    Example:
        >>> scores = [[0.1 * k, 0.0] for k in range(1, 21)]
        >>> EpisodeMaximum(alpha=0.1).fit(scores).threshold_
        1.9
        >>> EpisodeMaximum(alpha=0.01).fit(scores)
        Traceback (most recent call last):
            ...
        offnominal.alarms.conformal.TooFewEpisodes: 20 nominal episodes are too few for alpha 0.01; give 99 or more, ...
    """
