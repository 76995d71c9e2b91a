"""Names, limits and reference returns of the MuJoCo worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import pi

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, PhysicsParameter, TrainingPresets, WorldCard


def _physics_parameters(
    force: str, most_force: tuple[float, str], most_friction: tuple[float, str]
) -> tuple[PhysicsParameter, ...]:
    """Return the physics parameters of a robot.

    Args:
        force: Where the external force acts.
        most_force: Largest plausible force, and why.
        most_friction: Largest plausible dry friction, and why.
    """
    return (
        PhysicsParameter(
            "mass",
            1.0,
            "factor on the mass and the inertia of every body",
            "1",
            minimum=1e-6,
            combine="multiply",
            plausible=(0.1, 10.0),
            range_of="ten times its own mass, more than a robot carries",
        ),
        PhysicsParameter(
            "force",
            0.0,
            f"constant external force {force}",
            "N",
            plausible=(-most_force[0], most_force[0]),
            range_of=most_force[1],
        ),
        PhysicsParameter(
            "friction",
            0.0,
            "dry friction added to every joint of the robot",
            "N or N m",
            minimum=0.0,
            plausible=(0.0, most_friction[0]),
            range_of=most_friction[1],
        ),
    )


_ARM = {
    "shoulder pan": (-2.2854, 1.714602),
    "shoulder lift": (-0.5236, 1.3963),
    "upper arm roll": (-3.9, 0.8),
    "elbow": (-2.3213, 0.0),
    "forearm roll": (-pi, pi),
    "wrist flex": (-2.094, 0.0),
    "wrist roll": (-pi, pi),
}
"""Joints of the arm and the ends of their travel; a turn for those without."""
_LEGS = {
    "back thigh": (-0.52, 1.05),
    "back shin": (-0.785, 0.785),
    "back foot": (-0.4, 0.785),
    "front thigh": (-1.0, 0.7),
    "front shin": (-1.2, 0.87),
    "front foot": (-0.5, 0.5),
}
"""Joints of the legs and the ends of their travel."""
_STOPS = "end stops of the joint"


def _angles(joints: Mapping[str, tuple[float, float]]) -> tuple[Channel, ...]:
    return tuple(Channel(f"{joint} angle", "rad", *ends, _STOPS) for joint, ends in joints.items())


def _velocities(joints: Iterable[str], most: float, why: str) -> tuple[Channel, ...]:
    return tuple(Channel(f"{joint} velocity", "rad/s", -most, most, why) for joint in joints)


_WITH_DEMONSTRATIONS = {
    "steps": 2_500_000,
    "n_envs": 256,
    "gradient_steps": 64,
    "batch_size": 1024,
    "discount": 0.995,
    "learning_rate": 5e-4,
    "buffer_size": 2_000_000,
    "n_dropped_quantiles": 0,
    "target_entropy": -3.0,
    "demonstrator": "scripted",
    "n_demonstrations": 1_500,
}
_PUBLISHED = {
    "steps": 1_000_000,
    "batch_size": 512,
    "hidden": (512, 512, 512),
    "critic_hidden": (512, 512, 512),
    "learning_rate": 1e-3,
    "anneal_learning_rate": True,
    "discount": 0.98,
    "learning_starts": 1_000,
}

CARDS = {
    card.id: card
    for card in (
        WorldCard(
            id="MJC-CartpoleSwingup-v0",
            summary="swing a pole up and balance it",
            dt=0.04,
            max_steps=200,
            expert_length=200,
            expert_return=182.664,
            random_return=-4.111,
            observation=(
                Channel("cart position", "m", -2.5, 2.5, "length of the rail"),
                Channel("pole angle from hanging", "rad", -2.0 * pi, 2.0 * pi, "a turn to either side"),
                Channel("cart velocity", "m/s", -10.0, 10.0, "full force along half the rail"),
                Channel("pole angular velocity", "rad/s", -20.0, 20.0, "twice that of a swing-up"),
            ),
            action=(Channel("cart force", "100 N", -3.0, 3.0, "full force of the motor"),),
            physics_parameters=_physics_parameters(
                "on the pole against x",
                (900.0, "three times the motor's force of 300 N"),
                (15.0, "it holds the pole of 5 kg still in every position"),
            ),
            target="offnominal.worlds.mujoco.cartpole:CartpoleSwingup",
            tags=("camera",),
            scripted_expert=Spec("SwingUp", "offnominal.worlds.mujoco.swing_up:SwingUp"),
            training=TrainingPresets(policy=_WITH_DEMONSTRATIONS, published=_PUBLISHED, population={"steps": 500_000}),
            page="cartpole-swingup",
        ),
        WorldCard(
            id="MJC-Reacher3D-v0",
            summary="bring the hand of a 7-joint arm to a point",
            dt=0.02,
            max_steps=200,
            expert_length=200,
            expert_return=-55.806,
            random_return=-224.855,
            observation=(
                *_angles(_ARM),
                *(Channel(f"goal {axis}", "m", -1.0, 1.0, "reach of the arm") for axis in "xyz"),
                *_velocities(_ARM, 10.0, "full torque against the damping of a wrist"),
            ),
            action=tuple(Channel(f"{joint} torque", "N m", -1.0, 1.0, "full torque of the motor") for joint in _ARM),
            physics_parameters=_physics_parameters(
                "on the forearm downwards",
                (4.5, "three times what the shoulder's torque of 1 N m holds at the middle of the forearm"),
                (1.0, "full torque of a motor, beyond which its joint is stuck"),
            ),
            target="offnominal.worlds.mujoco.reacher:Reacher3D",
            tags=("camera", "threads"),
            scripted_expert=Spec(
                "DampedLeastSquares", "offnominal.worlds.mujoco.damped_least_squares:DampedLeastSquares"
            ),
            training=TrainingPresets(
                policy={
                    **_WITH_DEMONSTRATIONS,
                    "steps": 1_000_000,
                    "discount": 0.99,
                    "learning_rate": 3e-4,
                    "target_entropy": -2.0,
                    "n_demonstrations": 3_000,
                },
                fine_tuning={
                    "episodes": 64,
                    "learning_rate": 3e-4,
                    "gradient_interval": 10,
                    "max_state_gradient": 1000.0,
                },
                # Those of the released agent; Table 10 has others.
                published={"steps": 1_000_000},
                population={"steps": 2_000_000},
            ),
            page="reacher3d",
        ),
        WorldCard(
            id="MJC-HalfCheetah-v0",
            summary="run forward with a planar two-legged body",
            dt=0.05,
            max_steps=200,
            expert_length=200,
            expert_return=2618.671,
            random_return=-56.528,
            observation=(
                Channel("forward speed over the step", "m/s", -20.0, 20.0, "top speed"),
                Channel("torso height", "m", -0.7, 0.7, "floor to twice the standing height"),
                Channel("torso pitch", "rad", -pi, pi, "a turn"),
                *_angles(_LEGS),
                Channel("forward velocity", "m/s", -20.0, 20.0, "top speed"),
                Channel("vertical velocity", "m/s", -5.0, 5.0, "fall from 1.3 m"),
                Channel("pitch velocity", "rad/s", -10.0, 10.0, "twice that of a gallop"),
                *_velocities(_LEGS, 30.0, "that of the legs at top speed"),
            ),
            action=tuple(
                Channel(f"{joint} torque", f"{gear} N m", -1.0, 1.0, "full torque of the motor")
                for joint, gear in zip(_LEGS, (120, 90, 60, 120, 60, 30), strict=True)
            ),
            physics_parameters=_physics_parameters(
                "on the front foot against x",
                (165.0, "three times the grip of the feet, 0.4 of the weight of 14 kg"),
                (30.0, "full torque of the weakest motor, beyond which its joint is stuck"),
            ),
            target="offnominal.worlds.mujoco.cheetah:HalfCheetah",
            tags=("camera", "threads"),
            scripted_expert=Spec("Gait", "offnominal.worlds.mujoco.gait:Gait"),
            training=TrainingPresets(
                policy={
                    "steps": 9_000_000,
                    "n_envs": 512,
                    "gradient_steps": 64,
                    "critic_hidden": (512, 512, 512),
                    "learning_rate": 4e-4,
                    "learning_starts": 10_000,
                    "buffer_size": 4_000_000,
                    "n_dropped_quantiles": 0,
                    "n_demonstrations": 2_000,
                },
                published=_PUBLISHED,
                population={"steps": 2_000_000},
            ),
            page="half-cheetah",
        ),
    )
}
