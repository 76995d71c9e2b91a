"""A fault checked against the environment it is meant for, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, DynamicsAnomaly, SignalAnomaly, checked_parameter
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.setting import Setting
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import (
    InvalidChannels,
    InvalidParameter,
    UnknownName,
    UnsupportedEnvironment,
    did_you_mean,
)
from offnominal.worlds.world import Knob


@dataclass(frozen=True, slots=True)
class Resolved:
    """A fault checked against a setting, every name replaced by a number."""

    fault: Fault
    parameter: float
    neutral: float
    code: int
    option: float
    channels: tuple[int, ...]
    first: int
    last: int
    knob: Knob | None = None


def resolve(fault: Fault, setting: Setting) -> Resolved:
    """Return the fault with every name replaced by a number, or raise what is wrong with it."""
    kind = fault.kind
    first, last = fault.course.bounds(length=setting.length, limit=setting.limit)
    if isinstance(kind, CameraAnomaly):
        parameter = _camera_parameter(fault, kind, setting)
        return Resolved(fault, parameter, kind.neutral, 0, 0.0, (), first, last)
    strength = fault.strength
    if isinstance(strength, str):
        strength = parameter_for(setting.world, kind.id, strength)
    if isinstance(kind, DynamicsAnomaly):
        knob = _knob(kind, setting)
        if fault.channels is not None:
            raise InvalidChannels(f"{kind.id} acts on the physics and has no channels; leave them out.")
        parameter = checked_parameter(kind.id, strength, minimum=knob.minimum)
        return Resolved(fault, parameter, knob.neutral, 0, 0.0, (), first, last, knob)
    assert isinstance(kind, SignalAnomaly)
    names = setting.observation if kind.target == "observation" else setting.action
    if not names:
        raise UnsupportedEnvironment(f"{kind.id} needs a Box {kind.target} space, which {setting.name} has not.")
    channels = _channels(fault, names)
    return Resolved(fault, kind.check(strength), kind.neutral, kind.code, kind.option, channels, first, last)


def _camera_parameter(fault: Fault, kind: CameraAnomaly, setting: Setting) -> float:
    if not setting.pictures:
        raise UnsupportedEnvironment(
            f"{kind.id} acts on pictures, and {setting.name} shows none; ask for observation='image' or 'both', or for "
            "frames=True when collecting."
        )
    if fault.channels is not None:
        raise InvalidChannels(f"{kind.id} acts on the whole picture and has no channels; leave them out.")
    if isinstance(fault.strength, str):
        raise InvalidParameter(
            f"{kind.id} has no strength {fault.strength!r}: named strengths say what an agent that sees the vector "
            f"loses, and no fault of a camera was calibrated. Give a number, such as {kind.typical:g}."
        )
    return kind.check(fault.strength)


def _knob(kind: DynamicsAnomaly, setting: Setting) -> Knob:
    knobs = {} if setting.physics is None else setting.physics.knobs
    if kind.knob not in knobs:
        raise UnknownName(
            f"{setting.name} has no knob {kind.knob!r}.{did_you_mean(kind.knob, knobs)} "
            f"Its dynamics faults are: {', '.join(f'dynamics/{name}' for name in knobs) or 'none'}."
        )
    return knobs[kind.knob]


def _channels(fault: Fault, names: tuple[str, ...]) -> tuple[int, ...]:
    if fault.channels is None:
        return tuple(range(len(names)))
    if not fault.channels:
        raise InvalidChannels(f"{fault.id} was given no channels; leave them out to touch all {len(names)}.")
    found = set()
    for channel in fault.channels:
        if isinstance(channel, str):
            if channel not in names:
                raise InvalidChannels(f"{fault.id}: no channel {channel!r}.{did_you_mean(channel, names)}")
            found.add(names.index(channel))
        elif isinstance(channel, bool) or not isinstance(channel, int | np.integer):
            raise InvalidChannels(f"{fault.id}: channel {channel!r} is neither an index nor a name.")
        elif not 0 <= channel < len(names):
            raise InvalidChannels(f"{fault.id}: channel {channel} is outside 0 .. {len(names) - 1}.")
        else:
            found.add(int(channel))
    return tuple(sorted(found))
