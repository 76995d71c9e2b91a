"""An episode with a fault and its nominal twin: scores, alarms and pictures, computed from a key alone."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.anomalies.factory import make
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.fault_injection import inject
from offnominal.core.episode import Episode
from offnominal.core.types import Frame
from offnominal.reports.colours import colours
from offnominal.rollouts.twin_rollouts import Twin, twins
from offnominal.web.evidence import rounded
from offnominal.web.nominal_fit import FittedMonitor, Report, fit_nominal
from offnominal.web.replay_key import ReplayKey
from offnominal.worlds.catalogue import worlds

SIZE, COLUMNS, ROWS = 256, 6, 6
"""Pixels per side of a picture, and how many pictures a sheet has."""
QUALITY = 78
SIDES = ("nominal", "faulty")


@dataclass(frozen=True, slots=True)
class Replay:
    """What the page of a replay needs.

    Args:
        data: JSON with scores, alarms and events.
        sheets: For each side, sheets of pictures as WebP.
    """

    data: bytes
    sheets: dict[str, list[bytes]]


def make_replay(key: ReplayKey, *, folder: Path | None = None, report: Report = lambda text, share: None) -> Replay:
    """Roll an episode and its twin out, score both, and draw them.

    Args:
        key: World, policy, seed, fault, detectors and alarm.
        folder: Folder of fitted detectors; see :func:`~offnominal.web.nominal_fit.fit_nominal`.
        report: Called with progress.
    """
    fit = fit_nominal(key, folder=folder, report=lambda text, share: report(text, 0.5 * share))
    report("Rolling the episode and its twin out", 0.5)
    (pair,) = twins(key.world, key.make_policy(), 1, faults=key.make_fault(), seed=key.seed, max_steps=key.steps)
    shades = colours(key.detectors)
    data = {
        "key": key.to_dict(),
        "query": key.query(),
        **_episode_facts(key, pair),
        "detectors": [_curves(monitor, pair, shades[monitor.id]) for monitor in fit.monitors],
        "sheet": {"size": SIZE, "columns": COLUMNS, "rows": ROWS},
    }
    sheets = {}
    for k, (side, episode, fault) in enumerate(
        zip(SIDES, (pair.nominal, pair.faulty), (None, key.make_fault()), strict=True)
    ):
        share = 0.6 + 0.2 * k
        sheets[side] = draw_episode(
            key.world,
            episode,
            fault,
            lambda done, side=side, share=share: report(f"Drawing the {side} episode", share + 0.2 * done),
        )
    return Replay(json.dumps(data, separators=(",", ":"), allow_nan=False).encode(), sheets)


def _episode_facts(key: ReplayKey, pair: Twin) -> dict[str, Any]:
    (event, *_) = pair.faulty.events
    card = worlds.card(key.world)
    names = {"observation": card.observation, "action": card.action}.get(event.anomaly.split("/")[0], ())
    return {
        "dt": card.dt,
        "lengths": {"nominal": len(pair.nominal), "faulty": len(pair.faulty)},
        "returns": {"nominal": rounded(pair.nominal.total_reward), "faulty": rounded(pair.faulty.total_reward)},
        "rewards": {
            side: [rounded(value) for value in episode.rewards]
            for side, episode in zip(SIDES, (pair.nominal, pair.faulty), strict=True)
        },
        "active": [int(value) for value in pair.faulty.active],
        "event": {**event.to_dict(), "names": [str(names[k]) for k in event.channels] if names else []},
        "onset": pair.faulty.onset,
        "effective_onset": pair.effective_onset,
        "divergence": [rounded(value) for value in pair.divergence()],
    }


def _curves(monitor: FittedMonitor, pair: Twin, colour: str) -> dict[str, Any]:
    """Return the scores of both episodes on the shared scale, with the alarms of the faulty one."""
    scores = monitor.detector.score([pair.nominal, pair.faulty])
    statistics = monitor.alarm.statistic(scores)
    first_alarms = monitor.alarm.first_alarms(scores)
    onset = pair.faulty.onset
    seen = np.flatnonzero(statistics[1][onset:] > monitor.alarm.threshold_) if onset is not None else np.empty(0)
    return {
        "id": monitor.id,
        "colour": colour,
        "threshold": rounded(monitor.alarm.threshold_),
        "guarantee": str(monitor.alarm.guarantee),
        "relative": {
            side: [rounded(float(value)) for value in monitor.relative(statistic)]
            for side, statistic in zip(SIDES, statistics, strict=True)
        },
        "scores": {side: [rounded(value) for value in each.tolist()] for side, each in zip(SIDES, scores, strict=True)},
        "first_alarm": dict(zip(SIDES, first_alarms, strict=True)),
        "delay": int(seen[0]) if len(seen) else None,
    }


def draw_episode(world: str, episode: Episode, fault: Fault | None, tell: Any = lambda done: None) -> list[bytes]:
    """Return sheets of pictures of an episode, made by the same actions in the same world.

    Args:
        world: Id of the world.
        episode: The episode.
        fault: Its fault.
        tell: Called with the finished share.
    """
    env = inject(make(world, render_mode="rgb_array"), faults=fault)
    env.reset(seed=episode.seed)
    simulation: Any = env.unwrapped
    frames = [simulation.render(size=SIZE)]
    for t, action in enumerate(episode.actions):
        env.step(action)
        frames.append(simulation.render(size=SIZE))
        if t % 20 == 0:
            tell(0.7 * t / len(episode))
    env.close()
    per_sheet = COLUMNS * ROWS
    return [_sheet(frames[first : first + per_sheet]) for first in range(0, len(frames), per_sheet)]


def _sheet(frames: list[Frame]) -> bytes:
    """Return pictures side by side, row by row, as one WebP."""
    from PIL import Image

    rows = math.ceil(len(frames) / COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * SIZE, rows * SIZE))
    for k, frame in enumerate(frames):
        sheet.paste(Image.fromarray(frame), ((k % COLUMNS) * SIZE, (k // COLUMNS) * SIZE))
    file = BytesIO()
    sheet.save(file, "WEBP", quality=QUALITY, method=2)
    return file.getvalue()
