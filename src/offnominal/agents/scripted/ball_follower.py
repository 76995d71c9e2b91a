"""A player of Pong that is where the ball will be."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from offnominal.agents.policy import Policy
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray

# All lengths are pixels of the 84 by 84 that an agent sees.
TOP, BOTTOM = 14, 77
"""Between the walls."""
FIELD = slice(11, 73)
"""Columns between the paddles."""
OWN = slice(73, 76)
"""Columns of the paddle that is played."""
FACE = 73.0
"""Where the ball meets it."""
CENTRE = 45.0
BACKGROUND = 100
"""Brighter than this is ball or paddle; the field has 87."""
STROKE = 9.45
"""How far the paddle comes to rest from where it was, for an action held for one step."""
SETTLED = 3
"""Steps without an action after which it is at rest."""
SPINS = (2.3, 2.3, 1.0)
"""How far below the ball the middle of the paddle meets it, stroke by stroke: what makes the other side miss. Were it
always the same, a rally could last for ever."""
NOTHING, UP, DOWN = 0, 2, 3
PUSHES = np.array([0.0, 0.0, -1.0, 1.0, -1.0, 1.0])
"""What each action of the game does to the paddle."""
REACH = (10.0, 80.0)
"""How far up and down the paddle comes to rest."""


@dataclass(frozen=True, slots=True)
class _Play:
    rest: FloatArray
    """Where each paddle would have come to rest without the last push; NaN before it was seen."""
    push: FloatArray
    """The last push: -1 up, 1 down, 0 none."""
    quiet: IntArray
    """Steps since a push, the last one not counted."""
    coming: BoolArray
    """Whether the ball came nearer."""
    strokes: IntArray
    """How often it began to."""


class BallFollower(Policy):
    """Plays OOD-Pong-v0 from the pictures: puts the paddle to where the ball will arrive, a little off its middle.

    The paddle moves by whole strokes. Where that is too coarse, it goes back and forth, which holds it half a stroke
    away. A stroke is not over when the next picture is seen, so what was done last must be known: if it was something
    else than :meth:`act` said, say so by :meth:`record_actions`.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("OOD-Pong-v0", BallFollower(), 4, noops=30).success  # doctest: +SKIP
        1.0
    """

    def start(self, seeds: IntArray, episodes: IntArray) -> _Play:
        """Begin with a paddle that nobody has seen."""
        n = len(seeds)
        none = np.zeros(n, np.int64)
        return _Play(np.full(n, np.nan), np.zeros(n), none, np.zeros(n, np.bool_), none)

    def act(self, observations: Array, state: _Play | None) -> tuple[Array, _Play]:
        """Return the action that brings the paddle to where the ball will be."""
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

    def record_actions(self, state: _Play, actions: Array) -> _Play:
        """Push as was really done."""
        return replace(state, push=PUSHES[actions])

    def take(self, state: _Play, rows: IntArray) -> _Play:
        """Keep the games of some rows."""
        return _Play(*(getattr(state, each.name)[rows] for each in fields(state)))


def located(images: Array) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where the ball is, across and down, and how far down the paddle is, in (n, time, 84, 84) pictures.

    All are (n, time); NaN where nothing is seen.
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
    """Return where a ball is that would have flown so far down (or up) without walls.

    Example:
        >>> reflected(np.array([20.0, 80.0, 8.0])).tolist()
        [20.0, 74.0, 20.0]
    """
    span = float(BOTTOM - TOP)
    turned = np.mod(down - TOP, 2.0 * span)
    return np.asarray(TOP + np.where(turned > span, 2.0 * span - turned, turned))


def _middle(weights: Array, places: Array) -> FloatArray:
    """Return the mean place, weighted; NaN where all weights are small. Sums of whole numbers are exact."""
    total = weights.sum(axis=-1)
    seen = total > 30
    return np.where(seen, (weights * places).sum(axis=-1) / np.where(seen, total, 1), np.nan)
