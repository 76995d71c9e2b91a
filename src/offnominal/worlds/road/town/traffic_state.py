"""The moving state of a town as flat arrays: vehicles, pedestrians, traffic lights and what occupies the lanes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.worlds.road.town.network import Network

PATH_LENGTH = 6
MAX_HELD = 4
MAX_HOLDERS = 12
GREEN, YELLOW, RED = 0, 1, 2
SPEED_FACTOR, TIME_GAP, STANDSTILL, ACCELERATION, BRAKING = range(5)
MAX_SPEED, BELOW_LIMIT, SAFETY_TIME, DECREASE, PROXIMITY = range(5, 10)
NO_SCRIPT, FULL_BRAKING, SLOW_STOP, SWERVE, WRONG_WAY, IGNORE_LIGHT, CUT_IN = range(7)


class Vehicles(NamedTuple):
    """State of all vehicles, the ego vehicle first.

    Args:
        lane: (n,): lane of the centre.
        s: (n,): arclength of the centre.
        d: (n,): distance of the centre to the left of the lane's centre line.
        speed: (n,): m/s.
        acceleration: (n,): m/s² of the last tick.
        before: (n,): lane before the current one.
        path: (n, 6): current lane and the lanes to come; -1 where not decided.
        held: (n, 4): paths through junctions that are reserved, or -1.
        size: (n, 3): length, width, height in metres.
        axle: (n,): distance between the axles.
        kind: (n,): index of the kind of vehicle.
        driver: (n, 10): parameters of the driver, see `vehicle_kinds.driver_of`.
        change_from: (n,): lane that a lane change leaves, or -1.
        change: (n, 3): offset at the start of a lane change, seconds since, duration.
        waiting: (n,): ticks at standstill.
        turns: (n,): number of random decisions so far.
        route: (n,): row of `routes`, or -1 for random turns.
        route_at: (n,): position in the route.
        wanted: (n,): lane that the route needs next, or -1.
        lost: (n,): whether the route could not be followed.
        detour: (n,): path that the vehicle takes because of forbidden roads, or -1.
        rerouted: (n,): whether the vehicle has left its way because of forbidden roads.
        script: (n,): scripted behaviour, 0 is none.
        script_span: (n, 2): first tick of the script and first tick after it.
        script_value: (n, 2): parameters of the script.
        pose: (n, 4): position and unit vector of the heading.
    """

    lane: IntArray
    s: FloatArray
    d: FloatArray
    speed: FloatArray
    acceleration: FloatArray
    before: IntArray
    path: IntArray
    held: IntArray
    size: FloatArray
    axle: FloatArray
    kind: IntArray
    driver: FloatArray
    change_from: IntArray
    change: FloatArray
    waiting: IntArray
    turns: IntArray
    route: IntArray
    route_at: IntArray
    wanted: IntArray
    lost: BoolArray
    detour: IntArray
    rerouted: BoolArray
    script: IntArray
    script_span: IntArray
    script_value: FloatArray
    pose: FloatArray


class Walkers(NamedTuple):
    """State of all pedestrians.

    Args:
        walk: (m,): sidewalk, corner or crossing.
        s: (m,): arclength.
        forward: (m,): whether the pedestrian walks from start to end.
        side: (m,): distance to the right of the walk's centre, as seen in walking direction.
        pace: (m,): desired speed.
        speed: (m,): m/s.
        next_walk: (m,): walk after this one.
        turns: (m,): number of random decisions so far.
        stands: (m,): whether the pedestrian waits at a crossing.
        jaywalk: (m,): 0, or 1 while the pedestrian crosses outside a crossing.
        goal: (m, 2): where a jaywalker goes.
        rejoin: (m, 2): walk and arclength on which a jaywalker goes on.
        pose: (m, 4): position and unit vector of the heading.
    """

    walk: IntArray
    s: FloatArray
    forward: BoolArray
    side: FloatArray
    pace: FloatArray
    speed: FloatArray
    next_walk: IntArray
    turns: IntArray
    stands: BoolArray
    jaywalk: IntArray
    goal: FloatArray
    rejoin: FloatArray
    pose: FloatArray


class Control(NamedTuple):
    """What decides who may go.

    Args:
        light: (heads,): 0 green, 1 yellow, 2 red.
        until_green: (heads,): seconds until a red light is green.
        wave: (junctions,): traffic light that is kept green, or -1.
        busy: (crossings,): number of pedestrians on a crossing.
        asked: (crossings,): whether pedestrians wait for a crossing and may walk.
        holder: (lanes, 12): vehicles that hold a path, or -1.
        forbidden: (roads + 1,): roads that vehicles without a route do not enter.
        blocks: (blocks, 4): lane, arclength, half length and 1 if in use, of objects on the road.
    """

    light: IntArray
    until_green: FloatArray
    wave: IntArray
    busy: IntArray
    asked: BoolArray
    holder: IntArray
    forbidden: BoolArray
    blocks: FloatArray


class Occupancy(NamedTuple):
    """What is on each lane, sorted by arclength; rebuilt at every tick.

    Args:
        first: (lanes + 1,): first entry of each lane.
        s: Arclength of the centre.
        half: Half of the length.
        speed: m/s along the lane, negative for wrong-way drivers.
        who: Vehicle, or -1 for objects and pedestrians.
        lane: Lane.
        order: Entries sorted by lane and arclength.
        entries: (1,): number of entries.
    """

    first: IntArray
    s: FloatArray
    half: FloatArray
    speed: FloatArray
    who: IntArray
    lane: IntArray
    order: IntArray
    entries: IntArray


def empty_vehicles(n: int) -> Vehicles:
    """Return the arrays of n vehicles."""

    def integers(*shape: int) -> IntArray:
        return np.full(shape, -1, np.int64)

    return Vehicles(
        lane=integers(n),
        s=np.zeros(n),
        d=np.zeros(n),
        speed=np.zeros(n),
        acceleration=np.zeros(n),
        before=integers(n),
        path=integers(n, PATH_LENGTH),
        held=integers(n, MAX_HELD),
        size=np.ones((n, 3)),
        axle=np.ones(n),
        kind=np.zeros(n, np.int64),
        driver=np.ones((n, 10)),
        change_from=integers(n),
        change=np.zeros((n, 3)),
        waiting=np.zeros(n, np.int64),
        turns=np.zeros(n, np.int64),
        route=integers(n),
        route_at=np.zeros(n, np.int64),
        wanted=integers(n),
        lost=np.zeros(n, np.bool_),
        detour=integers(n),
        rerouted=np.zeros(n, np.bool_),
        script=np.zeros(n, np.int64),
        script_span=np.zeros((n, 2), np.int64),
        script_value=np.zeros((n, 2)),
        pose=np.zeros((n, 4)),
    )


def empty_walkers(m: int) -> Walkers:
    """Return the arrays of m pedestrians."""
    return Walkers(
        walk=np.zeros(m, np.int64),
        s=np.zeros(m),
        forward=np.ones(m, np.bool_),
        side=np.zeros(m),
        pace=np.ones(m),
        speed=np.zeros(m),
        next_walk=np.full(m, -1, np.int64),
        turns=np.zeros(m, np.int64),
        stands=np.zeros(m, np.bool_),
        jaywalk=np.zeros(m, np.int64),
        goal=np.zeros((m, 2)),
        rejoin=np.zeros((m, 2)),
        pose=np.zeros((m, 4)),
    )


def empty_control(net: Network, blocks: int) -> Control:
    """Return traffic lights, crossings and reservations at the start of a simulation."""
    return Control(
        light=np.full(len(net.head_junction), RED, np.int64),
        until_green=np.zeros(len(net.head_junction)),
        wave=np.full(len(net.phases), -1, np.int64),
        busy=np.zeros(len(net.crossing_head), np.int64),
        asked=np.zeros(len(net.crossing_head), np.bool_),
        holder=np.full((len(net.length), MAX_HOLDERS), -1, np.int64),
        forbidden=np.zeros(int(net.road.max()) + 2, np.bool_),
        blocks=np.zeros((blocks, 4)),
    )


def empty_occupancy(net: Network, vehicles: int, walkers: int, blocks: int) -> Occupancy:
    """Return room for everything that can be on a lane."""
    room = 12 * vehicles + 8 * walkers + blocks
    return Occupancy(
        first=np.zeros(len(net.length) + 1, np.int64),
        s=np.zeros(room),
        half=np.zeros(room),
        speed=np.zeros(room),
        who=np.zeros(room, np.int64),
        lane=np.zeros(room, np.int64),
        order=np.zeros(room, np.int64),
        entries=np.zeros(1, np.int64),
    )
