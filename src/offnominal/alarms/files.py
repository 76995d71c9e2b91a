"""Saving and loading of alarms, as JSON with a checksum."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.alarms.alarm import FORMAT, Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.alarms.recalibration import Recalibration
from offnominal.core.checks import integer_in, number_in, numeric_array
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray


def save_alarm(path: Path | str, alarm: Alarm) -> None:
    """Save a fitted alarm; an interrupted write leaves no partial file.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.alarms import ThreeSigma
        >>> folder = TemporaryDirectory()
        >>> save_alarm(f"{folder.name}/alarm.json", ThreeSigma().fit([[1.0, 3.0]]))
        >>> load_alarm(f"{folder.name}/alarm.json").threshold_
        5.0
    """
    if not isinstance(alarm, Alarm):
        raise InvalidParameter(f"alarm is {shown(alarm)}; expected a fitted Alarm.")
    write_checked_json(_path(path), alarm.to_dict())


def load_alarm(path: Path | str) -> Alarm:
    """Load an alarm that :func:`save_alarm` saved.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: The file was changed, or is not a valid alarm; see :func:`alarm_from_dict`.
    """
    data = read_checked_json(_path(path))
    try:
        return alarm_from_dict(data)
    except DamagedFile as error:
        raise type(error)(f"{path}: {error}") from None


def alarm_from_dict(data: Mapping[str, Any]) -> Alarm:
    """Return the alarm that :meth:`Alarm.to_dict` described.

    Raises:
        UnknownName: No alarm of that name is registered.
        DamagedFile: A value is missing, unknown or not finite.

    Example:
        >>> from offnominal.alarms import Maximum
        >>> alarm_from_dict(Maximum().fit([[1.0, 4.0]]).to_dict()).threshold_
        4.0
    """
    if not isinstance(data, Mapping) or data.keys() - {"recalibrations"} != {"format", "alarm", "options", "learned"}:
        raise DamagedFile(
            "this is not an alarm; expected the keys format, alarm, options and learned, perhaps recalibrations, and "
            "no other."
        )
    if data["format"] != FORMAT or isinstance(data["format"], bool):
        raise UnsupportedFormat(f"the alarm has format {shown(data['format'])}; this version reads format {FORMAT}.")
    try:
        alarm = make_alarm(data["alarm"], **data["options"])
        alarm.check()
    except (TypeError, InvalidParameter) as error:
        raise DamagedFile(f"the options are not valid for {data['alarm']} ({error}).") from None
    types = {each.name: str(each.type) for each in fields(alarm) if not each.init}
    if not isinstance(data["learned"], Mapping) or set(data["learned"]) != set(types):
        raise DamagedFile(f"the fitted values of {data['alarm']} are incomplete; expected {', '.join(types)}.")
    try:
        for name, kind in types.items():
            setattr(alarm, name, _fitted_value(name, kind, data["learned"][name]))
        alarm.check_fitted()
        alarm._recalibrations = _recalibrations(data.get("recalibrations", []), alarm)
    except InvalidParameter as error:
        raise DamagedFile(f"invalid fitted values of {data['alarm']}: {error}") from None
    alarm.keep_arguments()
    return alarm


def _recalibrations(given: Any, alarm: Alarm) -> tuple[Recalibration, ...]:
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        raise InvalidParameter(f"recalibrations is {shown(given)}; expected a list of records.")
    made = tuple(Recalibration.from_dict(each) for each in given)
    if made and made[-1].threshold != alarm.threshold_:
        raise InvalidParameter(
            f"the last recalibration has the threshold {made[-1].threshold:g}, the alarm has {alarm.threshold_:g}."
        )
    return made


def _fitted_value(name: str, kind: str, value: Any) -> float | int | FloatArray:
    """Return a number, or a list as an array, as the type of the field requires."""
    if kind in ("int", "<class 'int'>"):
        return integer_in(name, value, 0)
    if kind in ("float", "<class 'float'>"):
        return number_in(name, value)
    values = numeric_array(f"values of {name}", value)
    if not isinstance(value, list) or not values.size or not np.isfinite(values).all():
        raise InvalidParameter(f"{name} is {shown(value)}; expected finite numbers.")
    return values.astype(np.float64)


def _path(path: Path | str) -> Path:
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise InvalidParameter(f"the path is {shown(path)}; expected the path of a file.")
    return Path(path)
