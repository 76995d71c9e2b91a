"""Scripted experts: hand-written controllers, one for every world."""

from offnominal.agents.scripted.ball_follower import BallFollower
from offnominal.agents.scripted.catalogue import scripted_expert
from offnominal.agents.scripted.damped_least_squares import DampedLeastSquares
from offnominal.agents.scripted.energy_pump import EnergyPump
from offnominal.agents.scripted.gait import Gait
from offnominal.agents.scripted.lane_follower import LaneFollower
from offnominal.agents.scripted.pick_and_carry import PickAndCarry
from offnominal.agents.scripted.pole_balance import PoleBalance
from offnominal.agents.scripted.potential_field import PotentialField
from offnominal.agents.scripted.straight_line import StraightLine
from offnominal.agents.scripted.swing_up import SwingUp
from offnominal.core.public_calls import name_wrong_arguments

__all__ = [
    "BallFollower",
    "DampedLeastSquares",
    "EnergyPump",
    "Gait",
    "LaneFollower",
    "PickAndCarry",
    "PoleBalance",
    "PotentialField",
    "StraightLine",
    "SwingUp",
    "scripted_expert",
]

name_wrong_arguments(__name__)
