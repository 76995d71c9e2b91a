"""What the errors of the originals make of our values."""

from __future__ import annotations

import math

DEFECTS = {
    "dsvd": "the public code never trains the hypersphere; with this error ours is {:.3f}",
    "loda": "PyOD reads the wrong bins; with this error ours is {:.3f}",
    "pidf": "the public code gives rows outside of the boxes the log density zero; with its errors ours is {:.3f}",
    "mgal": "PyOD's score has the wrong sign; with this error ours is {:.3f}",
}
"""What is wrong in the original of a method, with our value if ours is wrong in the same way."""


def defect_note(method: str, defective: float) -> str:
    """Return what our value is with the error of the original; empty if it was not run.

    Args:
        method: Short name of the method.
        defective: Our value with the error; NaN if it was not run.

    Example:
        >>> defect_note("mgal", 0.2)
        "PyOD's score has the wrong sign; with this error ours is 0.200"
        >>> defect_note("mgal", float("nan"))
        ''
    """
    return "" if math.isnan(defective) else DEFECTS[method].format(defective)
