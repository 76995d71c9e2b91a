"""What a run has found, arranged: by method for detection, by kind of agent for returns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.studies.ood_rl.readings import READINGS
from offnominal.studies.ood_rl.settings import CARTPOLE, OODSetting, settings

UNCERTAINTY = "Uncertainty"
"""Name of the method of the paper: how far the predictions of a policy lie apart."""
KINDS = {"ensemble": "Ensemble", "dropout": "MC-Dropout", "dropconnect": "MC-DropConnect"}
SOLVED = 195.0
"""Mean return of CartPole below which an agent has failed; elsewhere it is told by its nominal returns."""
DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """What one method made of the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        method: Name of the detector.
        settings: What was changed.
        agents: Numbers of the agents.
        values: (readings, settings, agents, trials).
        thresholds: (settings, agents, trials): see :class:`~offnominal.studies.ood_rl.readings.Reading`.
    """

    world: str
    uncertainty: str
    method: str
    settings: tuple[OODSetting, ...]
    agents: tuple[int, ...]
    values: FloatArray
    thresholds: FloatArray

    @property
    def label(self) -> str:
        """What figures call it: the kind of agent if its uncertainty is meant, otherwise also the detector."""
        kind = KINDS.get(self.uncertainty, self.uncertainty)
        if self.method == UNCERTAINTY:
            return kind
        return self.method if self.uncertainty == "ensemble" else f"{self.method} ({kind})"

    def reading(self, name: str) -> FloatArray:
        """Return (settings, agents, trials) of one reading."""
        found: FloatArray = self.values[list(READINGS).index(name)]
        return found

    def mean(self, name: str) -> FloatArray:
        """Return the mean over agents and trials of each setting."""
        found: FloatArray = self.reading(name).mean(axis=(1, 2))
        return found

    def between_evaluations(self, name: str) -> FloatArray:
        """Return the standard deviation over trials of one agent, in each setting; ddof 1, variances averaged."""
        found: FloatArray = np.sqrt(_variance(self.reading(name), axis=2).mean(axis=1))
        return found

    def between_agents(self, name: str) -> FloatArray:
        """Return the standard deviation over trained agents, in each setting, without what trials add to it.

        The variance of the agents' means is the sum of both, trials counting a share of one over their number; where
        trials alone make more, agents make none.
        """
        values = self.reading(name)
        added = _variance(values, axis=2).mean(axis=1) / values.shape[2]
        found: FloatArray = np.sqrt(np.maximum(_variance(values.mean(axis=2), axis=1) - added, 0.0))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Earned:
    """What the agents of a kind earned in the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        settings: What was changed.
        agents: Numbers of the agents.
        mean: (settings, agents): mean return over the episodes of all trials.
        half: (settings, agents): half the width of its 95 % interval.
        limit: (agents,): below it an agent has failed.
        nominal: (agents,): mean return in the unchanged world.
        length: (settings, agents): mean length of episodes.
    """

    world: str
    uncertainty: str
    settings: tuple[OODSetting, ...]
    agents: tuple[int, ...]
    mean: FloatArray
    half: FloatArray
    limit: FloatArray
    nominal: FloatArray
    length: FloatArray

    @property
    def failed(self) -> BoolArray:
        """(settings, agents): whether an agent failed."""
        return self.mean < self.limit

    @property
    def mostly_failed(self) -> BoolArray:
        """(settings,): whether at least half of the agents failed."""
        found: BoolArray = self.failed.mean(axis=1) >= 0.5
        return found


@dataclass(frozen=True, slots=True, eq=False)
class OODOutcomes:
    """What a run has found.

    Args:
        watched: Per world, kind of agent and method.
        earned: Per world and kind of agent.
    """

    watched: tuple[Watched, ...]
    earned: tuple[Earned, ...]

    @classmethod
    def of(cls, table: Any) -> OODOutcomes:
        """Arrange the rows of a run."""
        columns = {name: np.array(table[name].to_pylist()) for name in _COLUMNS}
        places = dict.fromkeys(zip(*(columns[name] for name in ("world", "policy", "name")), strict=True))
        watched = [_watched(_rows(columns, world, kind, name)) for world, kind, name in places]
        kinds = {(world, kind): name for world, kind, name in reversed(places)}
        ordered = dict.fromkeys((world, kind) for world, kind, _ in places)
        earned = [_earned(_rows(columns, world, kind, kinds[world, kind])) for world, kind in ordered]
        return cls(tuple(watched), tuple(earned))

    @property
    def worlds(self) -> list[str]:
        """Ids of the worlds."""
        return list(dict.fromkeys(each.world for each in self.watched))

    @property
    def labels(self) -> list[str]:
        """What figures call the methods, in their order."""
        return list(dict.fromkeys(each.label for each in self.watched))

    def in_world(self, world: str) -> list[Watched]:
        """Return what the methods made of a world."""
        return [each for each in self.watched if each.world == world]

    def by_label(self, label: str) -> list[Watched]:
        """Return what a method made of its worlds."""
        return [each for each in self.watched if each.label == label]

    def earned_by(self, world: str, uncertainty: str) -> Earned:
        """Return what agents of a kind earned in a world."""
        return next(each for each in self.earned if (each.world, each.uncertainty) == (world, uncertainty))

    def failed(self, watched: Watched) -> BoolArray:
        """(settings,): whether most of the agents that a method watched failed."""
        earned = self.earned_by(watched.world, watched.uncertainty)
        places = [earned.settings.index(each) for each in watched.settings]
        return earned.mostly_failed[places]


_RETURNS = ("return_mean", "return_square", "nominal_return_mean", "nominal_return_square", "length", "episodes")
_COLUMNS = ("world", "policy", "name", "anomaly", "value", "seed", "trial", "threshold", *READINGS, *_RETURNS)
Columns = dict[str, Array]


def _rows(columns: Columns, world: str, uncertainty: str, method: str) -> Columns:
    chosen = (columns["world"] == world) & (columns["policy"] == uncertainty) & (columns["name"] == method)
    return {name: values[chosen] for name, values in columns.items()}


def _arranged(rows: Columns) -> tuple[tuple[OODSetting, ...], tuple[int, ...], Any, tuple[int, int, int]]:
    """Return settings and agents, where each row belongs, and the shape of the whole."""
    world = str(rows["world"][0])
    there = set(zip(rows["anomaly"].tolist(), rows["value"].tolist(), strict=True))
    found = tuple(each for each in settings(world) if (each.anomaly, each.parameter) in there)
    places = {(each.anomaly, each.parameter): place for place, each in enumerate(found)}
    agents, agent = np.unique(rows["seed"], return_inverse=True)
    trials, trial = np.unique(rows["trial"], return_inverse=True)
    pairs = zip(rows["anomaly"].tolist(), rows["value"].tolist(), strict=True)
    setting = np.array([places[pair] for pair in pairs])
    shape = (len(found), len(agents), len(trials))
    return found, tuple(int(each) for each in agents), (setting, agent, trial), shape


def _placed(values: Array, where: Any, shape: tuple[int, ...]) -> FloatArray:
    out = np.full(shape, math.nan)
    out[where] = values.astype(np.float64)
    return out


def _watched(rows: Columns) -> Watched:
    found, agents, where, shape = _arranged(rows)
    values = np.stack([_placed(rows[name], where, shape) for name in READINGS])
    about = [str(rows[name][0]) for name in ("world", "policy", "name")]
    return Watched(about[0], about[1], about[2], found, agents, values, _placed(rows["threshold"], where, shape))


def _earned(rows: Columns) -> Earned:
    found, agents, where, shape = _arranged(rows)
    mean, square, nominal, nominal_square, length, episodes = (_placed(rows[name], where, shape) for name in _RETURNS)
    world = str(rows["world"][0])
    count = episodes.sum(axis=2)
    average = mean.mean(axis=2)
    half = 1.96 * np.sqrt(np.maximum(square.mean(axis=2) - average**2, 0.0) / np.maximum(count - 1.0, 1.0))
    calm = nominal[0].mean(axis=1)
    spread = np.sqrt(np.maximum(nominal_square[0].mean(axis=1) - calm**2, 0.0) * count[0] / np.maximum(count[0] - 1, 1))
    limit = np.full(len(agents), SOLVED) if world == CARTPOLE else calm - DEVIATIONS * spread
    return Earned(world, str(rows["policy"][0]), found, agents, average, half, limit, calm, length.mean(axis=2))


def _variance(values: FloatArray, axis: int) -> FloatArray:
    """Return the variance with ddof 1; of a single value, zero."""
    if values.shape[axis] == 1:
        return np.zeros(np.delete(values.shape, axis))
    found: FloatArray = values.var(axis=axis, ddof=1)
    return found


def average(values: Sequence[float] | FloatArray) -> float:
    """Return the mean of what is defined; NaN if nothing is."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else math.nan
