"""Do a cell: let an agent act in every setting, let the detectors watch, read their scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from offnominal.agents.uncertain import UncertainPolicy
from offnominal.anomalies.catalogue import anomalies as anomaly_registry
from offnominal.core.episode import Episode
from offnominal.core.registry import Spec
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.studies.code import Sources
from offnominal.studies.finished import Finished, finished
from offnominal.studies.meter import Meter
from offnominal.studies.ood_rl.agents import agent, agent_hash
from offnominal.studies.ood_rl.cell import OODCell
from offnominal.studies.ood_rl.episodes import Part, chosen_settings, training_episodes, trial_parts
from offnominal.studies.ood_rl.methods import built, visible
from offnominal.studies.ood_rl.readings import read
from offnominal.studies.work import one_thread, with_parts
from offnominal.worlds.catalogue import worlds as world_registry

# How an agent was trained does not count: its weights are the data of a cell.
JUDGE = (
    "offnominal.agents.uncertain:UncertainPolicy",
    "offnominal.agents.uncertain:DenseMembers",
    "offnominal.agents.uncertain.pictures:PictureMembers",
    "offnominal.studies.ood_rl.episodes:training_episodes",
    "offnominal.studies.ood_rl.methods:built",
    "offnominal.studies.ood_rl.work:watch_trial",
)
Row = dict[str, Any]


def work(cell: OODCell, *, sources: Sources | None = None) -> Finished:
    """Do a cell in this process, with one thread.

    Args:
        cell: What to do.
        sources: Code that was read before.
    """
    meter = Meter()
    code = code_of(cell, sources or Sources())
    policy = agent(cell.world, cell.uncertainty, cell.seed)
    with one_thread():
        detectors = built(cell, policy)
        with meter("fit"):
            training = training_episodes(cell, policy)
            for detector in detectors.values():
                detector.fit(visible(detector, training), seed=cell.seed)
        rows, steps = [], 0
        for trial in range(cell.trials):
            found, scored = watch_trial(cell, policy, detectors, trial, meter)
            rows += found
            steps += scored
    cost = {f"{purpose}_cpu_s": meter.cpu.get(purpose, 0.0) for purpose in ("fit", "score", "evaluate")}
    cost |= {"wall_s": meter.wall, "peak_mb": meter.peak_mb(), "steps_scored": steps}
    return finished(cell, rows, cost, data=prepare(cell), code=code)


def watch_trial(
    cell: OODCell, policy: UncertainPolicy, detectors: Mapping[str, Detector], trial: int, meter: Meter
) -> tuple[list[Row], int]:
    """Return a row per setting and method, and how many steps were scored."""
    rows: list[Row] = []
    steps = 0
    nominal: Part | None = None
    calm: dict[str, list[FloatArray]] = {}
    for part, scores in _scored(cell, policy, detectors, trial, meter):
        steps += sum(len(episode) for episode in part.episodes)
        if part.setting is None or nominal is None:
            nominal, calm = part, scores
            continue
        told = _told(cell, part, nominal, trial)
        active = [episode.active for episode in part.episodes]
        with meter("evaluate"):
            rows += [
                told
                | {"name": entry.name, "detector": entry.id, "parameters": json.dumps(entry.parameters)}
                | asdict(read(calm[entry.name], scores[entry.name], active))
                for entry in cell.methods
            ]
    return rows, steps


def _scored(
    cell: OODCell, policy: UncertainPolicy, detectors: Mapping[str, Detector], trial: int, meter: Meter
) -> Iterator[tuple[Part, dict[str, list[FloatArray]]]]:
    """Yield the parts of a trial and what each method makes of them."""
    parts = trial_parts(cell, policy, trial)
    shown = [entry.name for entry in cell.methods]
    while True:
        with meter("score"):
            part = next(parts, None)
            if part is None:
                return
            scores = {name: detectors[name].score(visible(detectors[name], part.episodes)) for name in shown}
        yield part, scores


def _told(cell: OODCell, part: Part, nominal: Part, trial: int) -> Row:
    """Return what the episodes of a setting were like, whoever watched."""
    setting = part.setting
    assert setting is not None
    return {
        "split": f"{setting.anomaly}@{setting.parameter:g}",
        "anomaly": setting.anomaly,
        "kind": setting.anomaly.partition("/")[0],
        "variant": setting.printed,
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
    earned = np.array([episode.total_reward for episode in episodes])
    return {f"{name}_mean": float(earned.mean()), f"{name}_square": float(np.mean(earned * earned))}


def prepare(cell: OODCell) -> str:
    """Train the agent of a cell if it is not there, and return the hash of its weights."""
    return agent_hash(cell.world, cell.uncertainty, cell.seed)


def code_of(cell: OODCell, sources: Sources) -> str:
    """Return the version of the code that a cell uses: of its world, faults and methods, and of what reads scores."""
    specs: list[Spec] = []
    for entry in (*cell.methods, *cell.parts):
        specs += with_parts(entry.id, entry.parameters | ({"detectors": ()} if entry.parts else {}))
    places = [world_registry.spec(cell.world)]
    places += [anomaly_registry.spec(name) for name in dict.fromkeys(each.anomaly for each in chosen_settings(cell))]
    used = [*specs, *places]
    code = [sources.version(*JUDGE, *(spec.target for spec in used)), *([spec.target, spec.options] for spec in used)]
    return hashlib.sha256(json.dumps(code, sort_keys=True, default=str).encode()).hexdigest()
