"""What is on each lane: vehicles, vehicles that change lanes, scripted intruders, objects and jaywalkers."""

from __future__ import annotations

from offnominal.core.compilation import compiled_internal
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.path_kernel import index_at, lateral_shift, project
from offnominal.worlds.road.town.traffic_state import Control, Occupancy, Vehicles, Walkers

STILL_IN_OLD_LANE = 0.7
HALF_LANE = 1.75
PEDESTRIAN_ROOM = 0.9


@compiled_internal
def _add(occ: Occupancy, lane: int, s: float, half: float, speed: float, who: int) -> None:
    k = occ.entries[0]
    if k < occ.s.shape[0]:
        occ.lane[k], occ.s[k], occ.half[k], occ.speed[k], occ.who[k] = lane, s, half, speed, who
        occ.entries[0] = k + 1


@compiled_internal
def _add_intruder(net: Network, cars: Vehicles, occ: Occupancy, v: int) -> None:
    """Add a scripted vehicle to all other lanes that its body reaches."""
    x, y = cars.pose[v, 0], cars.pose[v, 1]
    for lane in range(net.length.shape[0]):
        if lane == cars.lane[v] or net.road[lane] < 0 or net.road[lane] != net.road[cars.lane[v]]:
            continue
        s, d = project(net, lane, x, y)
        if abs(d) < HALF_LANE + 0.5 * cars.size[v, 1] - 0.2:
            k = index_at(net, lane, s)
            along = net.tangent[k, 0] * cars.pose[v, 2] + net.tangent[k, 1] * cars.pose[v, 3]
            _add(occ, lane, s, 0.5 * cars.size[v, 0], cars.speed[v] * along, v)


@compiled_internal
def _add_jaywalker(net: Network, walkers: Walkers, occ: Occupancy, p: int) -> None:
    """Add a jaywalker to the lanes that the pedestrian is on or about to enter."""
    x, y = walkers.pose[p, 0], walkers.pose[p, 1]
    for lane in range(net.length.shape[0]):
        k = (net.first[lane] + net.first[lane + 1]) // 2
        reach = 0.5 * net.length[lane] + 6.0
        if (net.point[k, 0] - x) ** 2 + (net.point[k, 1] - y) ** 2 > reach * reach:
            continue
        for ahead in range(3):
            px, py = x + ahead * 1.2 * walkers.pose[p, 2], y + ahead * 1.2 * walkers.pose[p, 3]
            s, d = project(net, lane, px, py)
            if abs(d) < HALF_LANE + 0.3 and 0.0 <= s <= net.length[lane]:
                _add(occ, lane, s, PEDESTRIAN_ROOM, 0.0, -1)
                break


@compiled_internal
def fill_occupancy(net: Network, cars: Vehicles, walkers: Walkers, control: Control, occ: Occupancy, tick: int) -> None:
    """List everything that is on the lanes, sorted by lane and arclength."""
    occ.entries[0] = 0
    for v in range(cars.lane.shape[0]):
        half = 0.5 * cars.size[v, 0]
        _add(occ, cars.lane[v], cars.s[v], half, cars.speed[v], v)
        if cars.change_from[v] >= 0 and abs(cars.d[v]) > STILL_IN_OLD_LANE:
            s, _ = lateral_shift(net, cars.lane[v], cars.change_from[v], cars.s[v])
            _add(occ, cars.change_from[v], s, half, cars.speed[v], v)
        if cars.script[v] > 0 and cars.script_span[v, 0] <= tick and net.road[cars.lane[v]] >= 0:
            _add_intruder(net, cars, occ, v)
    for k in range(control.blocks.shape[0]):
        if control.blocks[k, 3] > 0.0:
            _add(occ, int(control.blocks[k, 0]), control.blocks[k, 1], control.blocks[k, 2], 0.0, -1)
    for p in range(walkers.walk.shape[0]):
        if walkers.jaywalk[p] > 0:
            _add_jaywalker(net, walkers, occ, p)
    _sort(net, occ)


@compiled_internal
def _sort(net: Network, occ: Occupancy) -> None:
    occ.first[:] = 0
    count = occ.entries[0]
    for k in range(count):
        occ.first[occ.lane[k] + 1] += 1
    for lane in range(net.length.shape[0]):
        occ.first[lane + 1] += occ.first[lane]
    # Counting sort by lane, then insertion sort within each lane.
    for k in range(count):
        occ.order[k] = -1
    for k in range(count):
        at = occ.first[occ.lane[k]]
        while occ.order[at] >= 0:
            at += 1
        while at > occ.first[occ.lane[k]] and occ.s[occ.order[at - 1]] > occ.s[k]:
            occ.order[at] = occ.order[at - 1]
            at -= 1
        occ.order[at] = k
