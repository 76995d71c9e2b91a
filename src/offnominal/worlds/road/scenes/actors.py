"""Assets of the actors of a town: vehicles, riders, pedestrians and anomaly objects."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from offnominal.core.deterministic_math import sincos
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.catalogue import anomaly_object
from offnominal.worlds.road.assets.people import pedestrian
from offnominal.worlds.road.assets.two_wheelers import bicycle, motorcycle
from offnominal.worlds.road.assets.vehicles import CAR_BODIES, bus, car, truck
from offnominal.worlds.road.labels import AGENT_OFFSET, Label
from offnominal.worlds.road.town.snapshot import Snapshot

STRIDE = 1.45
PEDAL_TURN = 5.2
STILL = 0.15
POSTURES = 8
CACHED = 8192


def actor_asset(state: Snapshot, row: int, seed: int) -> Asset:
    """Return the asset of an actor with the labels of the state.

    The seed and the instance of an actor decide its colours. Its posture follows from where it is, so that a frame does
    not depend on the frames before.

    Args:
        state: State of the town.
        row: Row of the actor in it.
        seed: Seed of the appearance of all actors.
    """
    phase = 0
    kind = state.kind[row]
    if kind in ("pedestrian", "bicycle"):
        phase = _posture(state, row, STRIDE if kind == "pedestrian" else PEDAL_TURN)
    return _asset(kind, int(state.instance[row]), seed, phase, int(state.label[row]))


def _posture(state: Snapshot, row: int, length: float) -> int:
    """Return the posture of a gait of some length, or -1 for an actor that stands still."""
    if state.speed[row] < STILL:
        return -1 if state.kind[row] == "pedestrian" else 0
    x, y = state.position[row]
    sine, cosine = sincos(float(state.heading[row]))
    return math.floor((float(x) * cosine + float(y) * sine) / length * POSTURES) % POSTURES


@lru_cache(maxsize=CACHED)
def _asset(kind: str, instance: int, seed: int, posture: int, label: int) -> Asset:
    own = (seed * 1009 + instance) % 2**31
    if kind == "pedestrian":
        made = pedestrian(own, standing=posture < 0, phase=(max(posture, 0) + 0.5) / POSTURES)
    elif kind == "bicycle":
        made = bicycle(own, phase=(posture + 0.5) / POSTURES)
    elif kind == "motorcycle":
        made = motorcycle(own)
    elif kind == "truck":
        made = truck(own)
    elif kind == "bus":
        made = bus(own)
    elif kind in CAR_BODIES:
        made = car(own, body=kind)
    else:
        made = anomaly_object(kind).asset()
    return _labelled(made, Label(label))


def _labelled(made: Asset, label: Label) -> Asset:
    """Return an asset with the label of its actor; a rider keeps its own unless its vehicle is an anomaly."""
    if label is Label.TEMPORAL_ANOMALY or len(made.parts) == 1:
        return made.labelled(label)
    agent = label > AGENT_OFFSET
    parts = tuple(replace(part, label=part.label.as_agent() if agent else part.label) for part in made.parts)
    return replace(made, parts=parts)
