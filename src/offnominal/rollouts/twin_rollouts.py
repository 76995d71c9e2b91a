"""Counterfactual twins: the same episode with and without its fault."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.anomalies.fault import FaultsPerRow
from offnominal.anomalies.fault_injection import row_faults
from offnominal.core.checks import integer_in, number_in
from offnominal.core.episode import Episode
from offnominal.core.policy import Policy
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array, FloatArray
from offnominal.rollouts.collection import BATCH, MOST_EPISODES, rollout
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.world_source import WorldSource


@dataclass(frozen=True, slots=True)
class Twin:
    """Two rollouts with the same random streams; only one of them has faults.

    Args:
        nominal: The rollout without faults.
        faulty: The rollout with faults.
    """

    nominal: Episode
    faulty: Episode

    @property
    def effective_onset(self) -> int | None:
        """First transition in which the two rollouts differ; see :func:`effective_onset`."""
        return effective_onset(self)

    @property
    def damage(self) -> float:
        """Difference of the returns: nominal minus faulty."""
        return self.nominal.total_reward - self.faulty.total_reward

    def divergence(self) -> FloatArray:
        """Return the largest absolute difference of the two observations after each common transition."""
        length = min(len(self.nominal), len(self.faulty))
        pair = [episode.observations[1 : length + 1].reshape(length, -1) for episode in (self.nominal, self.faulty)]
        return _distance(*pair)


def twins(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    n: int,
    *,
    faults: FaultsPerRow,
    seed: int = 0,
    batch: int = BATCH,
    max_steps: int | None = None,
    frames: bool = False,
    camera: CameraKind = "clean",
    **options: object,
) -> list[Twin]:
    """Return n pairs of a nominal and a faulty episode.

    The two episodes of a pair are bit-identical until the fault has its first effect. Arguments are those of
    :func:`collect`.

    Example:
        >>> from offnominal.anomalies import Fault
        >>> (pair,) = twins("SAP-Goal0-v0", lambda o: o[:, :2], 1, faults=Fault("action/offset", 0.5, schedule=4))
        >>> pair.effective_onset
        4
    """
    rows = row_faults(faults, integer_in("the number of twins", n, 1, MOST_EPISODES // 2))
    both = [entry for row in rows for entry in ((), row)]
    seeds = np.repeat(row_seeds(seed, n), 2)
    arguments: dict[str, Any] = {"frames": frames, "camera": camera, **options}
    episodes = rollout(world, policy, seeds, both, batch=batch, max_steps=max_steps, **arguments)
    return [Twin(*pair) for pair in zip(episodes[::2], episodes[1::2], strict=True)]


def effective_onset(twin: Twin, *, tolerance: float = 0.0) -> int | None:
    """Return the first transition at which the faulty rollout differs from its nominal twin.

    The label marks when a fault was switched on; the effective onset is when it could first be detected. No detector
    can be faster, so delays are also measured from here.

    Args:
        twin: Two rollouts that share every random stream except the anomaly's.
        tolerance: Largest absolute difference that counts as equal. Zero means bitwise.

    Returns:
        The index of the transition, or None if the rollouts never differ.
    """
    if tolerance != math.inf:
        number_in("tolerance", tolerance, 0.0)
    nominal, faulty = twin.nominal, twin.faulty
    length = min(len(nominal), len(faulty))
    actions = [episode.actions[:length].reshape(length, -1) for episode in (nominal, faulty)]
    differs = (twin.divergence() > tolerance) | (_distance(*actions) > tolerance)
    if differs.any():
        return int(np.argmax(differs))
    if len(nominal) != len(faulty) or nominal.terminated != faulty.terminated:
        return length - 1
    return None


def _distance(first: Array, second: Array) -> FloatArray:
    """Return the largest absolute difference in each row; a value that is NaN on one side only counts as infinite."""
    if first.dtype == second.dtype == np.uint8:
        steps: Array = np.maximum(first, second) - np.minimum(first, second)
        widest: FloatArray = steps.max(axis=1, initial=0).astype(np.float64)
        return widest
    first, second = first.astype(np.float64), second.astype(np.float64)
    with np.errstate(invalid="ignore"):
        apart = np.where(first == second, 0.0, np.abs(first - second))
    apart[np.isnan(first) & np.isnan(second)] = 0.0
    largest: FloatArray = np.where(np.isnan(apart), np.inf, apart).max(axis=1, initial=0.0)
    return largest
