"""The exact functions are within two units in the last place, and have the same bits everywhere."""

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from offnominal.core import deterministic_math as exact

NORMAL_TINY = 2.2250738585072014e-308

PINNED = {
    "log": [
        (5e-324, "-0x1.74385446d71c3p+9"),
        (8.487983164e-314, "-0x1.686fc0af622d7p+9"),
        (1e-300, "-0x1.5963447f87fb5p+9"),
        (1e-20, "-0x1.7069e2aa2aa5bp+5"),
        (1e-05, "-0x1.7069e2aa2aa5bp+3"),
        (0.1, "-0x1.26bb1bbb55515p+1"),
        (0.25, "-0x1.62e42fefa39efp+0"),
        (0.5, "-0x1.62e42fefa39efp-1"),
        (0.7071067811865475, "-0x1.62e42fefa39f1p-2"),
        (0.7071067811865476, "-0x1.62e42fefa39eep-2"),
        (0.9, "-0x1.af8e8210a415cp-4"),
        (0.9999999999999999, "-0x1.0000000000000p-53"),
        (1.0, "0x0.0p+0"),
        (1.0000000000000002, "0x1.fffffffffffffp-53"),
        (1.1, "0x1.8663f793c46ccp-4"),
        (1.4142135623730951, "0x1.62e42fefa39f0p-2"),
        (2.0, "0x1.62e42fefa39efp-1"),
        (2.718281828459045, "0x1.0000000000000p+0"),
        (10.0, "0x1.26bb1bbb55516p+1"),
        (123456.789, "0x1.77281cad8a844p+3"),
        (1e100, "0x1.cc845b54b54f2p+7"),
        (1.7976931348623157e308, "0x1.62e42fefa39efp+9"),
    ],
    "exp": [
        (-745.1332191019411, "0x0.0000000000001p-1022"),
        (-740.0, "0x0.0000000000055p-1022"),
        (-710.5, "0x0.1f3c9d0fbe022p-1022"),
        (-700.25, "0x1.af5fe9a485c8ep-1011"),
        (-100.0, "0x1.a8c1f14e2af5dp-145"),
        (-37.5, "0x1.dd5c566301ec8p-55"),
        (-10.1, "0x1.5899ac5129ae3p-15"),
        (-1.0, "0x1.78b56362cef38p-2"),
        (-0.5, "0x1.368b2fc6f960ap-1"),
        (-0.34657359027997264, "0x1.6a09e667f3bccp-1"),
        (-0.001, "0x1.ff7cfe56f1a9ep-1"),
        (-1e-17, "0x1.0000000000000p+0"),
        (0.0, "0x1.0000000000000p+0"),
        (1e-17, "0x1.0000000000000p+0"),
        (1e-08, "0x1.0000002af31dcp+0"),
        (0.1, "0x1.1aec7b35a00d4p+0"),
        (0.34657359027997264, "0x1.6a09e667f3bccp+0"),
        (0.5, "0x1.a61298e1e069cp+0"),
        (1.0, "0x1.5bf0a8b14576ap+1"),
        (2.0, "0x1.d8e64b8d4ddaep+2"),
        (10.1, "0x1.7c5c09a68d572p+14"),
        (100.0, "0x1.3494a9b171bf5p+144"),
        (709.782712893384, "0x1.fffffffffff2ap+1023"),
    ],
    "tanh": [
        (1e-300, "0x1.56e1fc2f8f359p-997"),
        (1e-12, "0x1.19799812dea11p-40"),
        (3e-07, "0x1.421f5f40d82ccp-22"),
        (1e-05, "0x1.4f8b588e06854p-17"),
        (9e-05, "0x1.797cc38ee3e14p-14"),
        (0.2, "0x1.9439830b3a590p-3"),
        (0.3, "0x1.2a4dda7d914fap-2"),
        (0.35, "0x1.5872d4a8651d6p-2"),
        (0.4, "0x1.8511573c242d6p-2"),
        (0.6, "0x1.12f8292d2ccfcp-1"),
        (0.7, "0x1.356fb17af2e91p-1"),
        (0.8, "0x1.53fca0a748a40p-1"),
        (0.9, "0x1.6ebe982d6605dp-1"),
        (1.0, "0x1.85efab514f394p-1"),
        (1.1, "0x1.99db01fde2405p-1"),
        (1.25, "0x1.b2523bb6b2deep-1"),
        (1.5, "0x1.cf6f9786df577p-1"),
        (2.0, "0x1.ed9505e1bc3d4p-1"),
        (3.0, "0x1.fd77d111a0b00p-1"),
        (5.0, "0x1.fff419668df11p-1"),
        (10.0, "0x1.ffffffdc96f35p-1"),
        (18.0, "0x1.ffffffffffffcp-1"),
        (22.0, "0x1.0000000000000p+0"),
        (-0.2, "-0x1.9439830b3a590p-3"),
        (-0.7, "-0x1.356fb17af2e91p-1"),
        (-1.0, "-0x1.85efab514f394p-1"),
        (-4.0, "-0x1.ffa81708a0b42p-1"),
    ],
    "softplus": [
        (-1.0, "0x1.40c7abfbec125p-2"),
        (-0.5, "0x1.e5746fdb5c064p-2"),
        (-0.1, "0x1.49ee5be955d1cp-1"),
        (-0.001, "0x1.62a2aaea15bd9p-1"),
        (0.0, "0x1.62e42fefa39efp-1"),
        (0.001, "0x1.6325bd58ad4aep-1"),
        (0.01, "0x1.65752f86558b3p-1"),
        (0.1, "0x1.7d218f1c8904fp-1"),
        (0.2, "0x1.98a5a86b5219cp-1"),
        (0.3, "0x1.b56e0cf4511b0p-1"),
        (0.5, "0x1.f2ba37edae032p-1"),
        (0.75, "0x1.2309fa6f08bb8p+0"),
        (1.0, "0x1.5031eafefb049p+0"),
        (1.5, "0x1.b38fd211ea842p+0"),
        (2.0, "0x1.103f2d54301d5p+1"),
        (2.5, "0x1.4a190f0e6368ap+1"),
        (3.0, "0x1.86381c3f0115cp+1"),
        (5.0, "0x1.406e06368916ap+2"),
        (10.0, "0x1.40005f3559328p+3"),
        (20.0, "0x1.400000008da43p+4"),
        (30.0, "0x1.e00000000001ap+4"),
        (39.0, "0x1.3800000000000p+5"),
        (40.0, "0x1.4000000000000p+5"),
        (40.5, "0x1.4400000000000p+5"),
        (150.0, "0x1.2c00000000000p+7"),
    ],
    "arctan2": [
        (0.0, 1.0, "0x0.0p+0"),
        (0.0, -1.0, "0x1.921fb54442d18p+1"),
        (1.0, 0.0, "0x1.921fb54442d18p+0"),
        (-1.0, 0.0, "-0x1.921fb54442d18p+0"),
        (1.0, 1.0, "0x1.921fb54442d18p-1"),
        (-1.0, 1.0, "-0x1.921fb54442d18p-1"),
        (1.0, -1.0, "0x1.2d97c7f3321d2p+1"),
        (-1.0, -1.0, "-0x1.2d97c7f3321d2p+1"),
        (0.1, 1.0, "0x1.983e282e2cc4dp-4"),
        (0.4375, 1.0, "0x1.a64eec3cc23fcp-2"),
        (0.43749999999999994, 1.0, "0x1.a64eec3cc23fcp-2"),
        (0.6875, 1.0, "0x1.345f01cce37bbp-1"),
        (0.6874999999999999, 1.0, "0x1.345f01cce37bap-1"),
        (1.0, 0.6875, "0x1.efe068bba2275p-1"),
        (0.3, -0.7, "0x1.5e4c36ca0118ap+1"),
        (-0.3, -0.7, "-0x1.5e4c36ca0118ap+1"),
        (-2.5, 0.1, "-0x1.87e3aa32878adp+0"),
        (1e-300, 1.0, "0x1.56e1fc2f8f359p-997"),
        (1.0, 1e-300, "0x1.921fb54442d18p+0"),
        (1e300, 1e-300, "0x1.921fb54442d18p+0"),
        (5e-324, 5e-324, "0x1.921fb54442d18p-1"),
        (0.123, 0.456, "0x1.0dca2c455741fp-2"),
        (3.0, -4.0, "0x1.3fc176b7a8560p+1"),
    ],
}


def true_tanh(x):
    """Return tanh to 60 digits, by its series where the definition would cancel."""
    if abs(x) < Decimal("1e-6"):
        return x - x**3 / 3 + 2 * x**5 / 15
    grown, shrunk = x.exp(), (-x).exp()
    return (grown - shrunk) / (grown + shrunk)


def true_softplus(x):
    """Return log(1 + e^x) to 60 digits, by its series where the sum would absorb the power."""
    power = x.exp()
    return (1 + power).ln() if power > Decimal("1e-20") else power - power**2 / 2


TRUE = {"log": Decimal.ln, "exp": Decimal.exp, "tanh": true_tanh, "softplus": true_softplus}


def worst_error(name, inputs):
    """Return the largest error of a function, in units in the last place of the true value, and where it is."""
    function, worst = getattr(exact, name), (Decimal(0), 0.0)
    with localcontext() as context:
        context.prec = 60
        for x in inputs:
            truth = TRUE[name](Decimal(float(x)))
            unit = Decimal(math.ulp(float(truth)))
            worst = max(worst, (abs(Decimal(function(float(x))) - truth) / unit, float(x)))
    return float(worst[0]), worst[1]


def spread(low, high, size=400):
    """Return numbers that cover a range of one sign evenly and by magnitude, always the same ones."""
    random = np.random.default_rng(0)
    sign = -1.0 if high <= 0 else 1.0
    small, large = sorted((abs(low), abs(high)))
    by_size = np.exp(random.uniform(np.log(small), np.log(large), size))
    return np.concatenate([random.uniform(low, high, size), sign * by_size, [low, high]])


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("log", 5e-324, NORMAL_TINY),
        ("log", 1e-300, 0.5),
        ("log", 0.5, 0.999),
        ("log", 1.001, 2.0),
        ("log", 2.0, 1e308),
        ("exp", -708.0, -1.0),
        ("exp", -1.0, -1e-20),
        ("exp", 1e-20, 1.0),
        ("exp", 1.0, 709.78),
        ("tanh", 1e-300, 1e-4),
        ("tanh", 1e-4, 0.01),
        ("tanh", 0.01, 0.7),
        ("tanh", 0.7, 25.0),
        ("tanh", -25.0, -1e-4),
        ("softplus", 1e-20, 1.0),
        ("softplus", 1.0, 100.0),
    ],
)
def test_the_error_is_below_two_units_in_the_last_place(name, low, high):
    error, where = worst_error(name, spread(low, high))
    assert error <= 2.0, f"{name}({where!r}) is {error:.3g} units off"


def test_log_is_right_next_to_one():
    distances = np.geomspace(2.0**-53, 0.01, 400)
    assert worst_error("log", 1.0 - distances)[0] <= 2.0
    assert worst_error("log", 1.0 + distances[distances >= 2.0**-52])[0] <= 2.0


@pytest.mark.parametrize(("low", "high"), [(-1.0, -1e-20), (-40.0, -1.0), (-700.0, -40.0)])
def test_softplus_of_a_negative_number_keeps_its_digits(low, high):
    error, where = worst_error("softplus", spread(low, high))
    assert error <= 3.0, f"softplus({where!r}) is {error:.3g} units off"


def test_exp_of_numbers_too_small_for_full_precision_is_right_to_one_subnormal():
    assert worst_error("exp", np.linspace(-745.1, -708.4, 500))[0] <= 1.0


@pytest.mark.parametrize("scale", ["unit square", "all magnitudes"])
def test_arctan2_is_within_two_units_of_the_platform(scale):
    random = np.random.default_rng(1)
    y, x = random.uniform(-1, 1, (2, 4_000))
    if scale == "all magnitudes":
        y, x = np.sign([y, x]) * np.exp(random.uniform(-345, 345, (2, 4_000)))
    ours = np.array([exact.arctan2(*pair) for pair in zip(y, x, strict=True)])
    theirs = np.arctan2(y, x)
    assert (np.abs(ours - theirs) <= 2 * np.spacing(np.abs(theirs))).all()


def test_arctan2_is_continuous_across_its_seams():
    for ratio in (0.4375, 0.6875, 1.0):
        below, above = (exact.arctan2(ratio + step, 1.0) for step in (-1e-15, 1e-15))
        assert 0 <= above - below < 3e-15


def test_arctan2_in_all_quadrants():
    for y, x in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]:
        assert exact.arctan2(float(y), float(x)) == pytest.approx(math.atan2(y, x), abs=5e-16)


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("log", (1.0,), 0.0),
        ("exp", (0.0,), 1.0),
        ("exp", (-0.0,), 1.0),
        ("exp", (709.9,), math.inf),
        ("exp", (math.inf,), math.inf),
        ("exp", (-745.2,), 0.0),
        ("exp", (-math.inf,), 0.0),
        ("exp", (-745.1332191019411,), 5e-324),
        ("tanh", (0.0,), 0.0),
        ("tanh", (1000.0,), 1.0),
        ("tanh", (-1000.0,), -1.0),
        ("tanh", (math.inf,), 1.0),
        ("softplus", (-1000.0,), 0.0),
        ("softplus", (-math.inf,), 0.0),
        ("softplus", (1000.0,), 1000.0),
        ("softplus", (math.inf,), math.inf),
        ("arctan2", (0.0, 0.0), 0.0),
        ("arctan2", (0.0, 1.0), 0.0),
        ("arctan2", (0.0, -1.0), math.pi),
        ("arctan2", (-0.0, -1.0), math.pi),
        ("arctan2", (math.inf, 1.0), math.pi / 2),
        ("arctan2", (-1.0, 0.0), -math.pi / 2),
        ("arctan2", (1.0, 1.0), math.pi / 4),
        ("arctan2", (1.0, -math.inf), math.pi),
    ],
)
def test_values_at_the_edges(name, arguments, value):
    assert getattr(exact, name)(*arguments) == value


@pytest.mark.parametrize(
    ("name", "arguments"),
    [(name, (math.nan,)) for name in TRUE] + [("arctan2", (math.nan, 1.0)), ("arctan2", (1.0, math.nan))],
)
def test_nan_stays_nan(name, arguments):
    assert math.isnan(getattr(exact, name)(*arguments))


def test_tanh_is_odd():
    for x in np.geomspace(1e-300, 30, 300):
        assert exact.tanh(-x) == -exact.tanh(x)


@pytest.mark.parametrize("name", ["log", "exp", "tanh", "softplus"])
def test_growing_inputs_never_give_falling_outputs(name):
    inputs = np.linspace(0.01, 30.0, 3_000)
    outputs = np.array([getattr(exact, name)(x) for x in inputs])
    assert (np.diff(outputs) >= 0).all()


@pytest.mark.parametrize("name", PINNED)
def test_the_bits_are_the_same_on_every_machine(name):
    function = getattr(exact, name)
    assert PINNED[name] == [(*arguments, function(*arguments).hex()) for *arguments, _ in PINNED[name]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("log", "a03684448ccc827fa66f50889331620535dc566647be73d6bff30f94598a9309"),
        ("exp", "775b33ee19b20ad0eb248b44c00042a06096059359f8efcff96edb5d0571bae6"),
        ("arctan2", "3e8521eac20786ce8b8aaeb353ae2cb8497b8c4baf2ee85298707fb96689c473"),
    ],
)
def test_the_bits_of_a_whole_grid_are_the_same_on_every_machine(name, digest):
    grid = np.arange(1, 4_097) / 1_024
    inputs = {"log": [grid], "exp": [10 * grid - 20], "arctan2": [grid, grid[::-1]]}[name]
    outputs = np.array([getattr(exact, name)(*arguments) for arguments in zip(*inputs, strict=True)])
    assert hashlib.sha256(outputs.astype("<f8").tobytes()).hexdigest() == digest


@pytest.mark.parametrize("name", PINNED)
def test_compiling_changes_no_bit(name):
    random = np.random.default_rng(2)
    function = getattr(exact, name)
    for pair in random.uniform(-20, 20, (500, 2)):
        arguments = pair if name == "arctan2" else np.abs(pair[:1]) if name == "log" else pair[:1]
        assert function(*arguments) == function.py_func(*arguments.tolist())
