"""Numbers as text: the rounding rule of terminal, tables and pages.

Pages follow the same rule in JavaScript, see ``reports/assets/rounding.js``.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

FIRST = Context(prec=12, rounding=ROUND_HALF_UP)
"""Twelve significant digits are equal for sums that differ only in the order of their terms."""
EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
SMALLEST_EXPONENT = -4
"""Smaller numbers are written with an exponent."""


def fixed(value: float, digits: int) -> str:
    """Return a number with some digits after the point; halves are rounded away from zero.

    The number is rounded to twelve significant digits first, so that 0.8275 and 0.82749999999999 are shown alike. Zero
    has no sign.

    Args:
        value: A number; ``inf`` and ``nan`` stay as they are.
        digits: Digits after the point.

    Example:
        >>> fixed(0.82747, 3), fixed(0.8275, 3), fixed(0.8125, 3), fixed(-0.0001, 3)
        ('0.827', '0.828', '0.813', '0.000')
    """
    return f"{_fixed(value, digits):f}" if math.isfinite(value) else str(float(value))


def grouped(value: float, digits: int = 0) -> str:
    """Return a number as :func:`fixed` does, with commas between thousands.

    Example:
        >>> grouped(1234567.5)
        '1,234,568'
    """
    return f"{_fixed(value, digits):,f}" if math.isfinite(value) else str(float(value))


def signed(value: float, digits: int) -> str:
    """Return a difference as :func:`fixed` does, with its sign; that of a difference without one is ``+``.

    Example:
        >>> signed(0.0625, 3), signed(-0.0001, 3), signed(0.0, 3)
        ('+0.063', '-0.000', '+0.000')
    """
    return f"{'-' if value < 0 else '+'}{fixed(abs(value), digits)}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits and no trailing zeros; halves are rounded away from zero.

    Numbers below 0.0001 have an exponent.

    Args:
        value: A number; ``inf`` and ``nan`` stay as they are.
        digits: Significant digits.

    Example:
        >>> significant(3.125), significant(0.5), significant(1234.5), significant(0.00001234)
        ('3.13', '0.5', '1230', '1.23e-05')
    """
    if not math.isfinite(value):
        return str(float(value))
    number = Context(prec=digits, rounding=ROUND_HALF_UP).plus(FIRST.create_decimal_from_float(float(value)))
    if not number:
        return "0"
    number = number.normalize(EXACT)
    if number.adjusted() >= SMALLEST_EXPONENT:
        return f"{number:f}"
    mantissa = number.scaleb(-number.adjusted(), EXACT)
    return f"{mantissa:f}e-{-number.adjusted():02d}"


def _fixed(value: float, digits: int) -> Decimal:
    number = FIRST.create_decimal_from_float(float(value)).quantize(Decimal(1).scaleb(-digits), context=EXACT)
    return number if number else abs(number)
