# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.agents import training as training
from offnominal.agents import uncertainty as uncertainty
from offnominal.agents.experts import expert as expert
from offnominal.agents.experts import expert_card as expert_card
from offnominal.agents.experts import expert_cards as expert_cards
from offnominal.agents.experts import scripted_expert as scripted_expert
from offnominal.agents.files import PolicyCard as PolicyCard
from offnominal.agents.files import load_policy as load_policy
from offnominal.agents.files import save_policy as save_policy
from offnominal.agents.network import NetworkPolicy as NetworkPolicy
from offnominal.agents.noisy_policy import NoisyPolicy as NoisyPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser as ObservationNormaliser
from offnominal.agents.sb3_files import import_sb3 as import_sb3
from offnominal.agents.uncertainty import UncertainPolicy as UncertainPolicy
from offnominal.core.policy import FunctionPolicy as FunctionPolicy
from offnominal.core.policy import Policy as Policy
from offnominal.core.policy import RandomPolicy as RandomPolicy
from offnominal.core.policy import as_policy as as_policy
from offnominal.worlds.arm.pick_and_carry import PickAndCarry as PickAndCarry
from offnominal.worlds.arm.straight_line import StraightLine as StraightLine
from offnominal.worlds.classic.energy_pump import EnergyPump as EnergyPump
from offnominal.worlds.classic.pole_balance import PoleBalance as PoleBalance
from offnominal.worlds.craft.pogo_player import PogoPlayer as PogoPlayer
from offnominal.worlds.mujoco.damped_least_squares import DampedLeastSquares as DampedLeastSquares
from offnominal.worlds.mujoco.gait import Gait as Gait
from offnominal.worlds.mujoco.swing_up import SwingUp as SwingUp
from offnominal.worlds.particles.potential_field import PotentialField as PotentialField
from offnominal.worlds.pong.ball_follower import BallFollower as BallFollower
from offnominal.worlds.road.geared_lane_follower import GearedLaneFollower as GearedLaneFollower
from offnominal.worlds.road.lane_follower import LaneFollower as LaneFollower

__all__ = [
    "BallFollower",
    "DampedLeastSquares",
    "EnergyPump",
    "FunctionPolicy",
    "Gait",
    "GearedLaneFollower",
    "LaneFollower",
    "NetworkPolicy",
    "NoisyPolicy",
    "ObservationNormaliser",
    "PickAndCarry",
    "PogoPlayer",
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
