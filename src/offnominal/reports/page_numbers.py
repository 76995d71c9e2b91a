"""Numbers in the data of pages: few digits that are shown as the exact numbers are."""

from __future__ import annotations

import math

from offnominal.core.rounding import fixed

UNIT = 1e-4
"""Differences of pairs are whole numbers of this unit, which takes half of the characters."""
SHOWN_DIGITS = range(4)
"""Digits after the point with which pages show numbers."""


def rounded(value: float | None) -> float | None:
    """Return four digits after the point that are shown as the exact number is; None for values that are not finite.

    Pages round again, to fewer digits. A number is not moved to a half, such as 0.82747 to 0.8275, from where it would
    be rounded up.

    Example:
        >>> rounded(0.82747), rounded(0.82753), rounded(0.8275)
        (0.8274, 0.8275, 0.8275)
    """
    return None if value is None or not math.isfinite(value) else round(_units(float(value)) * UNIT, 4)


def in_units(difference: float) -> int:
    """Return a finite difference in units, shown as the exact one is; it is 0 only if that is, too.

    Example:
        >>> in_units(0.82747), in_units(-0.00002), in_units(0.0)
        (8274, -1, 0)
    """
    return _units(difference) or int(math.copysign(difference != 0.0, difference))


def _units(value: float) -> int:
    units = round(value / UNIT)
    if units % 5 == 0 and any(fixed(units * UNIT, digits) != fixed(value, digits) for digits in SHOWN_DIGITS):
        units -= 1 if units > 0 else -1
    return units
