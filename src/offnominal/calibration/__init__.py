"""How hard is "medium"? The parameter at which a fault costs a given share of the return."""

from offnominal.calibration.calibration import calibrate

__all__ = ["calibrate"]
