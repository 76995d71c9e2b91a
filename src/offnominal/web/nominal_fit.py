"""Detectors fitted on nominal episodes that are collected on demand, and kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.agents.experts import expert_card, is_scripted
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.core.directories import data_home
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, OffnominalError
from offnominal.core.files import made_folder, read_bytes, sha256_of, write_bytes
from offnominal.core.types import FloatArray
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.detector import Detector
from offnominal.detectors.files import load_detector, save_detector
from offnominal.rollouts.collection import collect
from offnominal.studies.code import Sources
from offnominal.web.monitor_choice import MonitorChoice
from offnominal.worlds.catalogue import worlds

TRANSITIONS = 6_000
FEWEST, MOST, CALIBRATION = 12, 80, 60
IMAGE_TRAINING, IMAGE_CALIBRATION = 12, 20
"""Episodes with frames are large: 10 MB for 200 steps."""
FIRST_SEED = 900_000_000
"""Far from the seeds that people and datasets choose, so that no replayed episode was trained on."""
CHUNK = 10
FORMAT = 1

Report = Callable[[str, float], object]
"""Called with what happens and the finished share of it."""

_FITTING = Lock()
_SOURCES = Sources()


@dataclass(frozen=True, slots=True, eq=False)
class FittedMonitor:
    """A fitted detector with its fitted alarm.

    Args:
        id: Id of the detector.
        detector: The detector.
        alarm: The alarm.
        typical: Median of the alarm's statistic in nominal episodes.
    """

    id: str
    detector: Detector
    alarm: Alarm
    typical: float

    def relative(self, statistic: FloatArray) -> FloatArray:
        """Return a statistic on the scale that all detectors share: 0 is the nominal median, 1 the threshold.

        Example:
            >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
            >>> alarm = EpisodeMaximum(0.1).fit(simulate_scores(100))
            >>> monitor = FittedMonitor("KNN", None, alarm, typical=0.0)
            >>> monitor.relative(np.array([0.0, alarm.threshold_])).tolist()
            [0.0, 1.0]
        """
        distance = self.alarm.threshold_ - self.typical
        if distance <= 0.0:
            return np.where(statistic > self.alarm.threshold_, 2.0, 0.0)
        return (statistic - self.typical) / distance


@dataclass(frozen=True, slots=True, eq=False)
class NominalFit:
    """Detectors fitted on nominal episodes of one policy in one world.

    Args:
        monitors: The detectors, in the order of the choice.
        mean: Mean of each observation channel.
        scale: Standard deviation of each observation channel.
    """

    monitors: tuple[FittedMonitor, ...]
    mean: FloatArray
    scale: FloatArray


def fit_nominal(
    choice: MonitorChoice, *, folder: Path | None = None, report: Report = lambda text, share: None
) -> NominalFit:
    """Return fitted detectors and alarms; those that were fitted before are read from disk.

    Args:
        choice: The world, the policy, the detectors and the alarm.
        folder: Folder of fitted detectors; ``live`` in the data home if None.
        report: Called with progress.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     fit = fit_nominal(MonitorChoice("SAP-Goal0-v0", detectors=("HBOS",)), folder=Path(folder))
        >>> fit.monitors[0].alarm
        EpisodeMaximum(alpha=0.05, confidence=None)
    """
    home = data_home() / "live" if folder is None else folder
    with _FITTING:
        episodes = NominalEpisodes(choice, report)
        parts = [_part(id, episodes, home, report) for id in choice.detectors]
    report("Fitting the alarms", 1.0)
    monitors = tuple(_with_alarm(part, choice.alarm) for part in parts)
    return NominalFit(monitors, parts[0].mean, parts[0].scale)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A fitted detector, its scores of held-out nominal episodes, and the mean and scale of observations."""

    id: str
    detector: Detector
    scores: list[FloatArray]
    mean: FloatArray
    scale: FloatArray


class NominalEpisodes:
    """Nominal episodes to fit on and to calibrate with, collected when they are first needed.

    Args:
        choice: The world and the policy.
        report: Called with progress.
    """

    def __init__(self, choice: MonitorChoice, report: Report) -> None:
        self.choice, self.report = choice, report
        self._episodes: dict[bool, list[Episode]] = {}

    def number(self, *, images: bool) -> tuple[int, int]:
        """Return the numbers of episodes to fit on and to calibrate with."""
        if images:
            return IMAGE_TRAINING, IMAGE_CALIBRATION
        length = worlds.card(self.choice.world).expert_length
        return min(max(TRANSITIONS // length, FEWEST), MOST), CALIBRATION

    def get(self, *, images: bool) -> tuple[list[Episode], list[Episode]]:
        """Return the episodes to fit on and to calibrate with."""
        first, second = self.number(images=images)
        if images not in self._episodes:
            self._episodes[images] = list(self._collected(first + second, images))
        return self._episodes[images][:first], self._episodes[images][first:]

    def _collected(self, n: int, images: bool) -> Sequence[Episode]:
        policy, found = self.choice.make_policy(), list[Episode]()
        while len(found) < n:
            self.report(f"Collecting nominal episodes of {self.choice.world}", len(found) / n)
            count = min(CHUNK, n - len(found))
            found += collect(self.choice.world, policy, count, seed=FIRST_SEED + len(found), frames=images)
        return found


def _part(id: str, episodes: NominalEpisodes, home: Path, report: Report) -> _Part:
    path = home / _key(id, episodes)
    try:
        return _read(id, path)
    except OffnominalError:
        pass  # Never fitted, or damaged: fit it again.
    detector = detectors.make(id)
    images = detector.pixel_observations
    training, held_out = episodes.get(images=images)
    vectors = np.concatenate([episode.observations.reshape(len(episode) + 1, -1) for episode in training])
    report(f"Fitting {id}", 0.0)
    if images:
        training, held_out = ([each.images() for each in part] for part in (training, held_out))
    detector.fit(training)
    report(f"Scoring nominal episodes with {id}", 0.9)
    part = _Part(id, detector, detector.score(held_out), vectors.mean(axis=0), vectors.std(axis=0))
    _write(part, path)
    return part


def _with_alarm(part: _Part, alarm: str) -> FittedMonitor:
    fitted = make_alarm(alarm).fit(part.scores)
    typical = float(np.median(np.concatenate(fitted.statistic(part.scores))))
    return FittedMonitor(part.id, part.detector, fitted, typical)


def _key(id: str, episodes: NominalEpisodes) -> str:
    """Return a name that changes with the code and the data of a fit."""
    choice, spec = episodes.choice, detectors.spec(id)
    card = worlds.card(choice.world)
    targets = [spec.target, card.target, "offnominal.rollouts.collection:collect"]
    if choice.policy == "scripted" and card.scripted_expert is not None:
        targets.append(card.scripted_expert.target)
    parts = [each.target for each in detectors.parts(id, {})]
    content = {
        "format": FORMAT,
        "world": choice.world,
        "policy": choice.policy,
        "weights": _weights(choice),
        "detector": id,
        "options": {name: repr(value) for name, value in spec.options.items()},
        "episodes": [episodes.number(images=False), episodes.number(images=True), FIRST_SEED],
        "code": _SOURCES.version(*targets, *parts),
    }
    return sha256_of(json.dumps(content, sort_keys=True))[:32]


def _weights(choice: MonitorChoice) -> str:
    """Return the hash of the policy's weights; empty for a policy without weights."""
    if choice.policy in ("scripted", "random") or is_scripted(choice.world):
        return ""
    return expert_card(choice.world, choice.policy).sha256


def _write(part: _Part, path: Path) -> None:
    arrays = {
        "scores": np.concatenate(part.scores),
        "lengths": np.array([len(each) for each in part.scores]),
        "mean": part.mean.astype(np.float64),
        "scale": part.scale.astype(np.float64),
    }
    with made_folder(path):
        save_detector(path / "detector", part.detector)
        write_bytes(path / "nominal.safetensors", save_tensors(arrays))


def _read(id: str, path: Path) -> _Part:
    content = read_bytes(path / "nominal.safetensors")
    try:
        arrays = load_tensors(content)
        scores = np.split(arrays["scores"], np.cumsum(arrays["lengths"])[:-1])
        return _Part(id, load_detector(path / "detector"), scores, arrays["mean"], arrays["scale"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DamagedFile(f"{path} has no nominal scores ({error}); it is fitted again.") from None
