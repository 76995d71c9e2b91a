"""Evidence of an alarm: the channels that contribute to the latest scores of a detector."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import Array
from offnominal.web.nominal_fit import FittedMonitor
from offnominal.worlds.catalogue import worlds

KEPT = 200
"""Number of transitions that an explanation gets."""
STEPS, CHANNELS, SMALLEST = 3, 8, 0.02
"""Transitions over which contributions are averaged, channels in the evidence, and the smallest share of one."""


@dataclass(slots=True)
class History:
    """The last transitions of an episode.

    Args:
        first: The first observation.
    """

    first: Array
    observations: deque[Array] = field(init=False, default_factory=lambda: deque(maxlen=KEPT + 1))
    rows: deque[tuple[Array, float, bool]] = field(init=False, default_factory=lambda: deque(maxlen=KEPT))

    def __post_init__(self) -> None:
        self.observations.append(self.first)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, action: Array, after: Array, reward: float, active: bool) -> None:
        """Add a transition; the oldest one makes room."""
        self.observations.append(after)
        self.rows.append((action, reward, active))

    def episode(self) -> Episode:
        """Return the transitions as an episode."""
        actions, rewards, active = zip(*self.rows, strict=True)
        return Episode(np.array(self.observations), np.array(actions), np.array(rewards), np.array(active))


def evidence(monitor: FittedMonitor, episode: Episode, world: str) -> dict[str, Any]:
    """Return the shares of the channels in the last scores of an episode, largest first.

    A detector of images has no channels; its list is empty.
    """
    if monitor.detector.pixel_observations:
        return {"channels": [], "method": ""}
    has_memory = monitor.detector.start(1) is not None
    explanation = monitor.detector.explain(episode if has_memory else _last(episode, STEPS))
    last = np.maximum(explanation.contributions[-STEPS:], 0.0).mean(axis=0)
    shares = last / total if (total := last.sum()) > 0.0 else last
    card = worlds.card(world)
    names = [*map(str, card.observation), *map(str, card.action)]
    if len(names) != len(shares):  # One column for each discrete action.
        names = [*map(str, card.observation), *explanation.channels[len(card.observation) :]]
    order = np.argsort(-shares, kind="stable")[:CHANNELS]
    return {
        "channels": [{"name": names[k], "share": rounded(float(shares[k]))} for k in order if shares[k] >= SMALLEST],
        "method": explanation.method,
    }


def _last(episode: Episode, n: int) -> Episode:
    """Return the last transitions of an episode."""
    return Episode(episode.observations[-n - 1 :], episode.actions[-n:], episode.rewards[-n:], episode.active[-n:])


def rounded(value: float) -> float:
    """Return a number with five significant digits, finite so that JSON can represent it.

    Example:
        >>> rounded(1 / 3), rounded(float("inf"))
        (0.33333, 1e+30)
    """
    return float(f"{value:.5g}") if math.isfinite(value) else math.copysign(1e30, value)
