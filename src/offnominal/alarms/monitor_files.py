"""Saving and loading of online monitors: detector, alarm, and where every episode is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.files import load_alarm, save_alarm
from offnominal.alarms.online_monitor import RECENT, OnlineMonitor
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.checks import integer_in
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.core.files import sha256_of
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.detectors.files import load_detector, save_detector
from offnominal.detectors.states import MOST_EPISODES, alike, described, leaves, rebuilt

M = TypeVar("M", bound=OnlineMonitor)

FORMAT = 1
DETECTOR, ALARM, STATE = "detector", "alarm.json", "state.json"
ENTRIES = {"format", "n", "parts", "steps", "alarmed", "warned", "episodes", "recent", "detector", "alarm"}


def save_monitor(folder: Path | str, monitor: OnlineMonitor) -> None:
    """Write a monitor into a folder; see :meth:`OnlineMonitor.save`."""
    place = _folder(folder)
    save_detector(place / DETECTOR, monitor.detector)
    save_alarm(place / ALARM, monitor.alarm)
    state = {
        "format": FORMAT,
        "n": monitor.n,
        "parts": _hashes(place),
        "steps": monitor.steps.tolist(),
        "alarmed": monitor.alarmed.tolist(),
        "warned": monitor._warned.tolist(),
        "episodes": monitor._episodes.tolist(),
        "recent": monitor._recent,
        "detector": [array_to_plain(_as_numpy(part)) for part in leaves(monitor._detector_state)],
        "alarm": [array_to_plain(part) for part in (monitor._alarm_state.steps, monitor._alarm_state.memory)],
    }
    write_checked_json(place / STATE, state)


def load_monitor(kind: type[M], folder: Path | str, **options: Any) -> M:
    """Return a monitor that continues where it was saved; see :meth:`OnlineMonitor.load`."""
    place = _folder(folder)
    path = place / STATE
    data = read_checked_json(path)
    if data.get("format", FORMAT) != FORMAT:
        raise UnsupportedFormat(f"{path} has format {shown(data['format'])}; this version reads format {FORMAT}.")
    if data.keys() != ENTRIES:
        raise DamagedFile(f"{path} is not the state of a monitor; expected the entries {', '.join(sorted(ENTRIES))}.")
    if data["parts"] != _hashes(place):
        raise DamagedFile(f"{path} is the state of another detector or alarm than those beside it; save all again.")
    detector, alarm = load_detector(place / DETECTOR), load_alarm(place / ALARM)
    try:
        n = integer_in("n", data["n"], 1, MOST_EPISODES)
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is damaged: {error}") from None
    monitor = kind(detector, alarm, n=n, **options)
    try:
        _restore(monitor, data)
    except (TypeError, ValueError) as error:
        raise DamagedFile(f"{path} is damaged: {error}") from None
    return monitor


def _restore(monitor: OnlineMonitor, data: Mapping[str, Any]) -> None:
    fresh = monitor._detector_state
    arrays = [array_from_plain(each) for each in data["detector"]]
    examples = leaves(fresh)
    if len(arrays) != len(examples):
        raise DamagedFile(f"the state of the detector has {len(arrays)} arrays; expected {len(examples)}.")
    state = rebuilt(fresh, iter([_like(array, example) for array, example in zip(arrays, examples, strict=True)]))
    if not alike(state, fresh):
        raise DamagedFile(f"the state of the detector is {described(state)}; expected {described(fresh)}.")
    steps, memory = (array_from_plain(each) for each in data["alarm"])
    if not alike((steps, memory), (monitor._alarm_state.steps, monitor._alarm_state.memory)):
        raise DamagedFile(f"the state of the alarm is {described((steps, memory))}.")
    monitor._detector_state, monitor._alarm_state = state, AlarmState(steps, memory)
    monitor.steps, monitor._episodes = _vector(data, "steps", monitor.n), _vector(data, "episodes", monitor.n)
    monitor.alarmed = _vector(data, "alarmed", monitor.n, np.bool_)
    monitor._warned = _vector(data, "warned", monitor.n, np.bool_)
    recent = [[float(score) for score in scores] for scores in data["recent"]]
    if len(recent) != monitor.n or max(map(len, recent)) > RECENT:
        raise DamagedFile(f"the recent scores are those of {len(recent)} episodes; expected {monitor.n}.")
    monitor._recent = recent


def _vector(data: Mapping[str, Any], name: str, n: int, dtype: Any = np.int64) -> Array:
    values = np.array(data[name])
    if values.shape != (n,) or values.dtype != dtype:
        raise DamagedFile(f"{name} is {shown(data[name])}; expected {n} values of type {np.dtype(dtype)}.")
    return values


def _hashes(folder: Path) -> dict[str, str]:
    return {name: sha256_of(folder / name) for name in (f"{DETECTOR}.json", f"{DETECTOR}.safetensors", ALARM)}


def _as_numpy(part: Any) -> Array:
    """Return a part of a state, which is a tensor in detectors with a network."""
    return np.asarray(part if isinstance(part, np.ndarray) else part.detach().cpu().numpy())


def _like(array: Array, example: Any) -> Any:
    """Return an array, or the tensor of its values on the device of an example."""
    if isinstance(example, np.ndarray):
        return array
    import torch

    return torch.from_numpy(array).to(example.device)


def _folder(folder: Path | str) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise InvalidParameter(f"the folder is {shown(folder)}; expected the path of a folder.")
    return Path(folder)
