"""Predictions of an agent along single episodes; a cell stores them as its examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.anomalies.fault import Fault
from offnominal.core.streams import stream_keys
from offnominal.core.types import FloatArray
from offnominal.papers.ood_rl.episodes import TRIAL_SEED
from offnominal.papers.ood_rl.settings import OODSetting, settings
from offnominal.rollouts.collection import rollout

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("world", pa.string()),
        ("policy", pa.string()),
        ("seed", pa.int64()),
        ("anomaly", pa.string()),
        ("value", pa.float64()),
        ("outputs", pa.int64()),
        ("mean", pa.list_(pa.float64())),
        ("sigma", pa.list_(pa.float64())),
    ]
)
"""Examples of a cell: one row per episode, without an anomaly if unmodified. Lists hold the outputs of each step."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The predictions of an agent along an episode.

    Args:
        setting: The modification; None for an unmodified episode.
        mean: (T, outputs): mean of the predictions.
        sigma: (T, outputs): their standard deviation.
    """

    setting: OODSetting | None
    mean: FloatArray
    sigma: FloatArray


def predict_series(
    policy: UncertainPolicy,
    world: str,
    modifications: Sequence[OODSetting | None],
    *,
    onset: int = 0,
    seed: int = TRIAL_SEED,
) -> list[Series]:
    """Run an agent for one episode per modification, and return its predictions.

    Args:
        policy: The agent.
        world: Id of the world.
        modifications: Settings; None for an unmodified episode.
        onset: First modified transition.
        seed: Random seed of all episodes.
    """
    faults: list[tuple[Fault, ...]] = [() if each is None else (each.fault(onset),) for each in modifications]
    episodes = rollout(world, policy, np.full(len(faults), seed), faults)
    found = []
    for setting, episode in zip(modifications, episodes, strict=True):
        count = len(episode)
        keys = stream_keys(np.array([seed]), np.array([0]), "uncertainty").repeat(count)
        found.append(Series(setting, *policy.predict(episode.observations[:-1], keys, np.arange(count))))
    return found


def series_table(found: Sequence[Series], world: str, uncertainty: str, seed: int) -> Any:
    """Return series as examples of a cell, without the key of the cell.

    Args:
        found: The series.
        world: Id of the world.
        uncertainty: Kind of the agent.
        seed: Number of the agent.
    """
    rows = [
        {
            "world": world,
            "policy": uncertainty,
            "seed": seed,
            "anomaly": None if each.setting is None else each.setting.anomaly,
            "value": None if each.setting is None else each.setting.parameter,
            "outputs": each.mean.shape[1],
            "mean": each.mean.ravel(),
            "sigma": each.sigma.ravel(),
        }
        for each in found
    ]
    return pa.Table.from_pylist(rows, SCHEMA.remove(0))


def stored_series(examples: Any, world: str, uncertainty: str, seed: int) -> dict[OODSetting | None, Series]:
    """Return the series of one agent by their modification.

    Args:
        examples: Examples of a run.
        world: Id of the world.
        uncertainty: Kind of the agent.
        seed: Number of the agent.
    """
    known = {(each.anomaly, each.parameter): each for each in settings(world)}
    found = {}
    for row in examples.to_pylist() if examples.num_columns else ():
        if (row["world"], row["policy"], row["seed"]) == (world, uncertainty, seed):
            setting = known.get((row["anomaly"], row["value"]))
            arrays = (np.array(row[name], np.float64).reshape(-1, row["outputs"]) for name in ("mean", "sigma"))
            found[setting] = Series(setting, *arrays)
    return found
