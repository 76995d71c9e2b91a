# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.agents import scripted as scripted
from offnominal.agents import training as training
from offnominal.agents import uncertainty as uncertainty
from offnominal.agents.experts import expert as expert
from offnominal.agents.experts import expert_card as expert_card
from offnominal.agents.experts import expert_cards as expert_cards
from offnominal.agents.files import PolicyCard as PolicyCard
from offnominal.agents.files import load_policy as load_policy
from offnominal.agents.files import save_policy as save_policy
from offnominal.agents.network import NetworkPolicy as NetworkPolicy
from offnominal.agents.noisy_policy import NoisyPolicy as NoisyPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser as ObservationNormaliser
from offnominal.agents.policy import FunctionPolicy as FunctionPolicy
from offnominal.agents.policy import Policy as Policy
from offnominal.agents.policy import RandomPolicy as RandomPolicy
from offnominal.agents.policy import as_policy as as_policy
from offnominal.agents.sb3_files import import_sb3 as import_sb3
from offnominal.agents.scripted import BallFollower as BallFollower
from offnominal.agents.scripted import DampedLeastSquares as DampedLeastSquares
from offnominal.agents.scripted import EnergyPump as EnergyPump
from offnominal.agents.scripted import Gait as Gait
from offnominal.agents.scripted import LaneFollower as LaneFollower
from offnominal.agents.scripted import PickAndCarry as PickAndCarry
from offnominal.agents.scripted import PogoPlayer as PogoPlayer
from offnominal.agents.scripted import PoleBalance as PoleBalance
from offnominal.agents.scripted import PotentialField as PotentialField
from offnominal.agents.scripted import StraightLine as StraightLine
from offnominal.agents.scripted import SwingUp as SwingUp
from offnominal.agents.scripted import scripted_expert as scripted_expert
from offnominal.agents.uncertainty import UncertainPolicy as UncertainPolicy

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
