"""Names, limits and physics parameters of the classic worlds.

The value of a physics parameter is the constant itself, not a factor on it.
"""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, PhysicsParameter, TrainingPresets, WorldCard

TINY = 1e-6


def _constant(
    name: str, neutral: float, summary: str, unit: str, minimum: float = TINY, typical: float | None = None
) -> PhysicsParameter:
    return PhysicsParameter(name, neutral, summary, unit, minimum=minimum, combine="multiply", typical=typical)


CARTPOLE = WorldCard(
    id="OOD-CartPole-v0",
    summary="keep a pole upright by pushing its cart left or right",
    dt=0.02,
    max_steps=200,
    expert_length=200,
    observation=(
        Channel("cart position", "m"),
        Channel("cart velocity", "m/s"),
        Channel("pole angle from upright", "rad"),
        Channel("pole angular velocity", "rad/s"),
    ),
    action=(Channel("push", "0 left, 1 right"),),
    physics_parameters=(
        _constant("gravity", 9.8, "gravity", "m/s²", minimum=0.0),
        _constant("cart_mass", 1.0, "mass of the cart", "kg"),
        _constant("pole_length", 0.5, "half the length of the pole", "m"),
        _constant("pole_mass", 0.1, "mass of the pole", "kg"),
        _constant("push_force", 10.0, "force of a push", "N", minimum=0.0),
    ),
    target="offnominal.worlds.classic.world:CartPole",
    tags=("camera",),
    scripted_expert=Spec("PoleBalance", "offnominal.worlds.classic.pole_balance:PoleBalance"),
    page="classic",
)

PENDULUM = WorldCard(
    id="OOD-Pendulum-v0",
    summary="swing a pendulum up with a weak motor and hold it",
    dt=0.05,
    max_steps=200,
    expert_length=200,
    observation=(
        Channel("cosine of the angle from upright", "1"),
        Channel("sine of the angle from upright", "1"),
        Channel("angular velocity", "rad/s"),
    ),
    action=(Channel("torque", "N m"),),
    physics_parameters=(
        _constant("gravity", 10.0, "gravity", "m/s²", minimum=0.0),
        _constant("mass", 1.0, "mass of the pendulum", "kg"),
        _constant("length", 1.0, "length of the pendulum", "m"),
        _constant("max_speed", 8.0, "limit of the angular velocity", "rad/s", minimum=0.0, typical=0.4),
        _constant("max_torque", 2.0, "limit of the motor's torque", "N m", minimum=0.0, typical=0.1),
    ),
    target="offnominal.worlds.classic.world:Pendulum",
    tags=("camera",),
    scripted_expert=Spec("EnergyPump", "offnominal.worlds.classic.energy_pump:EnergyPump"),
    training=TrainingPresets(
        uncertain_policy={
            "algorithm": "ddpg",
            "steps": 30_000,
            "n_step": 1,
            "polyak": 0.01,
            "exploration": 0.15,
            "action_penalty": 1.0,
        }
    ),
    page="classic",
)

CARDS = {card.id: card for card in (CARTPOLE, PENDULUM)}
