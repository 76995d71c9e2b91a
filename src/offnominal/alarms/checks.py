"""Checks of scores and arguments of alarms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidScores
from offnominal.core.types import FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE


def checked_episodes(scores: Any) -> list[FloatArray]:
    """Return the scores of each episode as a vector of floats, or raise :class:`InvalidScores`.

    Example:
        >>> checked_episodes([[0.1, 0.2], [0.3, float("nan")]])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidScores: the score of episode 1 is nan at step 1; scores are finite numbers.
    """
    if isinstance(scores, str | bytes) or not isinstance(scores, Iterable):
        raise InvalidScores(f"scores are a {type(scores).__name__}; expected one array per episode.")
    try:
        given = list(scores)
    except TypeError:
        given = [scores]
    episodes = [_floats(episode) for episode in given]
    for number, values in enumerate(episodes):
        if values.ndim != 1 or not values.size:
            raise InvalidScores(
                f"the scores of episode {number} have shape {values.shape}; expected one array per episode, with one "
                "score per step and at least one step."
            )
    if episodes and not np.isfinite(np.concatenate(episodes)).all():
        number = next(number for number, values in enumerate(episodes) if not np.isfinite(values).all())
        step = int(np.argmin(np.isfinite(episodes[number])))
        raise InvalidScores(
            f"the score of episode {number} is {episodes[number][step]} at step {step}; scores are finite numbers."
        )
    return episodes


def pooled_scores(episodes: list[FloatArray]) -> FloatArray:
    """Return the scores of all steps, or raise :class:`InvalidScores` if there is no episode."""
    if not len(episodes):
        raise InvalidScores("no episode was given; expected the scores of at least one.")
    return np.concatenate(episodes)


def require_valid_readings(episodes: list[FloatArray]) -> None:
    """Raise :class:`InvalidScores` if a score is that of an invalid reading: its threshold could never be exceeded.

    Example:
        >>> require_valid_readings([np.array([0.1, MAX_SCORE])])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidScores: the score of episode 0 is 1e+30 at step 1, that of an invalid reading; ...
    """
    for number, scores in enumerate(episodes):
        if scores.max() >= MAX_SCORE:
            step = int(np.argmax(scores))
            raise InvalidScores(
                f"the score of episode {number} is {scores[step]:g} at step {step}, that of an invalid reading; "
                "calibrate on nominal episodes without invalid readings."
            )


def checked_row(scores: Any, n: int) -> FloatArray:
    """Return the scores of n episodes at one step, or raise :class:`InvalidScores`."""
    values = _floats(scores)
    if values.shape != (n,):
        raise InvalidScores(f"the scores of this step have shape {values.shape}; expected ({n},), one per episode.")
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise InvalidScores(f"the score of row {row} is {values[row]}; scores are finite numbers.")
    return values


def _floats(values: Any) -> FloatArray:
    """Return a copy as floats, so that later changes of the array by the caller have no effect."""
    return np.array(numeric_array("scores", values, InvalidScores), np.float64)
