"""Views: which values of a transition are in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from offnominal.core.checks import integer_in, require_shape
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

ViewName = Literal["next_observation", "transition", "window"]
LONGEST = 10_000
"""Largest length of a window."""
VIEWS: tuple[ViewName, ...] = ("next_observation", "transition", "window")


class ViewState(NamedTuple):
    """State of a view of n episodes.

    Args:
        window: (n, window_length, width) latest observations.
        started: (n,) whether there was a transition.
    """

    window: FloatArray
    started: BoolArray


class View:
    """Turns transitions into rows.

    Args:
        name: ``"next_observation"``; ``"transition"``: observation, action (discrete actions are one-hot encoded) and
            next observation; ``"window"``: next observations of the last `window_length` transitions, where the first
            is repeated at the beginning of an episode.
        window_length: Length of the window.
    """

    def __init__(self, name: ViewName = "next_observation", window_length: int = 5) -> None:
        if not isinstance(name, str) or name not in VIEWS:
            near = did_you_mean(name, VIEWS) if isinstance(name, str) else ""
            raise InvalidParameter(f"no view {shown(name)}.{near} Choose from {', '.join(VIEWS)}.")
        self.name: ViewName = name
        self.window_length = integer_in("window_length", window_length, 1, LONGEST) if name == "window" else 1

    def of_episodes(self, episodes: Sequence[Episode]) -> FloatArray:
        """Return a row per transition, concatenated over episodes."""
        if not len(episodes):
            raise InvalidParameter("there are no episodes; expected at least one.")
        return np.concatenate([self._of_episode(episode) for episode in episodes])

    def _of_episode(self, episode: Episode) -> FloatArray:
        n = len(episode)
        before, after = episode.observations[:-1].reshape(n, -1), episode.observations[1:].reshape(n, -1)
        if self.name == "transition":
            return joined(before, episode.actions.reshape(n, -1), after)
        steps = np.maximum(np.arange(n)[:, None] - np.arange(self.window_length - 1, -1, -1), 0)
        rows: FloatArray = after[steps].reshape(n, -1).astype(np.float64)
        return rows

    def width(self, observation: int, action: int) -> int:
        """Return the number of columns, given the widths of observations and actions."""
        return 2 * observation + action if self.name == "transition" else self.window_length * observation

    def channels(self, observation: int, action: int) -> IntArray:
        """Return the channel of each column: observation channels come first, then action channels.

        Example:
            >>> View("transition").channels(2, 1).tolist(), View("window", 2).channels(2, 1).tolist()
            ([0, 1, 2, 0, 1], [0, 1, 0, 1])
        """
        if self.name == "transition":
            return np.concatenate([np.arange(observation + action), np.arange(observation)])
        return np.tile(np.arange(observation), self.window_length)

    def start(self, n: int, width: int) -> ViewState:
        """Return the state of n episodes before their first transition."""
        return self._start(integer_in("n", n, 0), integer_in("width", width, 0))

    def _start(self, n: int, width: int) -> ViewState:
        return ViewState(np.zeros((n, self.window_length, width)), np.zeros(n, np.bool_))

    def of_step(
        self, view_state: ViewState, before: Array, action: Array, after: Array
    ) -> tuple[ViewState, FloatArray]:
        """Return the next state and the row of each episode's latest transition.

        Args:
            view_state: State before the transition.
            before: (n, width) observations.
            action: (n, actions) commanded actions.
            after: (n, width) next observations.
        """
        require_shape("before", before, "n", "width")
        for name, part in (("action", action), ("after", after)):
            require_shape(name, part, len(before), "width")
        return self._of_step(view_state, before, action, after)

    def _of_step(
        self, view_state: ViewState, before: Array, action: Array, after: Array
    ) -> tuple[ViewState, FloatArray]:
        if self.name == "transition":
            return view_state, joined(before, action, after)
        latest = np.asarray(after, np.float64)[:, None]
        if self.window_length == 1:
            return ViewState(latest, np.ones(len(latest), np.bool_)), latest[:, 0]
        moved = np.concatenate([view_state.window[:, 1:], latest], axis=1)
        window = np.where(view_state.started[:, None, None], moved, latest)
        return ViewState(window, np.ones_like(view_state.started)), window.reshape(len(window), -1)

    def torch_of_step(
        self, view_state: ViewState, before: Tensor, action: Tensor, after: Tensor
    ) -> tuple[ViewState, Tensor]:
        """Return the same as :meth:`of_step` by torch operators."""
        import torch

        if self.name == "transition":
            return view_state, torch.cat([before, action, after], dim=1)
        if self.window_length == 1:
            return view_state, after
        window, started = (torch.as_tensor(part) for part in view_state)
        moved = torch.cat([window[:, 1:], after[:, None]], dim=1)
        window = torch.where(started[:, None, None], moved, after[:, None])
        return ViewState(window, torch.ones_like(started)), window.flatten(1)  # type: ignore[arg-type]


def joined(*parts: Array) -> FloatArray:
    """Return the columns of several arrays side by side."""
    return np.concatenate(parts, axis=1, dtype=np.float64)
