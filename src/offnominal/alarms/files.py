"""Alarms on disk: one readable JSON file each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.alarms.alarm import FORMAT, Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.core.types import FloatArray


def save_alarm(path: Path | str, alarm: Alarm) -> None:
    """Write a fitted alarm; a killed writer leaves nothing half-written.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.alarms import ThreeSigma
        >>> folder = TemporaryDirectory()
        >>> save_alarm(f"{folder.name}/alarm.json", ThreeSigma().fit([[1.0, 3.0]]))
        >>> load_alarm(f"{folder.name}/alarm.json").limit_
        5.0
    """
    path = Path(path)
    text = json.dumps(alarm.to_dict(), indent=2, allow_nan=False) + "\n"
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def load_alarm(path: Path | str) -> Alarm:
    """Read an alarm that :func:`save_alarm` wrote."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist; save_alarm writes such a file.") from None
    except ValueError as error:
        raise DamagedFile(f"{path} is no JSON ({error}); save the alarm again.") from None
    try:
        return alarm_from_dict(data)
    except DamagedFile as error:
        raise type(error)(f"{path}: {error}") from None


def alarm_from_dict(data: Mapping[str, Any]) -> Alarm:
    """Return the alarm that `to_dict` described.

    Raises:
        UnknownName: If no alarm of that name is registered here.
        DamagedFile: If something is missing, unknown or no finite number.

    Example:
        >>> from offnominal.alarms import Maximum
        >>> alarm_from_dict(Maximum().fit([[1.0, 4.0]]).to_dict()).limit_
        4.0
    """
    if not isinstance(data, Mapping) or not {"format", "alarm", "options", "learned"} <= data.keys():
        raise DamagedFile("this is no alarm; expected its format, alarm, options and learned.")
    if data["format"] != FORMAT:
        raise UnsupportedFormat(f"the alarm has format {data['format']!r}; this version reads format {FORMAT}.")
    try:
        alarm = make_alarm(data["alarm"], **data["options"])
        alarm.check()
    except (TypeError, InvalidParameter) as error:
        raise DamagedFile(f"its options are not those of {data['alarm']} ({error}).") from None
    names = alarm.learned_names()
    if not isinstance(data["learned"], Mapping) or set(data["learned"]) != set(names):
        raise DamagedFile(f"what {data['alarm']} has learned is not complete; expected {', '.join(names)}.")
    for name in names:
        setattr(alarm, name, _learned(name, data["learned"][name]))
    return alarm


def _learned(name: str, value: Any) -> float | int | FloatArray:
    """Return a number as it is and a list as an array."""
    try:
        values = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if isinstance(value, bool | str) or not values.size or not np.isfinite(values).all():
        raise DamagedFile(f"{name} is {value!r:.60}; expected finite numbers.")
    if isinstance(value, list):
        return values
    number: float | int = value
    return number
