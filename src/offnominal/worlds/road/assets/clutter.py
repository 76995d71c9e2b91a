"""Normal clutter of a street: wheelie bins, bags of rubbish and litter."""

from __future__ import annotations

from offnominal.sensing.material import Colour, Material
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import ball, box, drum, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

BIN_COLOURS: tuple[Colour, ...] = ((0.16, 0.18, 0.19), (0.13, 0.30, 0.17), (0.14, 0.24, 0.46), (0.70, 0.58, 0.14))
LITTER = ("leaves", "paper", "can", "bottle", "cup", "newspaper")
"""Kinds of litter, all lower than what passes under a car."""
LEAVES: tuple[Colour, ...] = ((0.42, 0.28, 0.12), (0.52, 0.36, 0.12), (0.34, 0.30, 0.14))
WRAPPERS: tuple[Colour, ...] = ((0.86, 0.86, 0.84), (0.72, 0.16, 0.14), (0.20, 0.42, 0.66), (0.80, 0.74, 0.30))


def wheelie_bin(seed: int = 0) -> Asset:
    """Return a bin on wheels whose front faces along +x.

    Example:
        >>> wheelie_bin().size[2] > 1.0
        True
    """
    paint = Draws(seed, "wheelie bin").one_of(BIN_COLOURS)
    return asset("wheelie bin", Part(shared_mesh(_wheelie_bin), Label.STATIC, Material(paint)))


def rubbish_bag(seed: int = 0) -> Asset:
    """Return a tied bag of rubbish."""
    dark = Draws(seed, "rubbish bag").between(0.08, 0.22)
    return asset("rubbish bag", Part(shared_mesh(_rubbish_bag), Label.DYNAMIC, Material((dark, dark, dark))))


def litter(seed: int = 0, *, kind: str | None = None) -> Asset:
    """Return a piece of litter.

    Args:
        seed: Chooses kind and colour.
        kind: One of ``LITTER``; None is drawn.
    """
    draws = Draws(seed, "litter")
    drawn = draws.one_of(LITTER)
    chosen = drawn if kind is None else kind
    paint = draws.one_of(LEAVES if chosen == "leaves" else WRAPPERS)
    return asset(chosen, Part(shared_mesh(_litter, chosen), Label.DYNAMIC, Material(paint)))


def _wheelie_bin() -> Solid:
    body = box("paint", 0.5, 0.5, 0.92, (0.0, 0.0, 0.06), taper=1.15)
    lid = box("dark", 0.64, 0.6, 0.07, (0.02, 0.0, 0.98), taper=0.9)
    wheels = wheel("black", 0.1, 0.06, (-0.26, 0.22, 0.1), n=9).both()
    return union([body, lid, box("dark", 0.06, 0.5, 0.04, (-0.34, 0.0, 0.94)), wheels])


def _rubbish_bag() -> Solid:
    return ball("paint", 0.3, 0.27, 0.28, (0.0, 0.0, 0.26), n=9) + drum("paint", 0.07, 0.14, (0.0, 0.0, 0.5), n=7)


def _litter(kind: str) -> Solid:
    if kind == "leaves":
        heap = [
            ball("paint", 0.28 - 0.06 * k, 0.22 - 0.04 * k, 0.035, (0.2 * k - 0.15, 0.1 * (k % 2), 0.01), n=8)
            for k in range(3)
        ]
        return union(heap)
    if kind == "can":
        return wheel("paint", 0.033, 0.12, (0.0, 0.0, 0.033), n=8)
    if kind == "bottle":
        return wheel("paint", 0.04, 0.2, (0.0, 0.0, 0.04), n=8) + wheel("white", 0.015, 0.08, (0.0, 0.13, 0.04), n=6)
    if kind == "cup":
        return drum("paint", 0.03, 0.1, top=0.042, n=9)
    wide, long = (0.3, 0.42) if kind == "newspaper" else (0.15, 0.21)
    folded = box("light", 0.5 * wide, long, 0.02, (0.1 * wide, 0.02, 0.006))
    return box("paint", wide, long, 0.006) + folded
