"""Scripted experts: controllers a person can read, one for every world."""

from offnominal.agents.scripted.by_world import scripted
from offnominal.agents.scripted.damped_least_squares import DampedLeastSquares
from offnominal.agents.scripted.gait import Gait
from offnominal.agents.scripted.potential_field import PotentialField
from offnominal.agents.scripted.swing_up import SwingUp

__all__ = ["DampedLeastSquares", "Gait", "PotentialField", "SwingUp", "scripted"]
