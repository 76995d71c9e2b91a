"""Pedestrians that walk, and riders of bicycles and motorcycles."""

from __future__ import annotations

import math
from functools import lru_cache

from offnominal.core.deterministic_math import sincos
from offnominal.core.errors import InvalidParameter
from offnominal.sensing.material import Colour, Material
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import ball, box, lathe, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

PHASES = 8
CACHED = 4096
SKINS = ("skin", "tan", "umber")
# Skin and hair. There are few, so that a town needs few meshes.
LOOKS = (("skin", "brown"), ("skin", "sand"), ("skin", "grey"), ("tan", "black"), ("umber", "black"))
COATS: tuple[Colour, ...] = (
    (0.16, 0.22, 0.42),
    (0.70, 0.16, 0.14),
    (0.88, 0.86, 0.80),
    (0.20, 0.40, 0.28),
    (0.78, 0.52, 0.14),
    (0.24, 0.24, 0.26),
    (0.48, 0.22, 0.44),
    (0.40, 0.58, 0.72),
)
TROUSERS: tuple[Colour, ...] = ((0.12, 0.15, 0.26), (0.14, 0.14, 0.15), (0.42, 0.36, 0.28), (0.30, 0.32, 0.36))
HIP, KNEE, SHOULDER, ELBOW = 0.90, 0.48, 1.42, 1.12
FIGURES = ("adult", "coat", "skirt", "child")


def pedestrian(seed: int = 0, *, phase: float = 0.0, standing: bool = False) -> Asset:
    """Return a pedestrian.

    Args:
        seed: Chooses figure, size and clothes.
        phase: Phase of the gait, from 0 to 1; there are eight postures.
        standing: Whether the pedestrian stands still.

    Example:
        >>> pedestrian(1, phase=0.3).name
        'pedestrian'
    """
    if not math.isfinite(phase):
        raise InvalidParameter(f"phase is {phase}; expected a finite number of steps.")
    return _pedestrian(seed, -1 if standing else math.floor(phase * PHASES) % PHASES)


@lru_cache(maxsize=CACHED)
def _pedestrian(seed: int, step: int) -> Asset:
    draws = Draws(seed, "pedestrian")
    figure = draws.one_of(FIGURES)
    mesh = shared_mesh(_walker, figure, *draws.one_of(LOOKS), step)
    return asset("pedestrian", Part(mesh, Label.PEDESTRIAN, Material(draws.one_of(COATS), draws.one_of(TROUSERS))))


def clothes(seed: int) -> Material:
    """Return the colours of a rider's clothes."""
    draws = Draws(seed, "rider")
    return Material(draws.one_of(COATS), draws.one_of(TROUSERS))


def limb(name: str, start: Triple, joint: Triple, end: Triple, thick: float, thin: float) -> Solid:
    """Return an arm or a leg, bent at its joint."""
    return tube(name, (start, joint, end), (thick, 0.8 * thick, thin), n=7)


def head(skin: str, hair: str, at: Triple, *, helmet: bool = False) -> Solid:
    """Return a head that faces along x."""
    face = ball(skin, 0.095, 0.08, 0.125) + ball(skin, 0.03, 0.018, 0.025, (0.095, 0.0, -0.01), n=6)
    top = (
        ball(hair, 0.135, 0.115, 0.11, (-0.01, 0.0, 0.06))
        if helmet
        else ball(hair, 0.105, 0.092, 0.1, (-0.022, 0.0, 0.045))
    )
    return (face + top + tube(skin, ((-0.02, 0.0, -0.2), (0.0, 0.0, -0.08)), 0.05, n=6)).move(*at)


def _walker(figure: str, skin: str, hair: str, step: int) -> Solid:
    """Return a walking person in posture `step`, or a standing one for -1."""
    swing = 0.0 if step < 0 else sincos(2.0 * math.pi * step / PHASES)[0]
    lift = 0.0 if step < 0 else sincos(2.0 * math.pi * step / PHASES)[1]
    legs = [_leg(side, side * swing, side * lift) for side in (1, -1)]
    arms = [_arm(skin, side, -side * swing) for side in (1, -1)]
    torso = lathe("paint", ((0.0, 0.86), (0.15, 0.88), (0.145, 1.05), (0.18, 1.3), (0.15, 1.44), (0.05, 1.5)), n=10)
    body = torso.scale(0.68, 1.08, 1.0) + head(skin, hair, (0.02, 0.0, 1.64))
    if figure == "coat":
        body = body + lathe("paint", ((0.19, 0.55), (0.17, 0.9), (0.15, 1.1)), n=10).scale(0.8, 1.05, 1.0)
    if figure == "skirt":
        body = (
            body + lathe("second", ((0.23, 0.5), (0.16, 0.95)), n=10) + ball(hair, 0.06, 0.09, 0.16, (-0.1, 0.0, 1.56))
        )
    if figure == "adult" and hair in ("black", "brown"):
        body = body + box("dark", 0.14, 0.26, 0.38, (-0.19, 0.0, 1.02), taper=0.85)
    whole = union([body, *legs, *arms])
    return whole.scale(0.68 if figure == "child" else 1.0)


def _leg(side: int, swing: float, lift: float) -> Solid:
    """Return one leg; `swing` is its place from -1, behind, to 1, ahead, and a positive `lift` bends the knee."""
    y = 0.085 * side
    bend = 0.16 * max(0.0, lift)
    knee = (0.16 * swing + bend, y, KNEE + 0.3 * bend)
    ankle = (0.34 * swing - 0.6 * bend, y, 0.09 + 0.6 * bend + 0.03 * abs(swing))
    shoe = ball("black", 0.13, 0.05, 0.05, (ankle[0] + 0.06, y, max(0.05, ankle[2] - 0.05)), n=8)
    return limb("second", (0.0, y, HIP), knee, ankle, 0.088, 0.052) + shoe


def _arm(skin: str, side: int, swing: float) -> Solid:
    shoulder, y = (0.0, 0.19 * side, SHOULDER), 0.22 * side
    elbow = (0.12 * swing - 0.03, 1.1 * y, ELBOW)
    hand = (0.28 * swing + 0.06, y, 0.87 + 0.06 * abs(swing))
    joint = ball("paint", 0.065, 0.065, 0.065, (0.0, 0.18 * side, SHOULDER), n=8)
    return joint + limb("paint", shoulder, elbow, hand, 0.055, 0.04) + ball(skin, 0.045, 0.035, 0.055, hand, n=6)
