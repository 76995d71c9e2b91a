"""Calibration: the fault parameter for a given loss of return."""

from offnominal.calibration.calibration import calibrate, calibration_cost
from offnominal.calibration.cost import CalibrationCost

__all__ = ["CalibrationCost", "calibrate", "calibration_cost"]
