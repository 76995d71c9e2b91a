"""Run a cell: run its agent in every setting, score the episodes and evaluate the detectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.anomalies.catalogue import anomalies as anomaly_registry
from offnominal.core.episode import Episode
from offnominal.core.types import FloatArray
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.detectors.catalogue import detectors as registry
from offnominal.detectors.detector import Detector
from offnominal.papers.ood_rl.cell import MethodEntry, OODCell
from offnominal.papers.ood_rl.detection_results import UNCERTAINTY
from offnominal.papers.ood_rl.episodes import EpisodeGroup, chosen_settings, training_episodes, trial_parts
from offnominal.papers.ood_rl.separation import measure_separation
from offnominal.papers.ood_rl.series import predict_series, series_table
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code_version import Used
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.worlds.catalogue import worlds as world_registry

# The training of an agent does not count: its weights are the data of a cell.
CODE_TARGETS = (
    "offnominal.agents.uncertainty:UncertainPolicy",
    "offnominal.agents.uncertainty:DenseNetworks",
    "offnominal.agents.uncertainty.conv_networks:ConvNetworks",
    "offnominal.papers.ood_rl.episodes:training_episodes",
    "offnominal.papers.ood_rl.cell_run:build_detectors",
    "offnominal.papers.ood_rl.cell_run:run_trial",
)
Row = dict[str, Any]


def run_agent(cell: OODCell, policy: UncertainPolicy, meter: ResourceMeter) -> CellRows:
    """Run the agent of a cell in every setting and evaluate the detectors."""
    detectors = build_detectors(cell, policy)
    with meter("fit"):
        training = training_episodes(cell, policy)
        for detector in detectors.values():
            detector.fit(observations_for(detector, training), seed=cell.seed)
    rows = []
    for trial in range(cell.trials):
        found, scored = run_trial(cell, policy, detectors, trial, meter)
        rows += found
        meter.steps += scored
    return CellRows(rows, _examples(cell, policy))


def _examples(cell: OODCell, policy: UncertainPolicy) -> Any:
    """Return the predictions of an ensemble along one episode per setting; none for other agents and detectors."""
    shown = cell.world in (CARTPOLE, PENDULUM) and cell.uncertainty == "ensemble"
    found = []
    if shown and any(entry.name == UNCERTAINTY for entry in cell.methods):
        found = predict_series(policy, cell.world, [None, *chosen_settings(cell)], onset=cell.onset)
    return series_table(found, cell.world, cell.uncertainty, cell.seed)


def run_trial(
    cell: OODCell, policy: UncertainPolicy, detectors: Mapping[str, Detector], trial: int, meter: ResourceMeter
) -> tuple[list[Row], int]:
    """Return a row per setting and method, and how many steps were scored."""
    rows: list[Row] = []
    steps = 0
    nominal: EpisodeGroup | None = None
    nominal_scores: dict[str, list[FloatArray]] = {}
    for part, scores in _scored(cell, policy, detectors, trial, meter):
        steps += sum(len(episode) for episode in part.episodes)
        if part.setting is None or nominal is None:
            nominal, nominal_scores = part, scores
            continue
        common = _setting_row(cell, part, nominal, trial)
        active = [episode.active for episode in part.episodes]
        with meter("evaluate"):
            rows += [
                common
                | {"name": entry.name, "detector": entry.id, "parameters": json.dumps(entry.parameters)}
                | asdict(measure_separation(nominal_scores[entry.name], scores[entry.name], active))
                for entry in cell.methods
            ]
    return rows, steps


def _scored(
    cell: OODCell, policy: UncertainPolicy, detectors: Mapping[str, Detector], trial: int, meter: ResourceMeter
) -> Iterator[tuple[EpisodeGroup, dict[str, list[FloatArray]]]]:
    """Yield the parts of a trial and the scores of each method."""
    parts = trial_parts(cell, policy, trial)
    shown = [entry.name for entry in cell.methods]
    while True:
        with meter("score"):
            part = next(parts, None)
            if part is None:
                return
            scores = {name: detectors[name].score(observations_for(detectors[name], part.episodes)) for name in shown}
        yield part, scores


def _setting_row(cell: OODCell, part: EpisodeGroup, nominal: EpisodeGroup, trial: int) -> Row:
    """Return the columns of a setting that do not depend on the method."""
    setting = part.setting
    assert setting is not None
    return {
        "split": f"{setting.anomaly}@{setting.parameter:g}",
        "anomaly": setting.anomaly,
        "kind": setting.anomaly.partition("/")[0],
        "variant": setting.published,
        "value": setting.parameter,
        "seed": cell.seed,
        "trial": trial,
        "episodes": cell.episodes,
        "steps": sum(len(episode) for episode in part.episodes),
        "length": float(np.mean([len(episode) for episode in part.episodes])),
        "nominal_length": float(np.mean([len(episode) for episode in nominal.episodes])),
        **_returns("return", part.episodes),
        **_returns("nominal_return", nominal.episodes),
    }


def _returns(name: str, episodes: Sequence[Episode]) -> Row:
    returns = np.array([episode.total_reward for episode in episodes])
    return {f"{name}_mean": float(returns.mean()), f"{name}_square": float(np.mean(returns * returns))}


def used_objects(cell: OODCell) -> list[Used]:
    """Return the world, the faults and the methods of a cell."""
    used: list[Used] = [(world_registry, cell.world, {})]
    used += [(anomaly_registry, name, {}) for name in dict.fromkeys(each.anomaly for each in chosen_settings(cell))]
    for entry in (*cell.methods, *cell.parts):
        used.append((detector_registry, entry.id, entry.parameters | ({"detectors": ()} if entry.parts else {})))
    return used


def build_detectors(cell: OODCell, policy: UncertainPolicy) -> dict[str, Detector]:
    """Return the methods of a cell by name, not fitted.

    Args:
        cell: The cell.
        policy: Its agent, for methods that use signals from inside the policy.
    """
    entries = {entry.name: entry for entry in (*cell.methods, *cell.parts)}
    return {entry.name: _build(entry, policy, entries) for entry in cell.methods}


def observations_for(detector: Detector, episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Return episodes as input of a detector: an image detector gets the latest three frames as colour channels.

    Args:
        detector: The detector.
        episodes: Episodes of an agent.
    """
    if not detector.pixel_observations:
        return episodes
    return [replace(episode, observations=episode.observations[:, -3:]) for episode in episodes]


def _build(entry: MethodEntry, policy: UncertainPolicy, entries: dict[str, MethodEntry]) -> Detector:
    given = dict(entry.parameters)
    if entry.internal:
        given["policy"] = policy
    if entry.parts:
        given["detectors"] = [_build(entries[name], policy, entries) for name in entry.parts]
    return registry.build(entry.id, given)
