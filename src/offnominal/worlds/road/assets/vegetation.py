"""Trees and shrubs."""

from __future__ import annotations

from typing import TypeAlias

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.sensing.material import Colour, Material
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import ball, drum, lathe, sheet, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

TREES = ("broadleaf", "round", "poplar", "conifer", "palm")
VARIANTS = 3
Blob: TypeAlias = tuple[float, float, float, float]
GREENS: tuple[tuple[Colour, Colour], ...] = (
    ((0.14, 0.27, 0.09), (0.32, 0.47, 0.16)),
    ((0.18, 0.33, 0.12), (0.38, 0.50, 0.20)),
    ((0.11, 0.24, 0.12), (0.26, 0.42, 0.20)),
)


def tree(seed: int = 0, *, kind: str | None = None) -> Asset:
    """Return a tree; `kind` is one of ``TREES``, chosen by the seed where it is not given."""
    draws = Draws(seed, "tree")
    chosen = draws.one_of(TREES[:-1]) if kind is None else kind
    if chosen not in TREES:
        raise UnknownName(f"no tree named {chosen!r}.{did_you_mean(chosen, TREES)}")
    dark, light = draws.one_of(GREENS)
    leaves = Material(dark, light, "noise", 0.35)
    return asset(chosen, Part(shared_mesh(_tree, chosen, draws.whole(0, VARIANTS - 1)), Label.VEGETATION, leaves))


def shrub(seed: int = 0) -> Asset:
    """Return a shrub."""
    draws = Draws(seed, "shrub")
    dark, light = draws.one_of(GREENS)
    return asset(
        "shrub",
        Part(shared_mesh(_shrub, draws.whole(0, VARIANTS - 1)), Label.VEGETATION, Material(dark, light, "noise", 0.2)),
    )


def crown(name: str, blobs: tuple[Blob, ...], seed: int) -> Solid:
    """Return a crown of leaves: rough balls given as (x, y, z, radius)."""
    return union(
        [ball(name, r, r, 0.85 * r, (x, y, z), n=9).rough(0.14, seed + k) for k, (x, y, z, r) in enumerate(blobs)]
    )


def _tree(kind: str, variant: int) -> Solid:
    trunk = tube("bark", ((0.0, 0.0, 0.0), (0.05, 0.03, 1.4), (0.0, 0.0, 2.9)), (0.2, 0.14, 0.1), n=7)
    size = 1.0 + 0.16 * (variant - 1)
    blobs: tuple[Blob, ...]
    if kind == "broadleaf":
        blobs = (
            (0.0, 0.0, 3.6, 1.35),
            (1.0, 0.3, 3.3, 1.0),
            (-0.8, 0.7, 3.4, 1.05),
            (-0.3, -1.0, 3.2, 1.0),
            (0.4, -0.3, 4.6, 1.0),
            (-0.5, 0.4, 4.7, 0.9),
        )
        limbs = [
            tube("bark", ((0.0, 0.0, 1.9), (x, y, 3.0)), (0.08, 0.04), n=5)
            for x, y in ((0.8, 0.3), (-0.7, 0.6), (-0.2, -0.8))
        ]
        return union([trunk, *limbs, crown("paint", blobs, 10 * variant)]).turn(z=70.0 * variant).scale(size)
    if kind == "round":
        blobs = ((0.0, 0.0, 3.3, 1.5), (0.5, 0.4, 4.0, 1.0), (-0.5, -0.4, 3.9, 1.05))
        return (trunk + crown("paint", blobs, 40 + 10 * variant)).scale(size)
    if kind == "poplar":
        return (trunk + ball("paint", 0.85, 0.85, 3.0, (0.0, 0.0, 4.2), n=11).rough(0.1, 70 + variant)).scale(size)
    if kind == "conifer":
        cones = [
            lathe("paint", ((r, z), (0.55 * r, z + 0.5 * h), (0.0, z + h)), n=11).rough(0.05, 90 + k + variant)
            for k, (r, z, h) in enumerate(((1.5, 0.9, 2.2), (1.2, 2.1, 2.1), (0.9, 3.3, 1.9), (0.55, 4.5, 1.6)))
        ]
        return union([drum("bark", 0.16, 1.6, n=7), *cones]).scale(size)
    return _palm().turn(z=50.0 * variant).scale(size)


def _palm() -> Solid:
    trunk = tube("wood", ((0.0, 0.0, 0.0), (0.15, 0.0, 2.0), (0.1, 0.0, 4.6)), (0.2, 0.14, 0.12), n=8)
    grid = [
        [
            (
                0.15 * 3.0 * k / 5 * 2.2 + 0.1,
                s * 0.38 * (0.4 + 1.2 * t * (1 - t) * 2),
                0.45 * 4 * t * (1 - t) - 1.3 * t * t - 0.1 * abs(s),
            )
            for s in (-1.0, 0.0, 1.0)
        ]
        for k in range(6)
        for t in (k / 5,)
    ]
    leaf = sheet("paint", grid).scale(1.25)
    return trunk + leaf.around(9).move(0.1, 0.0, 4.6) + leaf.scale(0.7).turn(y=-25.0).around(5).move(0.1, 0.0, 4.6)


def _shrub(variant: int) -> Solid:
    blobs = ((0.0, 0.0, 0.45, 0.55), (0.4, 0.25, 0.35, 0.42), (-0.35, -0.2, 0.38, 0.45))
    return crown("paint", blobs, 120 + 10 * variant).on_ground()
