"""The results of a run: detection by method, returns by kind of agent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.papers.ood_rl.detection_results import DetectionResults
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.papers.ood_rl.settings import CARTPOLE, PONG, OODSetting, settings


@dataclass(frozen=True, slots=True, eq=False)
class OODResults:
    """The results of a run.

    Args:
        detections: Per world, kind of agent and method.
        returns: Per world and kind of agent.
    """

    detections: tuple[DetectionResults, ...]
    returns: tuple[AgentReturns, ...]

    @classmethod
    def of(cls, table: Any) -> OODResults:
        """Arrange the rows of a run."""
        if not table.num_rows:
            return cls((), ())
        columns = {name: np.array(table[name].to_pylist()) for name in _COLUMNS}
        places = dict.fromkeys(zip(*(columns[name] for name in ("world", "policy", "name")), strict=True))
        detections = [_detections(_rows(columns, world, kind, name)) for world, kind, name in places]
        kinds = {(world, kind): name for world, kind, name in reversed(places)}
        ordered = dict.fromkeys((world, kind) for world, kind, _ in places)
        returns = [_agent_returns(_rows(columns, world, kind, kinds[world, kind])) for world, kind in ordered]
        return cls(tuple(detections), tuple(returns))

    @property
    def worlds(self) -> list[str]:
        """Ids of the worlds."""
        return list(dict.fromkeys(each.world for each in self.detections))

    @property
    def labels(self) -> list[str]:
        """Names of the methods in figures, in their order."""
        return list(dict.fromkeys(each.label for each in self.detections))

    def in_world(self, world: str) -> list[DetectionResults]:
        """Return the results of all methods in a world."""
        return [each for each in self.detections if each.world == world]

    def by_label(self, label: str) -> list[DetectionResults]:
        """Return the results of a method in all worlds."""
        return [each for each in self.detections if each.label == label]

    def returns_of(self, world: str, uncertainty: str) -> AgentReturns:
        """Return the returns of the agents of a kind in a world."""
        return next(each for each in self.returns if (each.world, each.uncertainty) == (world, uncertainty))

    def failed(self, detections: DetectionResults) -> BoolArray:
        """(settings,): whether most agents of a method failed; see :attr:`AgentReturns.mostly_failed`."""
        returns = self.returns_of(detections.world, detections.uncertainty)
        places = [returns.settings.index(each) for each in detections.settings]
        return returns.mostly_failed[places]


_RETURNS = ("return_mean", "return_square", "nominal_return_mean", "nominal_return_square", "length", "episodes")
_COLUMNS = ("world", "policy", "name", "anomaly", "value", "seed", "trial", "threshold", *SEPARATION_METRICS, *_RETURNS)
Columns = dict[str, Array]


def _rows(columns: Columns, world: str, uncertainty: str, method: str) -> Columns:
    chosen = (columns["world"] == world) & (columns["policy"] == uncertainty) & (columns["name"] == method)
    return {name: values[chosen] for name, values in columns.items()}


def _arranged(rows: Columns) -> tuple[tuple[OODSetting, ...], tuple[int, ...], Any, tuple[int, int, int]]:
    """Return settings, agents, the index of each row, and the shape of the array."""
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


def _detections(rows: Columns) -> DetectionResults:
    found, agents, where, shape = _arranged(rows)
    values = np.stack([_placed(rows[name], where, shape) for name in SEPARATION_METRICS])
    about = [str(rows[name][0]) for name in ("world", "policy", "name")]
    return DetectionResults(
        about[0], about[1], about[2], found, agents, values, _placed(rows["threshold"], where, shape)
    )


def _agent_returns(rows: Columns) -> AgentReturns:
    found, agents, where, shape = _arranged(rows)
    mean, square, nominal, nominal_square, length, episodes = (_placed(rows[name], where, shape) for name in _RETURNS)
    world = str(rows["world"][0])
    count = episodes.sum(axis=2)
    average = mean.mean(axis=2)
    half = 1.96 * np.sqrt(np.maximum(square.mean(axis=2) - average**2, 0.0) / np.maximum(count - 1.0, 1.0))
    nominal_scores = nominal[0].mean(axis=1)
    spread = np.sqrt(
        np.maximum(nominal_square[0].mean(axis=1) - nominal_scores**2, 0.0) * count[0] / np.maximum(count[0] - 1, 1)
    )
    limit = np.full(len(agents), SOLVED[world]) if world in SOLVED else nominal_scores - DEVIATIONS * spread
    return AgentReturns(
        world, str(rows["policy"][0]), found, agents, average, half, limit, nominal_scores, length.mean(axis=2)
    )


def average(values: Sequence[float] | FloatArray) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else math.nan


SOLVED = {CARTPOLE: 195.0, PONG: 15.0}
"""Threshold of failure for the mean return, in worlds with a return at which the task counts as solved."""
DEVIATIONS = 3.0
"""In other worlds, an agent fails below its mean nominal return minus this number of standard deviations."""


@dataclass(frozen=True, slots=True, eq=False)
class AgentReturns:
    """Returns of the agents of one kind in the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        settings: Modifications.
        agents: Numbers of the agents.
        mean: (settings, agents): mean return over the episodes of all trials.
        half: (settings, agents): half the width of its 95 % interval.
        limit: (agents,): threshold of failure.
        nominal: (agents,): mean return in the unmodified world.
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
    def solves(self) -> BoolArray:
        """(agents,): whether an agent solves the unmodified world; all of them if none does."""
        found: BoolArray = self.nominal >= self.limit
        return found if found.any() else np.ones_like(found)

    @property
    def mostly_failed(self) -> BoolArray:
        """(settings,): whether at least half of the agents that solve the unmodified world failed."""
        found: BoolArray = self.failed[:, self.solves].mean(axis=1) >= 0.5
        return found
