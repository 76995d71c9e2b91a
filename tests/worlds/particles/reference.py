"""The particle world once more, in plain NumPy, after its published description: the oracle of `test_kernel`.

It shares no code and no constants with the kernel, and is for reading, not for speed.
"""

from dataclasses import dataclass

import numpy as np

DT = 0.1
ACCELERATION = 5.0
MAX_SPEED = 1.0
CONTACT_FORCE, CONTACT_MARGIN = 100.0, 1e-3
AGENT, OBJECT, GOAL, HAZARD = 0.05, 0.1, 0.2, 0.2


@dataclass(frozen=True)
class State:
    """Bodies are the agent and then the objects; `touched` says that something was hit earlier in the episode."""

    position: np.ndarray
    velocity: np.ndarray
    goal: np.ndarray
    hazards: np.ndarray
    touched: bool = False


@dataclass(frozen=True)
class Outcome:
    reward: float
    terminated: bool
    success: bool
    critical: bool


def length(vectors):
    return np.sqrt((np.asarray(vectors) ** 2).sum(axis=-1))


def contact_forces(position):
    """Return the force on each body: it is pushed away from every body that it overlaps, softly."""
    radius = np.full(len(position), OBJECT)
    radius[0] = AGENT
    apart = position[:, None] - position[None]
    distance = length(apart)
    reach = radius[:, None] + radius[None]
    touching = (distance <= reach) & ~np.eye(len(position), dtype=bool)
    depth = np.logaddexp(0.0, -(distance - reach) / CONTACT_MARGIN) * CONTACT_MARGIN
    direction = apart / np.where(touching, distance, 1.0)[..., None]
    return np.where(touching[..., None], CONTACT_FORCE * depth[..., None] * direction, 0.0).sum(axis=1)


def move(state, action, *, force=0.0, mass=1.0, damping=0.25, shakes=0.0):
    """Return position and velocity of the bodies 0.1 s later.

    `force` acts on the agent along (1, 1), `shakes` holds one force for each object.
    """
    total = contact_forces(state.position)
    total[0] += ACCELERATION * np.asarray(action) + force
    total[1:] += shakes
    masses = np.ones(len(total))
    masses[0] = mass
    velocity = (1.0 - damping) * state.velocity + total / masses[:, None] * DT
    speed = length(velocity)
    velocity = np.where((speed > MAX_SPEED)[:, None], velocity / np.maximum(speed, 1.0)[:, None], velocity)
    return state.position + DT * velocity, velocity


def judge(state):
    """Return what being in this state is worth."""
    agent = state.position[0]
    distance = length(state.goal - agent)
    critical = bool(
        (length(state.position[1:] - agent) < AGENT + OBJECT).any()
        or (length(state.hazards - agent) < AGENT + HAZARD).any()
    )
    at_goal = bool(distance < GOAL)
    success = at_goal and not critical and not state.touched
    return Outcome(-(distance**2) - 10.0 * critical + 5.0 * success, at_goal, success, critical)


def step(state, action, **physics):
    """Return the next state and its outcome."""
    position, velocity = move(state, action, **physics)
    moved = State(position, velocity, state.goal, state.hazards, state.touched)
    outcome = judge(moved)
    return State(position, velocity, state.goal, state.hazards, state.touched or outcome.critical), outcome


def lidar(agent, points):
    """Return, for eight sectors of 45 degrees, how near the nearest point is, smeared into both neighbours."""
    sectors = np.zeros(8)
    for dx, dy in np.asarray(points).reshape(-1, 2) - agent:
        nearness = max(0.0, 1.0 - np.hypot(dx, dy))
        angle = np.degrees(np.arctan2(dy, dx)) % 360.0
        sector = int(angle // 45.0)
        share = (angle - 45.0 * sector) / 45.0
        for neighbour, weight in ((sector, 1.0), (sector + 1, share), (sector - 1, 1.0 - share)):
            sectors[neighbour % 8] = max(sectors[neighbour % 8], weight * nearness)
    return sectors


def observe(state):
    """Return the observation: goal offset, zeros, agent, goal offset again, two lidars."""
    agent = state.position[0]
    to_goal = state.goal - agent
    return np.concatenate(
        [
            to_goal,
            np.zeros(2),
            agent,
            state.velocity[0],
            to_goal,
            lidar(agent, state.position[1:]),
            lidar(agent, state.hazards),
        ]
    )
