"""Calibration: the fault parameter for a given loss of return."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "calibration": ("calibrate", "calibration_cost"),
        "cost": ("CalibrationCost",),
    },
)
