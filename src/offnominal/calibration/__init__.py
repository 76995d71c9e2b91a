"""Calibration: the fault parameter for a given loss of return."""

from offnominal.calibration.calibration import calibrate

__all__ = ["calibrate"]
