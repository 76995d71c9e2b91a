"""Signal-to-nominal ratio: what a fault changes, in standard deviations of the nominal channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.calibration.sampler import AnyPolicy
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.rollouts.collection import rollout
from offnominal.worlds.world_source import WorldSource, open_world

SIGNAL_SEED = 110_000_000
EPISODES = 50
CONSTANT = 1e-6
"""Standard deviation, relative to the size of its values, below which a channel is constant."""


class SignalRatio:
    """Changes by faults relative to the nominal spread, in episodes with random onsets as in the datasets.

    The ratio of a channel is the root mean square of its change divided by the standard deviation of the channel in
    nominal episodes. The change is

    - of a fault of the observation: reported minus true observation, in all transitions in which it is active;
    - of a fault of the action: executed minus commanded action, both after the limits of the actuators, likewise;
    - of a fault of the dynamics: next observation minus that of the nominal twin, in the first faulty transition. There
      both have the same state and the same action, so that it is the one-step-ahead effect alone.

    Channels that are nominally constant have no ratio and are left out, like those that the fault does not change.

    Args:
        world: Source of the world.
        policies: Policies; each simulates the same number of episodes.
        episodes: Number of episodes of all policies together.
        max_steps: Time limit; the world's own if None.
        **options: Options of the world, if it is given by id.

    Example:
        >>> from offnominal.agents import expert
        >>> ratio = SignalRatio("SAP-Goal0-v0", [expert("SAP-Goal0-v0")])
        >>> weak, strong = ratio.of("observation/offset", 0.1), ratio.of("observation/offset", 0.2)
        >>> bool(np.isclose(strong[0] / weak[0], 2.0))
        True
    """

    def __init__(
        self,
        world: WorldSource,
        policies: Sequence[AnyPolicy],
        *,
        episodes: int = EPISODES,
        max_steps: int | None = None,
        **options: Any,
    ) -> None:
        self.world, self.policies, self.max_steps, self.options = world, tuple(policies), max_steps, options
        self.each = -(-episodes // len(self.policies))
        self._nominal: list[Episode] = []

    @property
    def episodes(self) -> int:
        """Number of episodes per fault, and of nominal ones."""
        return self.each * len(self.policies)

    def prepare(self) -> None:
        """Simulate the nominal episodes, if they are not there yet."""
        if not self._nominal:
            self._nominal = self._simulated(())

    def of(self, anomaly: str | Anomaly, parameter: float) -> tuple[float, float]:
        """Return the median ratio of the changed channels and the largest; NaN if no varying channel changes."""
        self.prepare()
        kind = make_anomaly(anomaly)
        faulty = self._simulated((Fault(kind, parameter, Schedule()),))
        if kind.target == "action":
            nominal = [episode.extras["executed_actions"] for episode in self._nominal]
            changes = self._action_changes(faulty)
        elif isinstance(kind, DynamicsAnomaly):
            nominal = [episode.observations for episode in self._nominal]
            changes = [_first_effect(*pair) for pair in zip(faulty, self._nominal, strict=True)]
        else:
            nominal = [episode.observations for episode in self._nominal]
            changes = [_reported_change(episode) for episode in faulty]
        return _ratio(np.concatenate(changes), np.concatenate([_flat(values) for values in nominal]))

    def _action_changes(self, faulty: list[Episode]) -> list[FloatArray]:
        """Return the changes of the executed actions: one row per faulty transition."""
        changes = []
        with open_world(self.world, 1, **self.options) as sample:
            for episode in faulty:
                commanded = sample.executed(episode.actions.astype(np.float64))
                changed = _flat(episode.extras["executed_actions"]) - _flat(commanded)
                changes.append(changed[episode.active])
        return changes

    def _simulated(self, faults: tuple[Fault, ...]) -> list[Episode]:
        """Return the episodes of all policies with the same faults."""
        episodes = []
        for index, policy in enumerate(self.policies):
            seeds = SIGNAL_SEED + index * self.each + np.arange(self.each)
            episodes += rollout(
                self.world, policy, seeds, [faults] * self.each, max_steps=self.max_steps, **self.options
            )
        return episodes


def _reported_change(episode: Episode) -> FloatArray:
    """Return the changes of the observations: one row per faulty transition."""
    changed: FloatArray = _flat(episode.observations[1:]) - _flat(episode.extras["clean_observations"][1:])
    return changed[episode.active]


def _first_effect(episode: Episode, twin: Episode) -> FloatArray:
    """Return the difference from the nominal twin after the first faulty transition; no row if there is none."""
    if episode.onset is None:
        return _flat(episode.observations[:0])
    after = episode.onset + 1
    both = _flat(episode.observations[after : after + 1]), _flat(twin.observations[after : after + 1])
    return both[0] - both[1] if len(both[0]) == len(both[1]) else both[0][:0]


def _ratio(changes: FloatArray, nominal: FloatArray) -> tuple[float, float]:
    """Return the median and the largest ratio of the channels that vary and change."""
    deviations = nominal.std(axis=0)
    varying = deviations > CONSTANT * np.maximum(1.0, np.abs(nominal).max(axis=0, initial=0.0))
    if not varying.any() or not len(changes):
        return np.nan, np.nan
    ratios = np.sqrt(np.mean(changes[:, varying] ** 2, axis=0)) / deviations[varying]
    ratios = ratios[ratios > CONSTANT]
    return (float(np.median(ratios)), float(np.max(ratios))) if len(ratios) else (np.nan, np.nan)


def _flat(values: Array) -> FloatArray:
    """Return one row per observation or action."""
    return values.reshape(len(values), int(np.prod(values.shape[1:]))).astype(np.float64)
