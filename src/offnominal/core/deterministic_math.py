"""Elementary functions from IEEE additions, multiplications, divisions and square roots alone.

The C library's ``exp``, ``log`` and ``atan2`` differ in the last bit between platforms, and one bit is enough to
separate two chaotic trajectories. These functions give the same bits on every CPU. Their error is at most two units in
the last place (softplus: three). Coefficients: fdlibm (Sun, 1993) and Cephes (Moshier, 1989).
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled

LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
SQRT_HALF = 0.7071067811865476
QUARTER_PI = 0.7853981633974483
HALF_PI = 1.5707963267948966
PI = 3.141592653589793
TWO_OVER_PI = 6.36619772367581382433e-01
# pi/2 in parts: the first three have 33 bits, so that a multiple of up to 20 bits is exact; each tail is the rest.
HALF_PI_1 = 1.57079632673412561417e00
HALF_PI_2 = 6.07710050630396597660e-11
HALF_PI_2_TAIL = 2.02226624879595063154e-21
HALF_PI_3 = 2.02226624871116645580e-21
HALF_PI_3_TAIL = 8.47842766036889956997e-32


@compiled
def log(x: float) -> float:
    """Return the natural logarithm of a positive number."""
    mantissa, exponent = math.frexp(x)
    if mantissa < SQRT_HALF:
        mantissa *= 2.0
        exponent -= 1
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = z * (
        6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    half_square = 0.5 * f * f
    k = float(exponent)
    return k * LN2_HIGH - ((half_square - (s * (half_square + (even + odd)) + k * LN2_LOW)) - f)


@compiled
def exp(x: float) -> float:
    """Return e to the power x; 0 below -745 and infinity above 709.78."""
    if x > 709.782712893384:
        return math.inf
    if x < -745.1332191019411:
        return 0.0
    k = math.floor(x / 0.6931471805599453 + 0.5)
    high = x - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    t = r * r
    c = r - t * (
        1.66666666666666019037e-01
        + t
        * (
            -2.77777777770155933842e-03
            + t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))
        )
    )
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    return math.ldexp(y, int(k))


@compiled
def tanh(x: float) -> float:
    """Return the hyperbolic tangent."""
    if x < 0.0:
        return -tanh_positive(-x)
    return tanh_positive(x)


@compiled
def tanh_positive(x: float) -> float:
    """Return the hyperbolic tangent of a number that is not negative."""
    if x > 22.0:
        return 1.0
    if x >= 0.625:
        return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
    z = x * x
    above = (-9.64399179425052238628e-1 * z - 99.2877231001918586564) * z - 1614.68768441708447952
    below = ((z + 112.811678491632931402) * z + 2235.48839060100448583) * z + 4844.06305325125486048
    return x + x * (z * above / below)


@compiled
def softplus(x: float) -> float:
    """Return log(1 + e^x) without overflow."""
    if x > 40.0:
        return x
    if x > 0.0:
        return x + log(1.0 + exp(-x))
    small = exp(x)
    whole = 1.0 + small
    return small if whole == 1.0 else log(whole) * (small / (whole - 1.0))


@compiled
def arctan_unit(x: float) -> float:
    """Return the angle in [0, pi/4] whose tangent is x, for x in [0, 1]."""
    # Chosen without branches, which a CPU would guess wrong half of the time.
    near_one, middle = x >= 0.6875, x >= 0.4375
    base = QUARTER_PI if near_one else 4.63647609000806093515e-01 if middle else 0.0
    above = x - 1.0 if near_one else 2.0 * x - 1.0 if middle else x
    below = x + 1.0 if near_one else 2.0 + x if middle else 1.0
    x = above / below
    z = x * x
    w = z * z
    even = 3.33333333333329318027e-01 + w * (
        1.42857142725034663711e-01
        + w
        * (
            9.09088713343650656196e-02
            + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02))
        )
    )
    odd = -1.99999999998764832476e-01 + w * (
        -1.11111104054623557880e-01
        + w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))
    )
    return base + (x - x * (z * even + w * odd))


@compiled
def arctan2(y: float, x: float) -> float:
    """Return the angle of the vector (x, y) in (-pi, pi]; zero for the null vector."""
    ax, ay = abs(x), abs(y)
    if ax == 0.0 and ay == 0.0:
        return 0.0
    if math.isnan(x) or math.isnan(y):
        return math.nan
    angle = arctan_unit(min(ax, ay) / max(ax, ay))
    angle = angle if ay <= ax else HALF_PI - angle
    angle = PI - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@compiled
def sincos(x: float) -> tuple[float, float]:
    """Return the sine and the cosine of an angle of up to 1e6; beyond, the error grows with the angle."""
    turns = np.floor(x * TWO_OVER_PI + 0.5)
    first = x - turns * HALF_PI_1
    part = turns * HALF_PI_2
    rest = first - part
    correction = turns * HALF_PI_2_TAIL - ((first - rest) - part)
    r = rest - correction
    if abs(r) < 1e-9:
        second = rest
        part = turns * HALF_PI_3
        rest = second - part
        correction = turns * HALF_PI_3_TAIL - ((second - rest) - part)
        r = rest - correction
    tail = (rest - r) - correction
    sine, cosine = _sine_octant(r, tail), _cosine_octant(r, tail)
    quadrant = turns - 4.0 * np.floor(0.25 * turns)
    if abs(quadrant - 2.0) == 1.0:
        sine, cosine = cosine, sine
    return (-sine if quadrant >= 2.0 else sine), (-cosine if 1.0 <= quadrant <= 2.0 else cosine)


@compiled
def _sine_octant(x: float, tail: float) -> float:
    """Return the sine of x + tail within pi/4 of zero, where tail is below the last place of x."""
    z = x * x
    v = z * x
    r = 8.33333333332248946124e-03 + z * (
        -1.98412698298579493134e-04
        + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
    )
    return x - ((z * (0.5 * tail - v * r) - tail) - v * -1.66666666666666324348e-01)


@compiled
def _cosine_octant(x: float, tail: float) -> float:
    """Return the cosine of x + tail within pi/4 of zero, where tail is below the last place of x."""
    z = x * x
    r = z * (
        4.16666666666666019037e-02
        + z
        * (
            -1.38888888888741095749e-03
            + z
            * (
                2.48015872894767294178e-05
                + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
            )
        )
    )
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * r - x * tail))
