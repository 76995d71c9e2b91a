"""Calibration: the fault parameter for a given loss of return."""

from offnominal.calibration.calibration import calibrate, calibration_cost
from offnominal.calibration.cost import CalibrationCost
from offnominal.core.public_calls import name_wrong_arguments

__all__ = ["CalibrationCost", "calibrate", "calibration_cost"]

name_wrong_arguments(__name__)
