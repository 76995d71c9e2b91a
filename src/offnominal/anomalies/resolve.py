"""Resolution of a fault for one environment: every name is checked and replaced by a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, DynamicsAnomaly, SignalAnomaly, checked_parameter
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import (
    InvalidChannels,
    InvalidParameter,
    UnknownName,
    UnsupportedEnvironment,
    did_you_mean,
)
from offnominal.worlds.world_card import PhysicsParameter


@dataclass(frozen=True, slots=True)
class ResolvedFault:
    """A fault for one environment, every name replaced by a number."""

    fault: Fault
    parameter: float
    neutral: float
    code: int
    option: float
    channels: tuple[int, ...]
    first: int
    last: int
    physics_parameter: PhysicsParameter | None = None


def resolve(fault: Fault, environment: EnvironmentInfo) -> ResolvedFault:
    """Return the fault with every name replaced by a number, or raise an error if it does not fit the environment."""
    kind = fault.kind
    if reason := environment.refusal(kind.id):
        raise UnsupportedEnvironment(f"{environment.name} refuses {kind.id}: {reason}")
    first, last = fault.resolved_schedule.bounds(length=environment.length, limit=environment.limit)
    if isinstance(kind, CameraAnomaly):
        parameter = _camera_parameter(fault, kind, environment)
        return ResolvedFault(fault, parameter, kind.neutral, 0, 0.0, (), first, last)
    strength = fault.strength
    if isinstance(strength, str):
        strength = parameter_for(environment.world, kind.id, strength)
    if isinstance(kind, DynamicsAnomaly):
        physics_parameter = _physics_parameter(kind, environment)
        if fault.channels is not None:
            raise InvalidChannels(f"{kind.id} acts on the physics and has no channels; leave them out.")
        parameter = checked_parameter(kind.id, strength, minimum=physics_parameter.minimum)
        return ResolvedFault(fault, parameter, physics_parameter.neutral, 0, 0.0, (), first, last, physics_parameter)
    assert isinstance(kind, SignalAnomaly)
    names = environment.observation if kind.target == "observation" else environment.action
    if not names:
        raise UnsupportedEnvironment(f"{kind.id} needs a Box {kind.target} space; {environment.name} has none.")
    channels = _channels(fault, names)
    return ResolvedFault(fault, kind.check(strength), kind.neutral, kind.code, kind.option, channels, first, last)


def _camera_parameter(fault: Fault, kind: CameraAnomaly, environment: EnvironmentInfo) -> float:
    if not environment.has_images:
        raise UnsupportedEnvironment(
            f"{kind.id} acts on images, and {environment.name} has none; pass observation='image' or 'both', or "
            "frames=True when collecting."
        )
    if fault.channels is not None:
        raise InvalidChannels(f"{kind.id} acts on the whole image and has no channels; leave them out.")
    if isinstance(fault.strength, str):
        raise InvalidParameter(
            f"{kind.id} has no strength {fault.strength!r}: named strengths are calibrated for agents with vector "
            f"observations. Give a number, such as {kind.typical:g}."
        )
    return kind.check(fault.strength)


def _physics_parameter(kind: DynamicsAnomaly, environment: EnvironmentInfo) -> PhysicsParameter:
    physics_parameters = {} if environment.physics is None else environment.physics.physics_parameters
    if kind.physics_parameter not in physics_parameters:
        raise UnknownName(
            f"{environment.name} has no physics parameter {kind.physics_parameter!r}."
            f"{did_you_mean(kind.physics_parameter, physics_parameters)} "
            f"Its dynamics faults are: {', '.join(f'dynamics/{name}' for name in physics_parameters) or 'none'}."
        )
    return physics_parameters[kind.physics_parameter]


def _channels(fault: Fault, names: tuple[str, ...]) -> tuple[int, ...]:
    if fault.channels is None:
        return tuple(range(len(names)))
    if not fault.channels:
        raise InvalidChannels(f"{fault.id} was given no channels; leave them out for all {len(names)}.")
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
