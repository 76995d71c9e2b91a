"""Views: which numbers of a transition a point detector looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from offnominal.core.checks import integer_in, shown
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.types import Array, BoolArray, FloatArray

ViewName = Literal["next_observation", "transition", "window"]
LONGEST = 10_000
"""Observations in a window, at most."""
VIEWS: tuple[ViewName, ...] = ("next_observation", "transition", "window")


class ViewState(NamedTuple):
    """What a view remembers of n episodes.

    Args:
        seen: (n, length, width): what was seen after the last transitions.
        started: (n,): whether there was any.
    """

    seen: FloatArray
    started: BoolArray


class View:
    """Turns transitions into rows, and remembers as much of the past as it needs.

    Args:
        name: ``"next_observation"``: what was seen after; ``"transition"``: what was seen before, what was commanded
            (a detector gives every choice a column) and what was seen after; ``"window"``: what was seen after the last
            `window_length` transitions. Before there are so many, the first one is repeated.
        window_length: Of the window.
    """

    def __init__(self, name: ViewName = "next_observation", window_length: int = 5) -> None:
        if not isinstance(name, str) or name not in VIEWS:
            near = did_you_mean(name, VIEWS) if isinstance(name, str) else ""
            raise InvalidParameter(f"no view {shown(name)}.{near} Choose from {', '.join(VIEWS)}.")
        self.name: ViewName = name
        self.window_length = integer_in("window_length", window_length, 1, LONGEST) if name == "window" else 1

    def of_episodes(self, episodes: Sequence[Episode]) -> FloatArray:
        """Return a row per transition, those of all episodes below each other."""
        return np.concatenate([self._of_episode(episode) for episode in episodes])

    def _of_episode(self, episode: Episode) -> FloatArray:
        n = len(episode)
        before, after = episode.observations[:-1].reshape(n, -1), episode.observations[1:].reshape(n, -1)
        if self.name == "transition":
            return joined(before, episode.actions.reshape(n, -1), after)
        view_state = np.maximum(np.arange(n)[:, None] - np.arange(self.window_length - 1, -1, -1), 0)
        rows: FloatArray = after[view_state].reshape(n, -1).astype(np.float64)
        return rows

    def width(self, observation: int, action: int) -> int:
        """Return how many numbers a row has, given those of an observation and of an action."""
        return 2 * observation + action if self.name == "transition" else self.window_length * observation

    def start(self, n: int, width: int) -> ViewState:
        """Return what is remembered of n episodes before their first transition: nothing."""
        return ViewState(np.zeros((n, self.window_length, width)), np.zeros(n, np.bool_))

    def of_step(
        self, view_state: ViewState, before: Array, action: Array, after: Array
    ) -> tuple[ViewState, FloatArray]:
        """Return what to remember and the row of each episode's latest transition.

        Args:
            view_state: What is remembered.
            before: (n, width): what was seen before.
            action: (n, actions): what was commanded.
            after: (n, width): what was seen after.
        """
        if self.name == "transition":
            return view_state, joined(before, action, after)
        latest = np.asarray(after, np.float64)[:, None]
        longer = np.concatenate([view_state.seen[:, 1:], latest], axis=1)
        seen = np.where(view_state.started[:, None, None], longer, latest)
        return ViewState(seen, np.ones_like(view_state.started)), seen.reshape(len(seen), -1)


def joined(*parts: Array) -> FloatArray:
    """Return the channels of several signals beside each other."""
    return np.concatenate(parts, axis=1, dtype=np.float64)
