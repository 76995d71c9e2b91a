"""Poles, lamps, traffic lights, signs, guard rails, fences, benches and bins."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.sensing.material import Material
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import ball, box, circle, drum, prism, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

LIGHT_STATES = ("red", "red_amber", "amber", "green", "off")
SIGNS = (
    "stop",
    "yield",
    "priority",
    "no_entry",
    "warning",
    "crossing",
    "parking",
    "speed_30",
    "speed_40",
    "speed_50",
    "speed_60",
    "speed_70",
    "speed_80",
    "speed_90",
    "speed_100",
    "speed_120",
)
PLATE_HEIGHT = 2.25
# Segments of a digit as (y, z, upright), in units of half its height, seen from the front.
SEGMENTS = {
    "a": (0.0, 1.0, 0),
    "b": (0.5, 0.5, 1),
    "c": (0.5, -0.5, 1),
    "d": (0.0, -1.0, 0),
    "e": (-0.5, -0.5, 1),
    "f": (-0.5, 0.5, 1),
    "g": (0.0, 0.0, 0),
}
DIGITS = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "bcfg",
    "5": "afgcd",
    "6": "acdefg",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
}


def pole(height: float = 4.0) -> Asset:
    """Return a steel pole."""
    return asset("pole", Part(shared_mesh(_pole, _length("height", height)), Label.POLE))


def street_lamp() -> Asset:
    """Return a street lamp whose arm points along +x."""
    return asset("street lamp", Part(shared_mesh(_street_lamp), Label.POLE))


def traffic_light(state: str = "red", *, arm: float = 0.0) -> Asset:
    """Return a traffic light that shines along +x.

    Args:
        state: One of ``LIGHT_STATES``.
        arm: Length of an arm that carries the light to the side, towards -y, m; 0 for a light on a post.
    """
    if state not in LIGHT_STATES:
        raise UnknownName(f"no state of a traffic light named {state!r}.{did_you_mean(state, LIGHT_STATES)}")
    if not 0.0 <= arm <= 12.0:
        raise InvalidParameter(f"arm is {arm}; expected a length from 0 to 12 m.")
    return asset(
        "traffic light",
        Part(shared_mesh(_light_post, float(arm)), Label.POLE),
        Part(shared_mesh(_light_head, state, float(arm)), Label.TRAFFIC_LIGHT),
    )


def traffic_sign(kind: str = "stop") -> Asset:
    """Return a traffic sign on a post that faces along +x; `kind` is one of ``SIGNS``."""
    if kind not in SIGNS:
        raise UnknownName(f"no traffic sign named {kind!r}.{did_you_mean(kind, SIGNS)}")
    return asset(
        f"{kind} sign",
        Part(shared_mesh(_sign_post), Label.POLE),
        Part(shared_mesh(_sign_plate, kind), Label.TRAFFIC_SIGN),
    )


def guard_rail(length: float = 4.0) -> Asset:
    """Return a straight piece of guard rail along x; the road is on its +y side."""
    return asset("guard rail", Part(shared_mesh(_guard_rail, _length("length", length)), Label.GUARD_RAIL))


def fence(length: float = 4.0) -> Asset:
    """Return a straight piece of fence along x."""
    return asset("fence", Part(shared_mesh(_fence, _length("length", length)), Label.FENCE))


def wall(length: float = 6.0, height: float = 2.0) -> Asset:
    """Return a straight piece of wall along x."""
    mesh = shared_mesh(_wall, _length("length", length), _length("height", height))
    return asset("wall", Part(mesh, Label.WALL, Material((0.62, 0.58, 0.52), (0.5, 0.46, 0.42), "planks", 0.4)))


def bench() -> Asset:
    """Return a bench that faces along +x."""
    return asset("bench", Part(shared_mesh(_bench), Label.STATIC))


def litter_bin(seed: int = 0) -> Asset:
    """Return a litter bin."""
    draws = Draws(seed, "litter bin")
    return asset(
        "litter bin",
        Part(
            shared_mesh(_litter_bin),
            Label.STATIC,
            Material(draws.one_of(((0.20, 0.36, 0.24), (0.30, 0.32, 0.34), (0.75, 0.4, 0.1)))),
        ),
    )


def bus_stop() -> Asset:
    """Return a bus stop shelter that faces along +x."""
    return asset("bus stop", Part(shared_mesh(_bus_stop), Label.STATIC))


def _length(name: str, value: float) -> float:
    if not 0.1 <= value <= 100.0:
        raise InvalidParameter(f"{name} is {value}; expected a length from 0.1 to 100 m.")
    return float(value)


def _pole(height: float) -> Solid:
    return drum("zinc", 0.06, height, n=8)


def _street_lamp() -> Solid:
    post = tube(
        "slate", ((0.0, 0.0, 0.0), (0.0, 0.0, 6.2), (0.3, 0.0, 6.75), (1.5, 0.0, 6.9)), (0.1, 0.065, 0.055, 0.045), n=8
    )
    return (
        post
        + drum("slate", 0.14, 0.5, n=8)
        + box("slate", 0.8, 0.3, 0.12, (1.6, 0.0, 6.86), taper=0.8)
        + box("lamp", 0.6, 0.22, 0.03, (1.6, 0.0, 6.83))
    )


def _light_post(arm: float) -> Solid:
    if arm == 0.0:
        return drum("slate", 0.065, 3.5, n=8)
    post = tube(
        "slate", ((0.0, 0.0, 0.0), (0.0, 0.0, 5.2), (0.0, -0.4, 5.7), (0.0, -arm, 5.8)), (0.11, 0.09, 0.08, 0.06), n=8
    )
    return post + drum("slate", 0.16, 0.4, n=8)


def _light_head(state: str, arm: float) -> Solid:
    lit = {"red": ("red",), "red_amber": ("red", "amber"), "amber": ("amber",), "green": ("green",), "off": ()}[state]
    parts = [box("black", 0.22, 0.34, 1.0, (0.06, 0.0, 0.0)), box("dark", 0.02, 0.5, 1.14, (-0.03, 0.0, -0.07))]
    for k, name in enumerate(("green", "amber", "red")):
        z = 0.2 + 0.3 * k
        face = drum(f"{name} lamp" if name in lit else "dark", 0.11, 0.03, n=12).turn(y=90.0)
        hood = prism("black", ((0.0, 0.11), (0.22, 0.13), (0.22, 0.15), (0.0, 0.14)), 0.24)
        parts.append(face.move(0.165, 0.0, z) + hood.move(0.16, 0.0, z))
    head = union(parts)
    if arm == 0.0:
        return head.move(0.1, 0.0, 2.45)
    return head.move(0.1, -arm, 4.9) + head.move(0.1, 0.0, 2.45)


def _sign_post() -> Solid:
    return drum("zinc", 0.04, 2.7, n=7)


def _face(name: str, outline: list[tuple[float, float]], x: float) -> Solid:
    """Return a thin plate that faces +x, given its outline as (right, up) seen from the front."""
    return prism(name, outline, 0.02).turn(z=90.0).move(x, 0.0, PLATE_HEIGHT)


def _scaled(outline: list[tuple[float, float]], factor: float) -> list[tuple[float, float]]:
    return [(factor * a, factor * b) for a, b in outline]


def _number(text: str, x: float) -> Solid:
    parts = []
    high = 0.1 if len(text) < 3 else 0.085
    for k, digit in enumerate(text):
        middle = (k - 0.5 * (len(text) - 1)) * 1.55 * high
        for key in DIGITS[digit]:
            across, up, upright = SEGMENTS[key]
            wide, tall = (0.3, 1.2) if upright else (1.2, 0.3)
            outline = [(a * wide * 0.5 * high, b * tall * 0.5 * high) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            parts.append(_face("black", outline, x).move(0.0, middle + 1.0 * across * high, up * high))
    return union(parts)


def _sign_plate(kind: str) -> Solid:
    round_, octagon = _scaled(circle(20), 0.32), _scaled(circle(8, 1 / 16), 0.35)
    square, diamond = (
        [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)],
        [(0.0, -0.38), (0.38, 0.0), (0.0, 0.38), (-0.38, 0.0)],
    )
    upward, downward = [(-0.4, -0.25), (0.4, -0.25), (0.0, 0.44)], [(0.0, -0.44), (0.4, 0.25), (-0.4, 0.25)]
    x, y, z = 0.06, 0.075, 0.085
    bar = [(-0.22, -0.06), (0.22, -0.06), (0.22, 0.06), (-0.22, 0.06)]
    if kind == "stop":
        letters = [box("white", 0.012, 0.07, 0.16, (z, b, PLATE_HEIGHT - 0.08)) for b in (-0.18, -0.06, 0.06, 0.18)]
        return _face("white", octagon, x) + _face("red", _scaled(octagon, 0.93), y) + union(letters)
    if kind == "yield":
        return _face("red", downward, x) + _face("white", _scaled(downward, 0.7), y)
    if kind == "priority":
        return _face("white", diamond, x) + _face("yellow", _scaled(diamond, 0.8), y)
    if kind == "no_entry":
        return _face("red", round_, x) + _face("white", bar, y)
    if kind == "warning":
        mark = box("black", 0.012, 0.06, 0.22, (z, 0.0, PLATE_HEIGHT - 0.08)) + box(
            "black", 0.012, 0.06, 0.05, (z, 0.0, PLATE_HEIGHT - 0.16)
        )
        return _face("red", upward, x) + _face("white", _scaled(upward, 0.7), y) + mark
    if kind == "crossing":
        walker = box("black", 0.012, 0.06, 0.16, (z + 0.02, 0.0, PLATE_HEIGHT - 0.05)) + ball(
            "black", 0.01, 0.035, 0.035, (z + 0.03, 0.0, PLATE_HEIGHT + 0.16), n=8
        )
        legs = box("black", 0.012, 0.035, 0.16, (z + 0.02, 0.05, PLATE_HEIGHT - 0.19)).both()
        return (
            _face("blue", square, x)
            + _face("white", _scaled([(-0.36, -0.3), (0.36, -0.3), (0.0, 0.36)], 0.72), y)
            + walker
            + legs
        )
    if kind == "parking":
        stem = box("white", 0.012, 0.07, 0.4, (z, -0.1, PLATE_HEIGHT - 0.2)) + box(
            "white", 0.012, 0.24, 0.07, (z, 0.02, PLATE_HEIGHT + 0.13)
        )
        loop = box("white", 0.012, 0.24, 0.07, (z, 0.02, PLATE_HEIGHT - 0.05)) + box(
            "white", 0.012, 0.07, 0.25, (z, 0.11, PLATE_HEIGHT - 0.05)
        )
        return _face("blue", square, x) + stem + loop
    return _face("red", round_, x) + _face("white", _scaled(round_, 0.8), y) + _number(kind.removeprefix("speed_"), z)


def _guard_rail(length: float) -> Solid:
    outline = (
        (0.0, 0.0),
        (0.05, 0.05),
        (0.0, 0.12),
        (0.0, 0.18),
        (0.05, 0.25),
        (0.0, 0.30),
        (-0.02, 0.3),
        (0.02, 0.25),
        (-0.03, 0.15),
        (0.02, 0.05),
        (-0.02, 0.0),
    )
    beam = prism("zinc", outline, length).turn(z=90.0).move(0.0, 0.06, 0.45)
    count = max(1, round(length / 2.0))
    posts = [
        box("steel", 0.1, 0.07, 0.72, (-0.5 * length + (k + 0.5) * length / count, 0.0, 0.0)) for k in range(count)
    ]
    return beam + union(posts)


def _fence(length: float) -> Solid:
    rails = [box("wood", length, 0.04, 0.1, (0.0, 0.0, z)) for z in (0.3, 0.85)]
    count = max(2, round(length / 0.35))
    pales = [
        box("wood", 0.14, 0.03, 1.1, (-0.5 * length + (k + 0.5) * length / count, 0.04, 0.05)) for k in range(count)
    ]
    return union([*rails, *pales])


def _wall(length: float, height: float) -> Solid:
    return box("paint", length, 0.3, height) + box("light", length, 0.4, 0.1, (0.0, 0.0, height))


def _bench() -> Solid:
    seat = [box("wood", 0.1, 1.6, 0.04, (x, 0.0, 0.44)) for x in (-0.16, 0.0, 0.16)]
    back = [box("wood", 0.03, 1.6, 0.1, (-0.27 - 0.03 * k, 0.0, 0.58 + 0.15 * k)) for k in range(2)]
    legs = (
        box("black", 0.45, 0.06, 0.05, (0.0, 0.65, 0.39))
        + box("black", 0.05, 0.06, 0.4, (0.17, 0.65, 0.0))
        + box("black", 0.05, 0.06, 0.85, (-0.24, 0.65, 0.0))
    ).both()
    return union([*seat, *back, legs])


def _litter_bin() -> Solid:
    return (
        drum("paint", 0.25, 0.8, (0.0, 0.0, 0.08), top=0.28, n=12)
        + drum("black", 0.24, 0.03, (0.0, 0.0, 0.87), n=12)
        + drum("dark", 0.1, 0.1, n=8)
    )


def _bus_stop() -> Solid:
    roof = box("slate", 1.6, 3.8, 0.1, (0.0, 0.0, 2.4))
    back = box("window", 0.04, 3.6, 1.9, (-0.7, 0.0, 0.4)) + box("window", 0.9, 0.04, 1.9, (-0.25, 1.8, 0.4))
    posts = box("dark", 0.08, 0.08, 2.4).at_corners(0.68, 1.8)
    return union(
        [
            roof,
            back,
            posts,
            box("wood", 0.4, 2.6, 0.06, (-0.45, 0.0, 0.45)),
            box("dark", 0.06, 2.4, 0.45, (-0.45, 0.0, 0.0)),
        ]
    )
