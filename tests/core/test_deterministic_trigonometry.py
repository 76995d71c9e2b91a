"""Sine and cosine are within two units in the last place, and have the same bits everywhere."""

import math

import numpy as np
import pytest

from offnominal.core.deterministic_math import HALF_PI, sincos

PINNED = [
    (1e-300, "0x1.56e1fc2f8f359p-997", "0x1.0000000000000p+0"),
    (1e-09, "0x1.12e0be826d695p-30", "0x1.0000000000000p+0"),
    (0.1, "0x1.98eaecb8bcb2cp-4", "0x1.fd712f9a817c1p-1"),
    (0.5, "0x1.eaee8744b05f0p-2", "0x1.c1528065b7d50p-1"),
    (0.7853981633974483, "0x1.6a09e667f3bcdp-1", "0x1.6a09e667f3bcdp-1"),
    (0.7853981633974484, "0x1.6a09e667f3bcdp-1", "0x1.6a09e667f3bccp-1"),
    (1.0, "0x1.aed548f090ceep-1", "0x1.14a280fb5068cp-1"),
    (1.5707963267948966, "0x1.0000000000000p+0", "0x1.1a62633145c07p-54"),
    (2.0, "0x1.d18f6ead1b446p-1", "-0x1.aa22657537205p-2"),
    (2.5, "0x1.326af0dcfcab0p-1", "-0x1.9a2f7ef858b7dp-1"),
    (3.141592653589793, "0x1.1a62633145c07p-53", "-0x1.0000000000000p+0"),
    (3.5, "-0x1.6733b7eba621fp-2", "-0x1.df77403c11a5fp-1"),
    (4.0, "-0x1.837b9dddc1eaep-1", "-0x1.4eaa606db24c1p-1"),
    (5.0, "-0x1.eaf81f5e09933p-1", "0x1.22785706b4ad9p-2"),
    (6.283185307179586, "-0x1.1a62633145c07p-52", "0x1.0000000000000p+0"),
    (-0.3, "-0x1.2e9cd95baba33p-2", "0x1.e921dd42f09bap-1"),
    (-1.3, "-0x1.ed577f9c51e4bp-1", "0x1.11eb3682a4c5fp-2"),
    (-2.7, "-0x1.b5a312424a70cp-2", "-0x1.cee28b36603a6p-1"),
    (-4.4, "0x1.e7386314528f0p-1", "-0x1.3ab577c62c2aap-2"),
    (-6.1, "0x1.75119d733fb7bp-3", "0x1.f76ef5f4998b2p-1"),
    (10.1, "-0x1.400942955e6d4p-1", "-0x1.8fa6a1ec3ff04p-1"),
    (20.420352248333657, "0x1.0000000000000p+0", "-0x1.1a900f67f753ap-50"),
    (123.456, "-0x1.9b9dadc41aeb6p-1", "-0x1.307e5980a1558p-1"),
    (-9999.75, "0x1.efff5c19e51fdp-5", "-0x1.ff0f88268ad9fp-1"),
    (996263.4331027219, "0x1.0000000000000p+0", "0x1.a71384557bbbbp-34"),
    (1000000.0, "-0x1.6664b2568d867p-2", "0x1.df9df9906d32cp-1"),
]


def pairs(angles):
    return np.array([sincos(float(angle)) for angle in angles])


def units_off(angles):
    """Return the largest errors of the sine and of the cosine, in units in the last place of the platform's."""
    angles = np.asarray(angles)
    theirs = np.array([(math.sin(angle), math.cos(angle)) for angle in angles])
    return (np.abs(pairs(angles) - theirs) / np.spacing(np.abs(theirs))).max(axis=0)


@pytest.mark.parametrize("reach", [HALF_PI / 2, 7.0, 1e3, 1e6])
def test_the_error_is_below_two_units_in_the_last_place(reach):
    assert (units_off(np.random.default_rng(0).uniform(-reach, reach, 20_000)) <= 2.0).all()


def test_small_angles_keep_their_digits():
    sizes = np.exp(np.random.default_rng(1).uniform(-700, 0, 5_000))
    assert (units_off(np.concatenate([sizes, -sizes])) <= 2.0).all()


@pytest.mark.parametrize("side", [-np.inf, 0.0, np.inf])
def test_zeros_at_multiples_of_a_right_angle_keep_their_digits(side):
    # The nearest double to a multiple of pi/2 misses it by its own last bits: nothing but those is left.
    multiples = np.concatenate([np.arange(1, 2_000), np.arange(2_000, 636_000, 317)]) * HALF_PI
    angles = np.nextafter(multiples, side) if side else multiples
    assert (units_off(angles) <= 2.0).all()
    assert np.abs(pairs(angles)).min(axis=1).max() < 1e-9


def test_the_octants_meet():
    seams = (np.arange(-40, 40) + 0.5) * HALF_PI
    assert (units_off(np.concatenate([np.nextafter(seams, -np.inf), seams, np.nextafter(seams, np.inf)])) <= 2.0).all()


def test_the_symmetries_are_exact():
    angles = np.random.default_rng(2).uniform(0, 1e4, 2_000)
    assert (pairs(-angles) == pairs(angles) * [-1, 1]).all()


@pytest.mark.parametrize(("angle", "values"), [(0.0, (0.0, 1.0)), (-0.0, (-0.0, 1.0))])
def test_zero_is_exact_and_keeps_its_sign(angle, values):
    assert sincos(angle) == values
    assert math.copysign(1.0, sincos(angle)[0]) == math.copysign(1.0, angle)


@pytest.mark.parametrize("angle", [math.inf, -math.inf, math.nan])
def test_an_angle_that_is_not_finite_has_neither(angle):
    assert all(math.isnan(value) for value in sincos(angle))


def test_digits_fade_beyond_a_million_without_a_jump():
    for angle in (1e7, 1e8, 1e9, 1e10):
        assert sincos(angle) == pytest.approx((math.sin(angle), math.cos(angle)), abs=1e-15 * angle)


@pytest.mark.parametrize(("angle", "sine", "cosine"), PINNED, ids=[repr(row[0]) for row in PINNED])
def test_the_bits_are_the_same_on_every_cpu(angle, sine, cosine):
    assert tuple(value.hex() for value in sincos(angle)) == (sine, cosine)
