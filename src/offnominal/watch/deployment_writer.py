"""Writes deployable folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from offnominal._version import __version__
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.files import save_alarm
from offnominal.alarms.mode_thresholds import ModeThresholds
from offnominal.core.array_text import array_to_plain
from offnominal.core.checks import text
from offnominal.core.checksum import write_checked_json
from offnominal.core.discrete_actions import are_discrete
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, InvalidParameter, NotFitted
from offnominal.core.files import file_errors, sha256_of
from offnominal.core.printable import shown
from offnominal.detectors.catalogue import name_of
from offnominal.detectors.detector import Detector
from offnominal.detectors.export.replay import OnnxModel
from offnominal.watch.channel_checks import learn_checks
from offnominal.watch.deployment import ALARM, CHECKS, FILES, MANIFEST, MODEL, REPLAY, Manifest, is_deployment

REPLAYED = 200
"""Transitions in the folder that `offnominal verify` replays."""


def write_deployment(
    folder: Path | str,
    detector: Detector,
    alarm: Alarm,
    episodes: Sequence[Episode],
    *,
    name: str = "",
    observations: Sequence[str] = (),
    actions: Sequence[str] = (),
    units: Sequence[str] = (),
    rate: float | None = None,
    overwrite: bool = False,
) -> Manifest:
    """Write a detector, an alarm and checks of samples as one folder for ``offnominal watch``.

    The calibration episodes are replayed through the written detector; the folder is not written if a score differs by
    more than the tolerance of the detector (1e-5). Ranges, longest held values and rates are learned from them. The
    folder appears as a whole, or not at all. Writing needs the extra ``onnx``; running does not need torch.

    Args:
        folder: The folder; it must not exist, unless `overwrite` is set and it is a deployable folder.
        detector: A fitted detector of vectors.
        alarm: Alarm fitted on scores of the detector.
        episodes: Nominal episodes, such as those of the calibration. Their extra ``time`` is used for the rates.
        name: Name of what is monitored; that of the folder if empty.
        observations: Names of the values of an observation; numbered if empty.
        actions: Names of the values of an action; numbered if empty.
        units: Units of observations and actions, in this order; unknown if empty.
        rate: Samples per second, if the episodes have no times.
        overwrite: Whether to replace a deployable folder.

    Raises:
        UnsupportedExport: The detector has no ONNX form.
        AlreadyExists: There is something at the path.
    """
    if not isinstance(detector, Detector) or not isinstance(alarm, Alarm):
        given = f"{shown(detector)} and {shown(alarm)}"
        raise InvalidParameter(f"detector and alarm are {given}; expected a fitted Detector and a fitted Alarm.")
    if not alarm.fitted:
        raise NotFitted(f"{alarm!r} is not fitted; call fit with scores of nominal episodes first.")
    if isinstance(alarm, ModeThresholds) and alarm.needs_modes:
        raise InvalidParameter("the alarm needs a mode at each step, which samples do not have; use one without modes.")
    if detector.pixel_observations:
        raise InvalidParameter(f"{detector.name} scores images; a deployable folder is for vectors of channels.")
    if not len(episodes):
        raise InvalidParameter("there are no episodes; give the nominal episodes of the calibration.")
    place = Path(folder)
    with file_errors(place):
        if place.exists() and not (overwrite and is_deployment(place)):
            raise AlreadyExists(f"{place} exists; choose another folder{', or overwrite it' * is_deployment(place)}.")
        place.parent.mkdir(parents=True, exist_ok=True)
    staging = place.with_name(f".{uuid4().hex}.unfinished")
    try:
        manifest = _write(
            staging,
            detector,
            alarm,
            episodes,
            name=text("name", name or place.name),
            names=(_names(observations, episodes[0].observations, "o"), _names(actions, episodes[0].actions, "a")),
            units=units,
            rate=rate,
        )
        with file_errors(place):
            if place.exists():
                old = place.with_name(f".{uuid4().hex}.old")
                place.rename(old)
                staging.rename(place)
                shutil.rmtree(old)
            else:
                staging.rename(place)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return manifest


def _write(
    folder: Path,
    detector: Detector,
    alarm: Alarm,
    episodes: Sequence[Episode],
    *,
    name: str,
    names: tuple[list[str], list[str]],
    units: Sequence[str],
    rate: float | None,
) -> Manifest:
    observations, actions = names
    checks = learn_checks(episodes, observations=observations, actions=actions, units=units, rate=rate)
    discrete = are_discrete(episodes[0].actions)
    detector.export(
        folder / MODEL, discrete_actions=discrete, observation_names=observations or None, episodes=episodes
    )
    save_alarm(folder / ALARM, alarm)
    write_checked_json(folder / CHECKS, checks.to_dict())
    write_checked_json(folder / REPLAY, {"episodes": list(_replayed(folder / MODEL, detector, alarm, episodes))})
    manifest = Manifest(
        name,
        __version__,
        datetime.now(UTC).isoformat(timespec="seconds"),
        name_of(detector) or detector.name,
        alarm.id,
        float(alarm.threshold_),
        f"{alarm.guarantee}; assumption: {alarm.guarantee.assumption}",
        tuple(observations),
        tuple(actions),
        discrete,
        len(episodes),
        sum(map(len, episodes)),
        detector.export_tolerance,
        json.loads(json.dumps(detector.get_params())),
        {each: sha256_of(folder / each) for each in FILES},
    )
    write_checked_json(folder / MANIFEST, manifest.to_dict())
    return manifest


def _replayed(path: Path, detector: Detector, alarm: Alarm, episodes: Sequence[Episode]) -> Any:
    """Yield the first transitions, with the scores of the detector and the alarms on those of the file."""
    from offnominal.detectors.export.replay import online_scores

    model, left = OnnxModel(path), REPLAYED
    for episode in islice(episodes, REPLAYED):
        n = min(left, len(episode))
        if n == 0:
            return
        cut = Episode(episode.observations[: n + 1], episode.actions[:n], np.zeros(n), np.zeros(n, bool))
        yield {
            "observations": array_to_plain(np.asarray(cut.observations)),
            "actions": array_to_plain(np.asarray(cut.actions)),
            "scores": array_to_plain(online_scores(detector, cut)),
            "alarms": array_to_plain(alarm.alarm([model.outputs(cut).scores])[0]),
        }
        left -= n


def _names(given: Sequence[str], values: Any, letter: str) -> list[str]:
    """Return names of channels; numbered ones if there are none."""
    width = int(np.asarray(values[:1]).size)
    if isinstance(given, str) or not all(isinstance(each, str) and each.isprintable() and each for each in given):
        raise InvalidParameter(f"the names of channels are {shown(given)}; expected {width} texts.")
    names = list(given) or [f"{letter}{number}" for number in range(width)]
    if len(names) != width or len(set(names)) != width:
        raise InvalidParameter(f"there are {len(set(names))} different names for {width} channels: {', '.join(names)}.")
    return names
