"""Compiled physics of the cart and its pole, equal to MuJoCo's for ``models/cartpole_swingup.xml``.

Positions are those of MuJoCo's joints: the cart's x and the pole's angle from hanging, positive when the tip is at
negative x. Dry friction and the rail's ends are MuJoCo's soft constraints. Their forces depend on the resulting
acceleration. The equation is piecewise linear and monotone, so its unique solution is computed exactly, without
iterations. `tests/worlds/mujoco/test_cartpole_kernel.py` compares every constant with the compiled model.
"""

from __future__ import annotations

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import exp, sincos
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.world import Outcomes

TIMESTEP = 0.02
FRAME_SKIP = 2
GRAVITY = 9.81
GEAR = 100.0
MAX_ACTION = 3.0
JOINT_DAMPING = 1.0
RAIL_END = 2.5

CART_MASS = 10.47197551196598
POLE_MASS = 5.018591641363306
POLE_INERTIA = 0.1887497668730885
POLE_CENTRE_X = 0.0005
POLE_CENTRE_Z = -0.3
TOTAL_MASS = CART_MASS + POLE_MASS
HINGE_INERTIA = POLE_INERTIA + POLE_MASS * (POLE_CENTRE_X * POLE_CENTRE_X + POLE_CENTRE_Z * POLE_CENTRE_Z)

# Acceleration of each joint per unit of force at the initial position; constraints are as stiff as it is small.
SLIDER_INVERSE_WEIGHT = 0.08367433805859587
HINGE_INVERSE_WEIGHT = 2.023912919848819
# Twice the time step: MuJoCo's default of 0.02 s would be too stiff for it.
TIME_CONSTANT = 0.04
IMPEDANCE_MIN = 0.9
IMPEDANCE_MAX = 0.95
IMPEDANCE_WIDTH = 0.001
REFERENCE_DAMPING = 2.0 / (IMPEDANCE_MAX * TIME_CONSTANT)
REFERENCE_STIFFNESS = 1.0 / (IMPEDANCE_MAX * IMPEDANCE_MAX * TIME_CONSTANT * TIME_CONSTANT)
SLIDER_GRIP = IMPEDANCE_MIN / ((1.0 - IMPEDANCE_MIN) * SLIDER_INVERSE_WEIGHT)
HINGE_GRIP = IMPEDANCE_MIN / ((1.0 - IMPEDANCE_MIN) * HINGE_INVERSE_WEIGHT)
MAX_VALUE = 1e10

POLE_LENGTH = 0.6
CONTROL_COST = 0.01
SUCCESS_DISTANCE = 0.025


@compiled
def _impedance(depth: float) -> float:
    """Return the impedance of a rail end that the cart has entered by `depth`."""
    part = depth / IMPEDANCE_WIDTH
    if part >= 1.0:
        return IMPEDANCE_MAX
    rise = 2.0 * part * part if part <= 0.5 else 1.0 - 2.0 * (1.0 - part) * (1.0 - part)
    return IMPEDANCE_MIN + rise * (IMPEDANCE_MAX - IMPEDANCE_MIN)


@compiled
def _rail_end(x: float, v: float, mass: float) -> tuple[float, float, float]:
    """Return the end of the rail that the cart touches, as (side, target, stiffness).

    The end pulls towards the acceleration `target` with a force of `stiffness` per unit of acceleration, and only in
    the direction `side`, away from itself; 0 where there is no end.
    """
    if -RAIL_END <= x <= RAIL_END:
        return 0.0, 0.0, 0.0
    side = 1.0 if x < 0.0 else -1.0
    depth = -side * x - RAIL_END
    impedance = _impedance(depth)
    target = side * REFERENCE_STIFFNESS * impedance * depth - REFERENCE_DAMPING * v
    return side, target, mass * impedance / ((1.0 - impedance) * SLIDER_INVERSE_WEIGHT)


@compiled
def _end_force(a: float, side: float, target: float, stiffness: float) -> float:
    return stiffness * (target - a) if side * (target - a) > 0.0 else 0.0


@compiled
def _slide(
    inertia: float,
    force: float,
    friction: float,
    rest: float,
    grip: float,
    side: float,
    target: float,
    stiffness: float,
) -> float:
    """Return the acceleration a of the cart: inertia * a = force + dry friction(a) + force of the rail's end(a).

    Dry friction is grip * (rest - a), but never more than `friction` either way.
    """
    if friction > 0.0:
        slip = friction / grip
        low, high = rest - slip, rest + slip
        if inertia * low >= force + friction + _end_force(low, side, target, stiffness):
            force += friction
        elif inertia * high <= force - friction + _end_force(high, side, target, stiffness):
            force -= friction
        else:
            force += grip * rest
            inertia += grip
    a = force / inertia
    if side * (target - a) > 0.0:
        return (force + stiffness * target) / (inertia + stiffness)
    return a


@compiled
def _accelerations(
    x: float, angle: float, v: float, w: float, drive: float, push: float, mass: float, friction: float
) -> tuple[float, float]:
    """Return the accelerations of the cart and of the pole.

    Args:
        x: Position of the cart.
        angle: Angle of the pole.
        v: Velocity of the cart.
        w: Angular velocity of the pole.
        drive: Force of the motor on the cart.
        push: External force along x on the pole's centre of mass.
        mass: Factor on all masses and inertias.
        friction: Dry friction of both joints.
    """
    sine, cosine = sincos(angle)
    along = POLE_CENTRE_X * cosine + POLE_CENTRE_Z * sine
    up = POLE_CENTRE_Z * cosine - POLE_CENTRE_X * sine
    pole = mass * POLE_MASS
    inertia, coupling, hinge = mass * TOTAL_MASS, pole * up, mass * HINGE_INERTIA
    force = drive + push - JOINT_DAMPING * v + pole * along * w * w
    torque = push * up - JOINT_DAMPING * w + pole * along * GRAVITY

    side, target, stiffness = _rail_end(x, v, mass)
    rest, grip = -REFERENCE_DAMPING * v, mass * SLIDER_GRIP
    if friction > 0.0:
        # Which branch of its friction the hinge is on follows from the balance at both ends of the sticking one.
        hinge_rest, hinge_grip = -REFERENCE_DAMPING * w, mass * HINGE_GRIP
        slip = friction / hinge_grip
        low, high = hinge_rest - slip, hinge_rest + slip
        a_low = _slide(inertia, force - coupling * low, friction, rest, grip, side, target, stiffness)
        if coupling * a_low + hinge * low >= torque + friction:
            torque += friction
        else:
            a_high = _slide(inertia, force - coupling * high, friction, rest, grip, side, target, stiffness)
            if coupling * a_high + hinge * high <= torque - friction:
                torque -= friction
            else:
                torque += hinge_grip * hinge_rest
                hinge += hinge_grip
    ratio = coupling / hinge
    a = _slide(inertia - ratio * coupling, force - ratio * torque, friction, rest, grip, side, target, stiffness)
    return a, (torque - coupling * a) / hinge


@compiled
def _bad(value: float) -> bool:
    """Return whether MuJoCo treats a value as diverged, such as NaN."""
    return not abs(value) <= MAX_VALUE


@compiled
def _substep(
    x0: float, angle0: float, v0: float, w0: float, drive: float, push: float, mass: float, friction: float
) -> tuple[float, float, float, float, bool]:
    """Return position, angle and velocities after one Runge-Kutta step of order 4, and whether they are valid."""
    half, sixth = 0.5 * TIMESTEP, TIMESTEP / 6.0
    a0, b0 = _accelerations(x0, angle0, v0, w0, drive, push, mass, friction)
    v1, w1 = v0 + half * a0, w0 + half * b0
    a1, b1 = _accelerations(x0 + half * v0, angle0 + half * w0, v1, w1, drive, push, mass, friction)
    v2, w2 = v0 + half * a1, w0 + half * b1
    a2, b2 = _accelerations(x0 + half * v1, angle0 + half * w1, v2, w2, drive, push, mass, friction)
    v3, w3 = v0 + TIMESTEP * a2, w0 + TIMESTEP * b2
    a3, b3 = _accelerations(x0 + TIMESTEP * v2, angle0 + TIMESTEP * w2, v3, w3, drive, push, mass, friction)
    x = x0 + sixth * (v0 + 2.0 * (v1 + v2) + v3)
    angle = angle0 + sixth * (w0 + 2.0 * (w1 + w2) + w3)
    v = v0 + sixth * (a0 + 2.0 * (a1 + a2) + a3)
    w = w0 + sixth * (b0 + 2.0 * (b1 + b2) + b3)
    return x, angle, v, w, not (_bad(a0) or _bad(b0) or _bad(x) or _bad(angle) or _bad(v) or _bad(w))


@compiled
def _limited(action: float) -> float:
    """Return an action within the motor's limits; NaN stays NaN."""
    if action > MAX_ACTION:
        return MAX_ACTION
    return -MAX_ACTION if action < -MAX_ACTION else action


@compiled
def step_rows(
    rows: IntArray,
    actions: FloatArray,
    charge_request: bool,
    physics_parameters: FloatArray,
    ticks: IntArray,
    qpos: FloatArray,
    qvel: FloatArray,
    outcomes: Outcomes,
) -> int:
    """Advance rows by one transition; return the first row that diverged, or -1.

    `physics_parameters` has, per row: factor on the mass, force on the pole against x, dry friction of both joints.
    """
    diverged = -1
    for i in range(rows.shape[0]):
        r = rows[i]
        mass, push, friction = physics_parameters[r, 0], -physics_parameters[r, 1], physics_parameters[r, 2]
        action = _limited(actions[r, 0])
        x, angle, v, w = qpos[r, 0], qpos[r, 1], qvel[r, 0], qvel[r, 1]
        good = True
        for _ in range(FRAME_SKIP):
            x, angle, v, w, good = _substep(x, angle, v, w, GEAR * action, push, mass, friction)
            if not good:
                break
        qpos[r, 0], qpos[r, 1], qvel[r, 0], qvel[r, 1] = x, angle, v, w
        if not good:
            if diverged < 0:
                diverged = r
            continue
        ticks[r] += 1

        sine, cosine = sincos(angle)
        dx, dz = x - POLE_LENGTH * sine, -POLE_LENGTH * cosine - POLE_LENGTH
        square = dx * dx + dz * dz
        charged = actions[r, 0] if charge_request else action
        outcomes.rewards[r] = exp(-square / (POLE_LENGTH * POLE_LENGTH)) - CONTROL_COST * charged * charged
        outcomes.success[r] = square < SUCCESS_DISTANCE * SUCCESS_DISTANCE
        outcomes.critical[r] = abs(x) >= RAIL_END
        outcomes.cost[r] = 1.0 if outcomes.critical[r] else 0.0
        observations = outcomes.observations
        observations[r, 0], observations[r, 1], observations[r, 2], observations[r, 3] = x, angle, v, w
    return diverged
