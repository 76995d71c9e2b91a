"""Scripted expert for Pong."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.policy import Policy
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray

# All lengths are in pixels of the 84 by 84 observation.
TOP, BOTTOM = 14, 77
"""Rows of the walls."""
FIELD = slice(11, 73)
"""Columns between the paddles."""
OWN = slice(73, 76)
"""Columns of the agent's paddle."""
FACE = 73.0
"""Column at which the ball meets the paddle."""
CENTRE = 45.0
BACKGROUND = 100
"""Ball and paddles are brighter than this; the field has 87."""
STROKE = 9.45
"""Displacement of the paddle after an action of one step, once it is at rest."""
SETTLED = 3
"""Steps without an action after which the paddle is at rest."""
SPINS = (2.3, 2.3, 1.0)
"""Offset of the paddle's centre below the ball, in turn for each return, so that the opponent misses. With a constant
offset a rally could be endless."""
NOTHING, UP, DOWN = 0, 2, 3
PUSHES = np.array([0.0, 0.0, -1.0, 1.0, -1.0, 1.0])
"""Direction in which each action moves the paddle."""
REACH = (10.0, 80.0)
"""Range of the paddle's rest positions."""


@dataclass(frozen=True, slots=True)
class _Play:
    rest: FloatArray
    """Rest position of each paddle without the last push; NaN before it was observed."""
    push: FloatArray
    """Last push: -1 up, 1 down, 0 none."""
    quiet: IntArray
    """Steps since the push before the last one."""
    coming: BoolArray
    """Whether the ball approaches."""
    strokes: IntArray
    """Number of approaches so far."""


class BallFollower(Policy):
    """Plays OOD-Pong-v0 from images: moves the paddle to where the ball will arrive, slightly off its centre.

    The paddle moves in whole strokes. If that is too coarse, it alternates between two positions. A stroke is not over
    at the next observation, so the policy remembers the last action; call :meth:`record_actions` if another action was
    executed.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("OOD-Pong-v0", BallFollower(), 4, noops=30).success  # doctest: +SKIP
        1.0
    """

    def start(self, seeds: IntArray, episodes: IntArray) -> _Play:
        """Return the state of new games, with unknown paddle positions."""
        n = len(seeds)
        none = np.zeros(n, np.int64)
        return _Play(np.full(n, np.nan), np.zeros(n), none, np.zeros(n, np.bool_), none)

    def act(self, observations: Array, state: _Play | None) -> tuple[Array, _Play]:
        """Return the actions that move the paddles to where the balls will arrive."""
        require_shape("observations", observations, "n", 4, 84, 84)
        state = self.begun(observations, state)
        across, down, paddle = located(observations[:, -2:])
        quiet = np.where(state.push == 0.0, state.quiet + 1, 0)
        rest = np.clip(state.rest + STROKE * state.push, *REACH)
        rest = np.where(np.isnan(rest) | (quiet >= SETTLED), paddle[:, 1], rest)
        rest = np.where(np.isnan(rest), CENTRE, rest)
        speed, fall = across[:, 1] - across[:, 0], down[:, 1] - down[:, 0]
        coming = speed > 0.3
        strokes = state.strokes + (coming & ~state.coming)
        steps = np.where(coming, (FACE - across[:, 1]) / np.where(coming, speed, 1.0), 0.0)
        met = reflected(down[:, 1] + fall * steps) + np.array(SPINS)[strokes % len(SPINS)]
        off = np.where(coming, met, CENTRE) - rest
        enough = np.where(coming, STROKE / 4.0, STROKE / 2.0)
        push = np.where(np.abs(off) > enough, np.sign(off), 0.0)
        chosen = np.where(push > 0.0, DOWN, np.where(push < 0.0, UP, NOTHING))
        return chosen, _Play(rest, push, quiet, coming, strokes)

    def record_actions(self, state: _Play, actions: IntArray) -> _Play:
        """Return the state after other actions were executed."""
        require_shape("actions", actions, "n")
        return replace(state, push=PUSHES[actions])

    def take(self, state: _Play, rows: IntArray) -> _Play:
        """Return the state of the given rows."""
        return _Play(*(getattr(state, part.name)[rows] for part in fields(state)))


def located(images: Array) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return column and row of the ball and row of the paddle in images, (n, time, 84, 84).

    All are (n, time); NaN if the object is not in the image.
    """
    between = images[:, :, TOP:BOTTOM].astype(np.int64)
    own = np.clip(between[..., OWN].sum(axis=-1) - 3 * BACKGROUND, 0, None)
    ball = np.clip(between[..., FIELD] - BACKGROUND, 0, None)
    rows, columns = np.arange(TOP, BOTTOM), np.arange(FIELD.start, FIELD.stop)
    return (
        _middle(ball.sum(axis=2), columns),
        _middle(ball.sum(axis=3), rows),
        _middle(own, rows),
    )


def reflected(down: FloatArray) -> FloatArray:
    """Return the row of a ball after reflection at the walls, given its row without walls.

    Example:
        >>> reflected(np.array([20.0, 80.0, 8.0])).tolist()
        [20.0, 74.0, 20.0]
    """
    span = float(BOTTOM - TOP)
    turned = np.mod(down - TOP, 2.0 * span)
    return np.asarray(TOP + np.where(turned > span, 2.0 * span - turned, turned))


def _middle(weights: Array, places: Array) -> FloatArray:
    """Return the weighted mean position; NaN where the total weight is small. Sums of integers are exact."""
    total = weights.sum(axis=-1)
    found = total > 30
    return np.where(found, (weights * places).sum(axis=-1) / np.where(found, total, 1), np.nan)
