# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.agents.scripted.ball_follower import BallFollower as BallFollower
from offnominal.agents.scripted.catalogue import scripted_expert as scripted_expert
from offnominal.agents.scripted.damped_least_squares import DampedLeastSquares as DampedLeastSquares
from offnominal.agents.scripted.energy_pump import EnergyPump as EnergyPump
from offnominal.agents.scripted.gait import Gait as Gait
from offnominal.agents.scripted.lane_follower import LaneFollower as LaneFollower
from offnominal.agents.scripted.pick_and_carry import PickAndCarry as PickAndCarry
from offnominal.agents.scripted.pogo_player import PogoPlayer as PogoPlayer
from offnominal.agents.scripted.pole_balance import PoleBalance as PoleBalance
from offnominal.agents.scripted.potential_field import PotentialField as PotentialField
from offnominal.agents.scripted.straight_line import StraightLine as StraightLine
from offnominal.agents.scripted.swing_up import SwingUp as SwingUp

__all__ = [
    "BallFollower",
    "DampedLeastSquares",
    "EnergyPump",
    "Gait",
    "LaneFollower",
    "PickAndCarry",
    "PogoPlayer",
    "PoleBalance",
    "PotentialField",
    "StraightLine",
    "SwingUp",
    "scripted_expert",
]
