"""Conformal threshold on the largest score of an episode."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.alarms.conformal import ConformalAlarm


@dataclass(eq=False)
class EpisodeMaximum(ConformalAlarm):
    """Alarms above a conformal threshold on the largest score of an episode.

    The threshold is the ceil((n + 1) (1 - alpha))-th smallest of the largest scores of n calibration episodes. For
    alpha = 0.05 it needs at least 19 episodes, with confidence 0.95 at least 59.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a new nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence. Ties only lower the rate. An episode that is cut
        short has no more false alarms than the whole episode.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that are longer than
        the calibration episodes: recalibrate then. Without `confidence`, the rate of one calibration can exceed alpha:
        with 100 episodes and alpha = 0.05 it is between 0.02 and 0.09 in nine of ten calibrations.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        confidence: If None, the guarantee holds on average over calibrations; else it holds for this calibration with
            this probability.

    Example:
        >>> scores = [[0.1 * k, 0.0] for k in range(1, 21)]
        >>> EpisodeMaximum(alpha=0.1).fit(scores).threshold_
        1.9
        >>> EpisodeMaximum(alpha=0.01).fit(scores)
        Traceback (most recent call last):
            ...
        offnominal.alarms.conformal.TooFewEpisodes: 20 nominal episodes are too few for alpha 0.01; give 99 or more, ...
    """
