"""Plausible parameters of faults: what sensors, actuators and bodies could really do.

A calibration takes only plausible parameters, also if one beyond them would cost as much of the return as the level
says. Some lines of the shipped table are older; `beyond_limits` names those that are not plausible. The ranges follow
from the card of a world alone, never from what faults cost. A signal anomaly has one parameter for all channels, so
that the narrowest channel decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.worlds.world_card import Channel, WorldCard

LIMITS = 3.0
"""Largest plausible command, in limits of its actuator; also the largest gain."""
LONGEST_DELAY = 1.0
"""Seconds after which every watchdog refuses a command."""
LONGEST_SHARE = 0.25
"""Share of the task after which a command does not belong to it any more."""


@dataclass(frozen=True, slots=True)
class PlausibleRange:
    """Parameters of an anomaly that are plausible in a world.

    Args:
        low: Lowest one.
        high: Highest one.
        reason: What gives the two.

    Example:
        >>> 0.5 in PlausibleRange(0.0, 1.0, "a share"), 1.5 in PlausibleRange(0.0, 1.0, "a share")
        (True, False)
    """

    low: float = -math.inf
    high: float = math.inf
    reason: str = ""

    def __contains__(self, parameter: float) -> bool:
        """Whether a parameter is plausible, up to rounding."""
        slack = 1e-6 * max((abs(end) for end in (self.low, self.high) if math.isfinite(end)), default=0.0)
        return self.low - slack <= parameter <= self.high + slack


def plausible_range(card: WorldCard, anomaly: Anomaly) -> PlausibleRange:
    """Return the plausible parameters of an anomaly; all of them if the card has no range for it.

    Args:
        card: Card of the world.
        anomaly: The anomaly.

    Example:
        >>> from offnominal.anomalies import make_anomaly
        >>> from offnominal.worlds import worlds
        >>> plausible_range(worlds.card("SAP-Goal0-v0"), make_anomaly("action/offset"))
        PlausibleRange(low=-3.0, high=3.0, reason='3 times full thrust (thrust x)')
    """
    if isinstance(anomaly, DynamicsAnomaly):
        named = {each.name: each for each in card.physics_parameters}
        parameter = named.get(anomaly.physics_parameter)
        return PlausibleRange() if parameter is None else PlausibleRange(*parameter.plausible, parameter.range_of)
    rule = _RULES.get(anomaly.kind)
    channels = {"observation": card.observation, "action": card.action}.get(anomaly.target, ())
    return PlausibleRange() if rule is None else rule(card, anomaly.target, channels)


def _size(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> tuple[float, str]:
    """Return the largest plausible change of a signal: the narrowest sensor, or the weakest actuator three times."""
    if not channels:
        return math.inf, ""
    if target == "action":
        weakest = min(channels, key=lambda each: max(-each.low, each.high))
        return LIMITS * max(-weakest.low, weakest.high), f"{LIMITS:g} times {weakest.range_of} ({weakest.name})"
    narrowest = min(channels, key=lambda each: each.high - each.low)
    return narrowest.high - narrowest.low, f"range of {narrowest.name}: {narrowest.range_of}"


def _scale(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> PlausibleRange:
    size, why = _size(card, target, channels)
    return PlausibleRange(0.0, size, why) if math.isfinite(size) else PlausibleRange()


def _offset(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> PlausibleRange:
    size, why = _size(card, target, channels)
    return PlausibleRange(-size, size, why) if math.isfinite(size) else PlausibleRange()


def _drift(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> PlausibleRange:
    size, why = _size(card, target, channels)
    most = size / card.expert_length
    return PlausibleRange(-most, most, f"{why}, after the task") if math.isfinite(most) else PlausibleRange()


def _gain(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> PlausibleRange:
    size, _ = _size(card, target, channels)
    what = "a command at the limit is 3 limits" if target == "action" else "a channel in a third of its range fills it"
    return PlausibleRange(0.0, LIMITS, what) if math.isfinite(size) else PlausibleRange()


def _delay(card: WorldCard, target: str, channels: tuple[Channel, ...]) -> PlausibleRange:
    steps = min(LONGEST_DELAY / card.dt, LONGEST_SHARE * card.expert_length)
    reason = f"at most {LONGEST_DELAY:g} s and a quarter of the task of {card.expert_length} steps"
    return PlausibleRange(0.0, math.floor(steps + 1e-9), reason)


_RULES: dict[str, Callable[[WorldCard, str, tuple[Channel, ...]], PlausibleRange]] = {
    "noise": _scale,
    "temporal_noise": _scale,
    "quantisation": _scale,
    "offset": _offset,
    "drift": _drift,
    "scaling": _gain,
    "delay": _delay,
}
