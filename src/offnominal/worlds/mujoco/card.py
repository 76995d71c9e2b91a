"""Names, limits and reference returns of the MuJoCo worlds."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, PhysicsParameter, TrainingPresets, WorldCard


def _physics_parameters(force: str) -> tuple[PhysicsParameter, ...]:
    return (
        PhysicsParameter(
            "mass",
            1.0,
            "factor on the mass and the inertia of every body",
            "1",
            minimum=1e-6,
            combine="multiply",
        ),
        PhysicsParameter("force", 0.0, f"constant external force {force}", "N"),
        PhysicsParameter("friction", 0.0, "dry friction added to every joint of the robot", "N or N m", minimum=0.0),
    )


_ARM = (
    "shoulder pan",
    "shoulder lift",
    "upper arm roll",
    "elbow",
    "forearm roll",
    "wrist flex",
    "wrist roll",
)
_LEGS = ("back thigh", "back shin", "back foot", "front thigh", "front shin", "front foot")

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
                Channel("cart position", "m"),
                Channel("pole angle from hanging", "rad"),
                Channel("cart velocity", "m/s"),
                Channel("pole angular velocity", "rad/s"),
            ),
            action=(Channel("cart force", "100 N"),),
            physics_parameters=_physics_parameters("on the pole against x"),
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
                *(Channel(f"{joint} angle", "rad") for joint in _ARM),
                *(Channel(f"goal {axis}", "m") for axis in "xyz"),
                *(Channel(f"{joint} velocity", "rad/s") for joint in _ARM),
            ),
            action=tuple(Channel(f"{joint} torque", "N m") for joint in _ARM),
            physics_parameters=_physics_parameters("on the forearm downwards"),
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
                Channel("forward speed over the step", "m/s"),
                Channel("torso height", "m"),
                Channel("torso pitch", "rad"),
                *(Channel(f"{joint} angle", "rad") for joint in _LEGS),
                Channel("forward velocity", "m/s"),
                Channel("vertical velocity", "m/s"),
                Channel("pitch velocity", "rad/s"),
                *(Channel(f"{joint} velocity", "rad/s") for joint in _LEGS),
            ),
            action=tuple(
                Channel(f"{joint} torque", f"{gear} N m")
                for joint, gear in zip(_LEGS, (120, 90, 60, 120, 60, 30), strict=True)
            ),
            physics_parameters=_physics_parameters("on the front foot against x"),
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
