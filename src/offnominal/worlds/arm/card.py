"""Names, limits and reference returns of the arm worlds, and the task geometry that controllers need to know.

Lengths are in metres, in the frame of the table: the robot stands at the origin, y points from it to the table.
"""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, GoalTerms, PhysicsParameter, TrainingPresets, WorldCard

STEP = 0.004
"""Displacement of the target that an action of 1 asks for."""
ROBOT_STEP = 0.009
"""The same in URR-Reach-v0."""
MAX_STEP = 0.01
"""Largest displacement of the target per axis and control period."""
TARGET_LOW, TARGET_HIGH = (-0.3, 0.2, 0.05), (0.2, 0.4, 0.25)
"""Box that the target of the gripper stays in."""
GOAL_LOW, GOAL_HIGH = (-0.25, 0.25, 0.1), (0.15, 0.35, 0.2)
"""Box that goals are drawn from."""
GOAL_PERIOD = 50
"""Control periods after which URM-Reach-v0 draws a new goal."""
GOAL_QUATERNION = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)
"""Constant orientation of the goal in the observation."""
SUCCESS_DISTANCE = 0.02
BASE_HEIGHT = 0.025
"""Height of the robot's base, and of the table top."""
TOOL = 0.15
"""Distance from the flange to the middle of the finger pads, the tool centre point (TCP)."""
FINGER_TIP = 0.012
"""Distance from the TCP to the finger tips."""
OPEN_WIDTH, CLOSED_WIDTH = 0.084, 0.01
"""Distance between the finger pads."""
CLOSED_TRAVEL = 0.5 * (OPEN_WIDTH - CLOSED_WIDTH)
"""Travel of each finger from open to closed."""
BLOCK_LOW, BLOCK_HIGH = (-0.15, 0.2), (0.15, 0.4)
"""Rectangle that the block's first position is drawn from."""
BLOCK_HALF = 0.03
"""Half the side of the block."""

MOST_FRICTION = 36.0
"""Viscous friction with which a wrist's 12 N m just reach the joint speed of the task, 0.1 m/s at 0.3 m."""


def _moving_goal(step: float) -> PhysicsParameter:
    """Return the parameter of a goal that moves, for the displacement that an action of 1 asks for."""
    return PhysicsParameter(
        "moving_goal",
        0.0,
        "distance that the goal moves along x per control period, back and forth in its box",
        "m",
        minimum=0.0,
        typical=0.004,
        plausible=(0.0, step),
        range_of="displacement that an action of 1 asks for, or the gripper could never follow",
    )


_ARM_PARAMETERS = (
    PhysicsParameter(
        "robot_speed",
        MAX_STEP,
        "largest displacement per axis and control period; actions within their limits ask for 0.004 m at most",
        "m",
        minimum=0.0,
        combine="multiply",
        typical=0.001,
        plausible=(0.0, MAX_STEP),
        range_of="from a robot that stands to the nominal limit",
    ),
    _moving_goal(STEP),
    PhysicsParameter(
        "robot_friction",
        0.0,
        "viscous friction added to every joint of the arm",
        "N m s/rad",
        minimum=0.0,
        typical=100.0,
        plausible=(0.0, MOST_FRICTION),
        range_of="full torque of a wrist at the joint speed of the task",
    ),
    PhysicsParameter(
        "payload",
        0.0,
        "mass at the gripper that the arm does not compensate for",
        "kg",
        minimum=0.0,
        typical=5.0,
        plausible=(0.0, 3.0),
        range_of="rated payload of the UR3",
    ),
)


def _position(name: str) -> tuple[Channel, ...]:
    ends = zip("xyz", TARGET_LOW, TARGET_HIGH, strict=True)
    return tuple(Channel(f"{name} {axis}", "m", low, high, "box that the gripper stays in") for axis, low, high in ends)


def _quaternion(name: str) -> tuple[Channel, ...]:
    return tuple(Channel(f"{name} quaternion {part}", "1", -1.0, 1.0, "a unit quaternion") for part in "wxyz")


def _displacements(size: str) -> tuple[Channel, ...]:
    return tuple(Channel(f"displacement {axis}", size, -1.0, 1.0, "largest displacement") for axis in "xyz")


MAX_SPEED = MAX_STEP / 0.04
_TCP = (
    *_position("gripper"),
    *(Channel(f"gripper velocity {axis}", "m/s", -MAX_SPEED, MAX_SPEED, "largest displacement") for axis in "xyz"),
)
_GOAL = (*_position("goal"), *_quaternion("goal"))
_GRIPPER = Channel("gripper", "1 open, -1 closed", -1.0, 1.0, "open to closed")
_ACTION = (*_displacements("4 mm"), _GRIPPER)


def _training(reward_scale: float, cloning_weight: float, *, steps: int) -> TrainingPresets:
    """Return the presets of a world of the arm; `steps` are those of a population."""
    return TrainingPresets(
        policy={
            "steps": 2_000_000,
            "discount": 0.98,
            "reward_scale": reward_scale,
            "critic_layer_norm": True,
            "standardize_observations": True,
            "actor_polyak": 0.005,
            "target_entropy": -2.0,
            "demonstrator": "scripted",
            "cloning_weight": cloning_weight,
        },
        published={
            "batch_size": 512,
            "hidden": (512, 512, 512),
            "critic_hidden": (512, 512, 512),
            "learning_rate": 5e-3,
            "anneal_learning_rate": True,
            "discount": 0.98,
            "learning_starts": 1_000,
        },
        # With the published rate of 5e-3, a first trial of 35,000 transitions per seed did not learn.
        population={
            "steps": steps,
            "batch_size": 256,
            "hidden": (256, 256),
            "critic_hidden": (256, 256),
            "learning_rate": 1e-3,
            "standardize_observations": True,
        },
    )


REACH = WorldCard(
    id="URM-Reach-v0",
    summary="bring the gripper of a UR3 arm to one goal after the other",
    dt=0.04,
    max_steps=200,
    expert_length=200,
    expert_return=-143.98,
    random_return=-248.341,
    observation=(*_TCP, *_GOAL),
    action=_ACTION,
    physics_parameters=_ARM_PARAMETERS,
    target="offnominal.worlds.arm.reach:Reach",
    tags=("camera", "threads"),
    scripted_expert=Spec("StraightLine", "offnominal.worlds.arm.straight_line:StraightLine"),
    training=_training(1.0, 50.0, steps=3_000_000),
    goal=GoalTerms(goal=6, achieved=0, tolerance=SUCCESS_DISTANCE, miss=1.0),
    page="urm-reach",
)

ROBOT_REACH = WorldCard(
    id="URR-Reach-v0",
    summary="the task of URM-Reach on a UR3 behind the protocol of its controller, virtual or real",
    dt=0.04,
    max_steps=200,
    expert_length=200,
    expert_return=-150.976,
    random_return=-244.91,
    observation=(*_TCP, *_GOAL),
    action=(*_displacements("9 mm"), _GRIPPER),
    physics_parameters=(
        PhysicsParameter(
            "control_latency",
            0.005,
            "delay until the controller follows a servo target; at most 1 s",
            "s",
            minimum=0.001,
            typical=0.1,
            plausible=(0.001, 1.0),
            range_of="longest delay that the controller accepts",
        ),
        PhysicsParameter(
            "control_smoothing",
            0.06,
            "lookahead time with which the controller smooths servo targets; at most 0.2 s",
            "s",
            minimum=0.03,
            typical=0.17,
            plausible=(0.03, 0.2),
            range_of="lookahead times that the controller accepts",
        ),
        _moving_goal(ROBOT_STEP),
    ),
    target="offnominal.worlds.arm.robot_reach:RobotReach",
    tags=("camera", "threads"),
    scripted_expert=Spec("StraightLine", "offnominal.worlds.arm.straight_line:StraightLine"),
    training=_training(1.0, 50.0, steps=2_000_000),
    page="urr-reach",
)

PICK_AND_PLACE = WorldCard(
    id="URM-PnP-v0",
    summary="pick a block up with a UR3 arm and carry it to a goal",
    dt=0.04,
    max_steps=200,
    expert_length=200,
    expert_return=-4.931,
    random_return=-71.088,
    observation=(
        *_position("block"),
        *_quaternion("block"),
        *_TCP,
        *_GOAL,
        Channel("gripper opening", "1 open, -1 closed", -1.0, 1.0, "open to closed"),
    ),
    action=_ACTION,
    physics_parameters=(
        *_ARM_PARAMETERS,
        PhysicsParameter(
            "grip_loss",
            0.0,
            "part of the gripper's force that is lost; 1 for all of it",
            "1",
            minimum=0.0,
            typical=0.9,
            plausible=(0.0, 1.0),
            range_of="a part, at most all of it",
        ),
    ),
    target="offnominal.worlds.arm.pick_and_place:PickAndPlace",
    tags=("camera", "threads"),
    scripted_expert=Spec("PickAndCarry", "offnominal.worlds.arm.pick_and_carry:PickAndCarry"),
    training=_training(10.0, 100.0, steps=2_000_000),
    goal=GoalTerms(goal=13, achieved=0),
    page="urm-pnp",
)

CARDS = {card.id: card for card in (REACH, PICK_AND_PLACE, ROBOT_REACH)}
