# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.calibration.calibration import calibrate as calibrate
from offnominal.calibration.calibration import calibration_cost as calibration_cost
from offnominal.calibration.cost import CalibrationCost as CalibrationCost

__all__ = [
    "CalibrationCost",
    "calibrate",
    "calibration_cost",
]
