"""Checks of what users hand to alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import FloatArray


def checked_episodes(scores: Any) -> list[FloatArray]:
    """Return each episode's scores as a vector of floats, or raise :class:`InvalidScores`.

    Example:
        >>> checked_episodes([[0.1, 0.2], [0.3, float("nan")]])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidScores: the score of episode 1 is nan at step 1; scores are finite numbers.
    """
    if not isinstance(scores, Iterable):
        raise InvalidScores(f"scores are a {type(scores).__name__}; expected one array per episode.")
    episodes = [_floats(episode) for episode in scores]
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


def checked_row(scores: Any, n: int) -> FloatArray:
    """Return the scores of n episodes at one step, or raise :class:`InvalidScores`."""
    values = _floats(scores)
    if values.shape != (n,):
        raise InvalidScores(f"the scores of this step have shape {values.shape}; expected ({n},), one per episode.")
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise InvalidScores(f"the score of row {row} is {values[row]}; scores are finite numbers.")
    return values


def require_number(name: str, value: Any, expected: str, holds: Callable[[Any], bool]) -> None:
    """Raise :class:`InvalidParameter` unless the value is a number of which something holds.

    Example:
        >>> require_number("weight", 5, "a number up to 1", lambda weight: weight <= 1)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: weight is 5; expected a number up to 1.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not holds(value):
        raise InvalidParameter(f"{name} is {value!r}; expected {expected}.")


def require_share(name: str, value: Any) -> None:
    """Raise :class:`InvalidParameter` unless the value is a number between 0 and 1, both excluded."""
    require_number(name, value, "a number between 0 and 1, both excluded", lambda share: 0 < share < 1)


def _floats(values: Any) -> FloatArray:
    """Return a copy, so that whatever is kept of it stays as it is when the caller uses the array again."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidScores(f"{values!r:.60} are no scores; expected numbers.") from None
