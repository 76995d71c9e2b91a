"""An object that vehicles hit: one rigid body among the ground and moving vehicles, in steps of one millisecond.

The object is the convex hull of a few of its corners, and its bounding box where the vehicle is pointed. A vehicle is a
body with a front that is round when seen from above, a bonnet, and a cabin. Contacts are impulses with friction, solved
one after the other a few times per step. A vehicle keeps its lane: of an impulse it only feels the part along its
heading.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray, IntArray

STEPS = 100
STEP = 0.001
GRAVITY = 9.81
AIR_DENSITY, DRAG = 1.2, 1.0
GROUND_FRICTION, VEHICLE_FRICTION = 0.6, 0.3
GROUND_BOUNCE, VEHICLE_BOUNCE = 0.2, 0.15
# Slower contacts than this do not bounce, m/s.
QUIET = 0.5
ROUNDS = 6
SLOWEST = 1e-9
# Depth that is left to contacts, and how fast deeper ones are pushed apart, m and m per step.
SLOP, SHARE, PUSH = 0.002, 0.2, 0.004
FASTEST_SPIN = 25.0
ROLLING_LOSS = 1.5
# Things lower than this pass under a vehicle, m.
CLEARANCE = 0.15
# How far the middle of a front is ahead of its corners, m.
BOW = 0.3
# Longer or taller vehicles have no bonnet.
BONNET_UP_TO, BONNET_HEIGHT = 2.0, 0.62
WINDSCREEN, ROOF_FRONT, ROOF_REAR, REAR_WINDOW = 0.17, -0.05, -0.28, -0.42
MOST_CONTACTS = 96

POSITION, VELOCITY, SPIN, AXES = 0, 3, 6, 9
"""Where the parts of the state of a body begin: position, velocity, spin, and the matrix from own axes to the world."""
BODY = 18
X0, Y0, X1, Y1, COS, SIN, LENGTH, WIDTH, HEIGHT, MASS = range(10)
"""Columns of a vehicle: position at the beginning and the end of a tick, heading, size and mass."""
VEHICLE = 10
SIDES = np.array((-0.97, -0.65, -0.32, 0.0, 0.32, 0.65, 0.97))
LEVELS = np.array((0.18, 0.35, 0.6, 0.85))
ALONG = np.array((-0.35, 0.0, 0.35))


@compiled_internal
def _inverse_inertia(body: FloatArray, inertia: FloatArray, v: FloatArray, out: FloatArray) -> None:
    """Write the change of spin that an angular impulse causes."""
    for k in range(3):
        out[k] = 0.0
    for axis in range(3):
        a, b, c = body[AXES + axis], body[AXES + 3 + axis], body[AXES + 6 + axis]
        along = (a * v[0] + b * v[1] + c * v[2]) / inertia[axis]
        out[0] += along * a
        out[1] += along * b
        out[2] += along * c


@compiled_internal
def _turn(body: FloatArray) -> None:
    """Turn a body by its spin in one step."""
    wx, wy, wz = body[SPIN], body[SPIN + 1], body[SPIN + 2]
    for axis in range(3):
        a, b, c = body[AXES + axis], body[AXES + 3 + axis], body[AXES + 6 + axis]
        body[AXES + axis] = a + STEP * (wy * c - wz * b)
        body[AXES + 3 + axis] = b + STEP * (wz * a - wx * c)
        body[AXES + 6 + axis] = c + STEP * (wx * b - wy * a)
    # Axes stay of length one and at right angles.
    x0, x1, x2 = body[AXES], body[AXES + 3], body[AXES + 6]
    norm = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    x0, x1, x2 = x0 / norm, x1 / norm, x2 / norm
    y0, y1, y2 = body[AXES + 1], body[AXES + 4], body[AXES + 7]
    along = x0 * y0 + x1 * y1 + x2 * y2
    y0, y1, y2 = y0 - along * x0, y1 - along * x1, y2 - along * x2
    norm = math.sqrt(y0 * y0 + y1 * y1 + y2 * y2)
    y0, y1, y2 = y0 / norm, y1 / norm, y2 / norm
    body[AXES], body[AXES + 3], body[AXES + 6] = x0, x1, x2
    body[AXES + 1], body[AXES + 4], body[AXES + 7] = y0, y1, y2
    body[AXES + 2] = x1 * y2 - x2 * y1
    body[AXES + 5] = x2 * y0 - x0 * y2
    body[AXES + 8] = x0 * y1 - x1 * y0


@compiled_internal
def _fly(body: FloatArray, mass: float, area: float) -> None:
    """Move a body by one step under gravity and air drag."""
    body[VELOCITY + 2] -= GRAVITY * STEP
    vx, vy, vz = body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2]
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    kept = 1.0 / (1.0 + 0.5 * AIR_DENSITY * DRAG * area / mass * speed * STEP)
    for k in range(3):
        body[VELOCITY + k] *= kept
        body[POSITION + k] += body[VELOCITY + k] * STEP
    _turn(body)


@compiled_internal
def _front(vehicle: FloatArray, y: float) -> tuple[float, float, float]:
    """Return how far the front reaches at a distance to the left, and its normal."""
    side = 2.0 * y / vehicle[WIDTH]
    slope = 4.0 * BOW * side / vehicle[WIDTH]
    norm = math.sqrt(1.0 + slope * slope)
    return 0.5 * vehicle[LENGTH] - BOW * side * side, 1.0 / norm, slope / norm


@compiled_internal
def _bonnet(vehicle: FloatArray) -> float:
    """Return the height of the bonnet, or of the whole vehicle if it has none."""
    height = vehicle[HEIGHT]
    return float(height if height > BONNET_UP_TO else BONNET_HEIGHT * height)


@compiled_internal
def _in_vehicle(vehicle: FloatArray, x: float, y: float, z: float, out: FloatArray) -> bool:
    """Write depth and normal of a point inside a vehicle; all in the frame of the vehicle."""
    half_l, half_w, bonnet = 0.5 * vehicle[LENGTH], 0.5 * vehicle[WIDTH], _bonnet(vehicle)
    side = half_w - abs(y)
    if side <= 0.0 or z <= CLEARANCE or z >= vehicle[HEIGHT] or abs(x) >= half_l:
        return False
    away = 1.0 if y > 0.0 else -1.0
    if z <= bonnet:
        reach, nx, ny = _front(vehicle, y)
        front = (reach - x) * nx
        if front <= 0.0:
            return False
        out[0], out[1], out[2], out[3] = front, nx, ny, 0.0
        if bonnet - z < out[0]:
            out[0], out[1], out[2], out[3] = bonnet - z, 0.0, 0.0, 1.0
        rear = x + half_l
    else:
        share = (z - bonnet) / (vehicle[HEIGHT] - bonnet)
        length = vehicle[LENGTH]
        screen = (WINDSCREEN + share * (ROOF_FRONT - WINDSCREEN)) * length
        window = (REAR_WINDOW + share * (ROOF_REAR - REAR_WINDOW)) * length
        if x >= screen or x <= window:
            return False
        rise, run = vehicle[HEIGHT] - bonnet, (WINDSCREEN - ROOF_FRONT) * length
        norm = math.sqrt(rise * rise + run * run)
        nx, nz = rise / norm, run / norm
        out[0], out[1], out[2], out[3] = (screen - x) * nx, nx, 0.0, nz
        rear = x - window
    if side < out[0]:
        out[0], out[1], out[2], out[3] = side, 0.0, away, 0.0
    if rear < out[0]:
        out[0], out[1], out[2], out[3] = rear, -1.0, 0.0, 0.0
    return True


@compiled_internal
def _in_object(body: FloatArray, box: FloatArray, p: FloatArray, n: FloatArray) -> float:
    """Return how far the object must move along a normal to leave a point of a vehicle; 0 if it is outside."""
    depth = 1e6
    dx, dy, dz = p[0] - body[POSITION], p[1] - body[POSITION + 1], p[2] - body[POSITION + 2]
    for axis in range(3):
        a, b, c = body[AXES + axis], body[AXES + 3 + axis], body[AXES + 6 + axis]
        q = a * dx + b * dy + c * dz
        low, high = box[0, axis], box[1, axis]
        if q <= low or q >= high:
            return 0.0
        m = -(a * n[0] + b * n[1] + c * n[2])
        if m > 1e-9:
            depth = min(depth, (high - q) / m)
        elif m < -1e-9:
            depth = min(depth, (q - low) / -m)
    return depth


@compiled_internal
def _add(contacts: FloatArray, who: IntArray, count: int, v: int, p: FloatArray, n: FloatArray, depth: float) -> int:
    if count < contacts.shape[0]:
        for k in range(3):
            contacts[count, k] = p[k]
            contacts[count, 3 + k] = n[k]
        contacts[count, 6] = depth
        contacts[count, 7:] = 0.0
        who[count] = v
        count += 1
    return count


@compiled_internal
def _on_ground(
    body: FloatArray, points: FloatArray, ground: FloatArray, contacts: FloatArray, who: IntArray, p: FloatArray,
    n: FloatArray,
) -> int:  # fmt: skip
    count = 0
    n[0], n[1], n[2] = 0.0, 0.0, 1.0
    for k in range(points.shape[0]):
        for row in range(3):
            at = AXES + 3 * row
            p[row] = body[POSITION + row] + (
                body[at] * points[k, 0] + body[at + 1] * points[k, 1] + body[at + 2] * points[k, 2]
            )
        depth = ground[k] - p[2]
        if depth > 0.0:
            count = _add(contacts, who, count, -1, p, n, depth)
    return count


@compiled_internal
def _probe(
    body: FloatArray, box: FloatArray, vehicle: FloatArray, at: FloatArray, local: FloatArray, normal: FloatArray,
    contacts: FloatArray, who: IntArray, count: int, v: int, p: FloatArray, n: FloatArray,
) -> int:  # fmt: skip
    """Add a contact if a point of a vehicle is inside the object."""
    c, s = vehicle[COS], vehicle[SIN]
    p[0], p[1], p[2] = at[0] + c * local[0] - s * local[1], at[1] + s * local[0] + c * local[1], local[2]
    n[0], n[1], n[2] = c * normal[0] - s * normal[1], s * normal[0] + c * normal[1], normal[2]
    depth = _in_object(body, box, p, n)
    return count if depth <= 0.0 else _add(contacts, who, count, v, p, n, depth)


@compiled_internal
def _on_vehicle(
    body: FloatArray, points: FloatArray, box: FloatArray, vehicle: FloatArray, at: FloatArray,
    contacts: FloatArray, who: IntArray, count: int, v: int, work: FloatArray,
) -> int:  # fmt: skip
    """Add the contacts with a vehicle: corners of the object in it, and points of its surface in the object."""
    p, n, local, normal, found = work[0, :3], work[1, :3], work[2, :3], work[3, :3], work[4]
    c, s = vehicle[COS], vehicle[SIN]
    for k in range(points.shape[0]):
        for row in range(3):
            first = AXES + 3 * row
            p[row] = body[POSITION + row] + (
                body[first] * points[k, 0] + body[first + 1] * points[k, 1] + body[first + 2] * points[k, 2]
            )
        dx, dy = p[0] - at[0], p[1] - at[1]
        if _in_vehicle(vehicle, c * dx + s * dy, c * dy - s * dx, p[2], found):
            n[0], n[1], n[2] = c * found[1] - s * found[2], s * found[1] + c * found[2], found[3]
            count = _add(contacts, who, count, v, p, n, found[0])
    bonnet, length, half_w = _bonnet(vehicle), vehicle[LENGTH], 0.5 * vehicle[WIDTH]
    for k in range(SIDES.shape[0]):
        y = SIDES[k] * half_w
        reach, nx, ny = _front(vehicle, y)
        for m in range(LEVELS.shape[0]):
            local[0], local[1], local[2] = reach, y, max(LEVELS[m] * bonnet, CLEARANCE + 0.03)
            normal[0], normal[1], normal[2] = nx, ny, 0.0
            count = _probe(body, box, vehicle, at, local, normal, contacts, who, count, v, p, n)
    for k in range(ALONG.shape[0]):
        # Roof or bonnet, and both sides.
        top = vehicle[HEIGHT] if ALONG[k] < WINDSCREEN else bonnet
        local[0], local[1], local[2] = ALONG[k] * length, 0.0, top
        normal[0], normal[1], normal[2] = 0.0, 0.0, 1.0
        count = _probe(body, box, vehicle, at, local, normal, contacts, who, count, v, p, n)
        for side in range(2):
            sign = 1.0 - 2.0 * side
            local[0], local[1], local[2] = ALONG[k] * length, sign * half_w, 0.6 * bonnet
            normal[0], normal[1], normal[2] = 0.0, sign, 0.0
            count = _probe(body, box, vehicle, at, local, normal, contacts, who, count, v, p, n)
    return count


@compiled_internal
def _response(
    body: FloatArray, inertia: FloatArray, mass: float, vehicles: FloatArray, v: int, r: FloatArray, d: FloatArray,
    torque: FloatArray, turned: FloatArray,
) -> float:  # fmt: skip
    """Return the change of relative velocity along a direction per impulse along it, and write the change of spin."""
    torque[0], torque[1], torque[2] = r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]
    _inverse_inertia(body, inertia, torque, turned)
    gives = 1.0 / mass + torque[0] * turned[0] + torque[1] * turned[1] + torque[2] * turned[2]
    if v >= 0:
        along = d[0] * vehicles[v, COS] + d[1] * vehicles[v, SIN]
        gives += along * along / vehicles[v, MASS]
    return float(gives)


@compiled_internal
def _sliding(
    body: FloatArray, vehicles: FloatArray, lost: FloatArray, v: int, r: FloatArray, relative: FloatArray
) -> None:
    """Write the velocity of a point of the object relative to the vehicle, or to the ground."""
    wx, wy, wz = body[SPIN], body[SPIN + 1], body[SPIN + 2]
    relative[0] = body[VELOCITY] + wy * r[2] - wz * r[1]
    relative[1] = body[VELOCITY + 1] + wz * r[0] - wx * r[2]
    relative[2] = body[VELOCITY + 2] + wx * r[1] - wy * r[0]
    if v >= 0:
        c, s = vehicles[v, COS], vehicles[v, SIN]
        moved = (vehicles[v, X1] - vehicles[v, X0]) * c + (vehicles[v, Y1] - vehicles[v, Y0]) * s
        speed = moved / (STEPS * STEP) - lost[v]
        relative[0] -= speed * c
        relative[1] -= speed * s


@compiled_internal
def _push(
    body: FloatArray, mass: float, vehicles: FloatArray, lost: FloatArray, v: int, d: FloatArray, turned: FloatArray,
    impulse: float,
) -> None:  # fmt: skip
    """Apply an impulse along a direction to the object, and the opposite one to the vehicle."""
    for axis in range(3):
        body[VELOCITY + axis] += impulse * d[axis] / mass
        body[SPIN + axis] += impulse * turned[axis]
    if v >= 0:
        lost[v] += impulse * (d[0] * vehicles[v, COS] + d[1] * vehicles[v, SIN]) / vehicles[v, MASS]


@compiled_internal
def _solve(
    body: FloatArray, mass: float, inertia: FloatArray, vehicles: FloatArray, lost: FloatArray,
    contacts: FloatArray, who: IntArray, count: int, first: bool, work: FloatArray,
) -> None:  # fmt: skip
    """Apply the impulses of all contacts once; the first time, note how fast each one has to separate."""
    r, d, torque, turned, relative = work[0, :3], work[1, :3], work[2, :3], work[3, :3], work[4, :3]
    for k in range(count):
        v = who[k]
        for axis in range(3):
            r[axis] = contacts[k, axis] - body[POSITION + axis]
            d[axis] = contacts[k, 3 + axis]
        _sliding(body, vehicles, lost, v, r, relative)
        closing = relative[0] * d[0] + relative[1] * d[1] + relative[2] * d[2]
        if first:
            bounce = VEHICLE_BOUNCE if v >= 0 else GROUND_BOUNCE
            contacts[k, 9] = -bounce * closing if closing < -QUIET else 0.0
        before = contacts[k, 7]
        gives = _response(body, inertia, mass, vehicles, v, r, d, torque, turned)
        contacts[k, 7] = max(0.0, before + (contacts[k, 9] - closing) / gives)
        _push(body, mass, vehicles, lost, v, d, turned, contacts[k, 7] - before)
        # Friction against the sliding that is left.
        _sliding(body, vehicles, lost, v, r, relative)
        along = relative[0] * d[0] + relative[1] * d[1] + relative[2] * d[2]
        for axis in range(3):
            d[axis] = relative[axis] - along * d[axis]
        speed = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        room = (VEHICLE_FRICTION if v >= 0 else GROUND_FRICTION) * contacts[k, 7] - contacts[k, 8]
        if speed < SLOWEST or room <= 0.0:
            continue
        for axis in range(3):
            d[axis] /= speed
        impulse = min(speed / _response(body, inertia, mass, vehicles, v, r, d, torque, turned), room)
        contacts[k, 8] += impulse
        _push(body, mass, vehicles, lost, v, d, turned, -impulse)


@compiled_internal
def _separate(body: FloatArray, contacts: FloatArray, count: int) -> None:
    """Move a body out of what it is in; its velocity does not change."""
    for axis in range(3):
        up, down = 0.0, 0.0
        for k in range(count):
            push = min(SHARE * max(0.0, contacts[k, 6] - SLOP), PUSH) * contacts[k, 3 + axis]
            up, down = max(up, push), min(down, push)
        body[POSITION + axis] += up + down


@compiled_internal
def _limit_spin(body: FloatArray, grounded: bool) -> None:
    spin = math.sqrt(body[SPIN] * body[SPIN] + body[SPIN + 1] * body[SPIN + 1] + body[SPIN + 2] * body[SPIN + 2])
    kept = min(1.0, FASTEST_SPIN / max(spin, 1e-9))
    if grounded:
        kept *= 1.0 - ROLLING_LOSS * STEP
    for axis in range(3):
        body[SPIN + axis] *= kept


@compiled
def move_object(
    body: FloatArray,
    points: FloatArray,
    box: FloatArray,
    mass: float,
    inertia: FloatArray,
    area: float,
    ground: FloatArray,
    vehicles: FloatArray,
    lost: FloatArray,
    lag: FloatArray,
    touched: IntArray,
) -> None:
    """Move an object by one tick among vehicles that move on their ways.

    Args:
        body: (18,): position of its centre of mass, velocity, spin, and the matrix from own axes to the world; changed.
        points: (k, 3): corners of the object, from its centre, in its own axes.
        box: (2, 3): lowest and highest corner of its bounding box, from its centre.
        mass: Mass, kg.
        inertia: (3,): moments of inertia about its own axes, kg m².
        area: Area against the air, m².
        ground: (k,): height of the ground below each corner, m.
        vehicles: (n, 10): vehicles, see `X0` to `MASS`.
        lost: (n,): speed that each vehicle loses, m/s; written.
        lag: (n,): by how much each vehicle gets less far, m; written.
        touched: (n,): number of steps in which each vehicle touches the object; written.
    """
    contacts, who = np.zeros((MOST_CONTACTS, 10)), np.zeros(MOST_CONTACTS, np.int64)
    work, at = np.zeros((5, 4)), np.zeros(2)
    lost[:] = 0.0
    lag[:] = 0.0
    touched[:] = 0
    for step in range(STEPS):
        _fly(body, mass, area)
        count = _on_ground(body, points, ground, contacts, who, work[0, :3], work[1, :3])
        grounded = count > 0
        for v in range(vehicles.shape[0]):
            lag[v] += lost[v] * STEP
            share = (step + 1.0) / STEPS
            at[0] = vehicles[v, X0] + share * (vehicles[v, X1] - vehicles[v, X0]) - lag[v] * vehicles[v, COS]
            at[1] = vehicles[v, Y0] + share * (vehicles[v, Y1] - vehicles[v, Y0]) - lag[v] * vehicles[v, SIN]
            before = count
            count = _on_vehicle(body, points, box, vehicles[v], at, contacts, who, count, v, work)
            touched[v] += count > before
        for k in range(ROUNDS if count else 0):
            _solve(body, mass, inertia, vehicles, lost, contacts, who, count, k == 0, work)
        _separate(body, contacts, count)
        _limit_spin(body, grounded)
