"""Policies: the contract, random, scripted and network policies, and policies with uncertainty estimates."""

from offnominal.agents.experts import expert, expert_card, expert_cards
from offnominal.agents.files import PolicyCard, load_policy, save_policy
from offnominal.agents.network import NetworkPolicy
from offnominal.agents.noisy_policy import NoisyPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser
from offnominal.agents.policy import FunctionPolicy, Policy, RandomPolicy, as_policy
from offnominal.agents.sb3_files import import_sb3
from offnominal.agents.scripted import (
    BallFollower,
    DampedLeastSquares,
    EnergyPump,
    Gait,
    LaneFollower,
    PickAndCarry,
    PoleBalance,
    PotentialField,
    StraightLine,
    SwingUp,
    scripted_expert,
)
from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.core.public_calls import name_wrong_arguments

__all__ = [
    "BallFollower",
    "DampedLeastSquares",
    "EnergyPump",
    "FunctionPolicy",
    "Gait",
    "LaneFollower",
    "NetworkPolicy",
    "NoisyPolicy",
    "ObservationNormaliser",
    "PickAndCarry",
    "PoleBalance",
    "Policy",
    "PolicyCard",
    "PotentialField",
    "RandomPolicy",
    "StraightLine",
    "SwingUp",
    "UncertainPolicy",
    "as_policy",
    "expert",
    "expert_card",
    "expert_cards",
    "import_sb3",
    "load_policy",
    "save_policy",
    "scripted_expert",
]

name_wrong_arguments(__name__)
