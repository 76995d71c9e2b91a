"""Who may enter a junction: a vehicle reserves its path before it enters, and holds it until it has left."""

from __future__ import annotations

from offnominal.core.compilation import compiled_internal
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.traffic_state import GREEN, RED, YELLOW, Control, Occupancy, Vehicles

GAP_TIME = 4.5
PATIENCE = 150
STARVING = 250
CANNOT_STOP = 3.0
NEAR_START = 9.0
ROOM = 2.5
LONG = 7.0


@compiled_internal
def holds(cars: Vehicles, v: int, path: int) -> bool:
    """Return whether a vehicle has reserved a path."""
    if path < 0:
        return False
    for k in range(cars.held.shape[1]):
        if cars.held[v, k] == path:
            return True
    return False


@compiled_internal
def hold(cars: Vehicles, control: Control, v: int, path: int) -> None:
    """Reserve a path for a vehicle."""
    for k in range(cars.held.shape[1]):
        if cars.held[v, k] < 0:
            for m in range(control.holder.shape[1]):
                if control.holder[path, m] < 0:
                    control.holder[path, m] = v
                    cars.held[v, k] = path
                    return


@compiled_internal
def release(net: Network, cars: Vehicles, control: Control, v: int) -> None:
    """Give back the paths that a vehicle has left."""
    half = 0.5 * cars.size[v, 0]
    for k in range(cars.held.shape[1]):
        path = cars.held[v, k]
        if path < 0:
            continue
        keep = cars.lane[v] == path or (cars.lane[v] == net.target[path] and cars.s[v] - half < 0.0)
        # A vehicle that comes back to a junction reserves it again.
        for m in range(1, cars.path.shape[1]):
            keep = keep or (cars.path[v, m] == path and cars.before[v] != path)
        if not keep:
            cars.held[v, k] = -1
            for m in range(control.holder.shape[1]):
                if control.holder[path, m] == v:
                    control.holder[path, m] = -1


@compiled_internal
def _is_clear_of(net: Network, cars: Vehicles, w: int, path: int, stop: float) -> bool:
    """Return whether a vehicle that holds a path has left its part up to an arclength."""
    half = 0.5 * cars.size[w, 0]
    if cars.lane[w] == path:
        return bool(cars.s[w] - half > stop)
    for m in range(1, cars.path.shape[1]):
        if cars.path[w, m] == path:
            return False
    return bool(cars.lane[w] != net.target[path] or net.length[path] + cars.s[w] - half > stop)


@compiled_internal
def _is_free(net: Network, cars: Vehicles, control: Control, v: int, path: int) -> bool:
    """Return whether no other vehicle holds a path that conflicts."""
    for c in range(net.conflict_first[path], net.conflict_first[path + 1]):
        other = net.conflict[c]
        for m in range(control.holder.shape[1]):
            w = control.holder[other, m]
            if w >= 0 and net.conflict_wide[c] and max(cars.size[v, 0], cars.size[w, 0]) < LONG:
                continue
            if w >= 0 and w != v and not _is_clear_of(net, cars, w, other, net.conflict_span[c, 3]):
                return False
    return True


@compiled_internal
def _has_priority(net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, path: int) -> bool:
    """Return whether no vehicle that goes first arrives soon."""
    for c in range(net.conflict_first[path], net.conflict_first[path + 1]):
        other = net.conflict[c]
        if net.precedence[other] <= net.precedence[path] or net.conflict_wide[c]:
            continue
        head = net.head[other]
        if head >= 0 and control.light[head] == RED:
            continue
        source = net.source[other]
        for k in range(occ.first[source + 1] - 1, occ.first[source] - 1, -1):
            w = occ.who[occ.order[k]]
            if w < 0 or w == v or cars.lane[w] != source or cars.path[w, 1] != other or cars.waiting[w] > 20:
                continue
            away = net.length[source] - cars.s[w]
            if away < GAP_TIME * max(cars.speed[w], 2.0):
                return False
            break
    return True


@compiled_internal
def _exit_has_room(net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, path: int) -> bool:
    """Return whether a vehicle finds room behind the junction, so that it does not block it."""
    target = net.target[path]
    if occ.first[target] < occ.first[target + 1]:
        e = occ.order[occ.first[target]]
        moving = max(occ.speed[e], 0.0)
        free = occ.s[e] - occ.half[e] + moving * moving / 6.0
    else:
        free = net.length[target] + 20.0
    need = cars.size[v, 0] + ROOM
    for k in range(net.into_first[target], net.into_first[target + 1]):
        for m in range(control.holder.shape[1]):
            w = control.holder[net.into[k], m]
            if w >= 0 and w != v and cars.lane[w] != target:
                need += cars.size[w, 0] + ROOM
    return bool(free > need)


@compiled_internal
def _exit_crossing_is_free(net: Network, control: Control, path: int) -> bool:
    target = net.target[path]
    for k in range(net.lane_crossing_first[target], net.lane_crossing_first[target + 1]):
        crossing = net.lane_crossing[k]
        if net.lane_crossing_span[k, 0] < NEAR_START and (control.busy[crossing] > 0 or control.asked[crossing]):
            return False
    return True


@compiled_internal
def _another_starves(net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, path: int) -> bool:
    """Return whether a vehicle that has waited very long wants a conflicting path and could take it."""
    for c in range(net.conflict_first[path], net.conflict_first[path + 1]):
        other = net.conflict[c]
        head, source = net.head[other], net.source[other]
        if occ.first[source] == occ.first[source + 1] or (head >= 0 and control.light[head] != GREEN):
            continue
        w = occ.who[occ.order[occ.first[source + 1] - 1]]
        if w < 0 or w == v or cars.lane[w] != source or cars.path[w, 1] != other or holds(cars, w, other):
            continue
        if net.conflict_wide[c] and max(cars.size[v, 0], cars.size[w, 0]) < LONG:
            continue
        longer = cars.waiting[w] > STARVING and cars.waiting[w] > cars.waiting[v]
        if longer and _exit_crossing_is_free(net, control, other) and _exit_has_room(net, cars, control, occ, w, other):
            return True
    return False


@compiled_internal
def may_enter(
    net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, path: int, distance: float
) -> bool:
    """Return whether a vehicle may reserve a path through a junction.

    Args:
        net: Road graph.
        cars: Vehicles.
        control: Traffic lights, crossings and reservations.
        occ: What is on the lanes.
        v: Vehicle.
        path: Path that it wants to take.
        distance: Distance from its front to the stop line.
    """
    head = net.head[path]
    if head >= 0 and control.light[head] != GREEN:
        speed = cars.speed[v]
        cannot_stop = speed * speed > 2.0 * CANNOT_STOP * max(distance, 0.1)
        if control.light[head] != YELLOW or not cannot_stop:
            return False
    if not _is_free(net, cars, control, v, path) or not _exit_crossing_is_free(net, control, path):
        return False
    if not _exit_has_room(net, cars, control, occ, v, path) or _another_starves(net, cars, control, occ, v, path):
        return False
    return cars.waiting[v] > PATIENCE or _has_priority(net, cars, control, occ, v, path)
