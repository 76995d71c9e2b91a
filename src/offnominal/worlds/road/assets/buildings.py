"""Buildings of several styles, each one mesh whose walls have a texture of windows."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.sensing.material import Colour, Material, Texture
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import box, drum, prism
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

GLASS: Colour = (0.20, 0.27, 0.35)


@dataclass(frozen=True)
class Style:
    """What the buildings of one style have in common.

    Args:
        texture: Texture of the walls.
        bay: Width of a bay and height of a storey, m.
        storeys: Fewest and most storeys above the ground floor.
        walls: Colours of the walls.
        base: Colour of the ground floor.
        roof: Shape of the roof: ``"flat"``, ``"gable"`` or ``"hip"``.
        cover: Colours of the roof.
        second: Second colour of the texture.
    """

    texture: Texture
    bay: float
    storeys: tuple[int, int]
    walls: tuple[Colour, ...]
    base: str
    roof: str
    cover: tuple[str, ...]
    second: Colour = GLASS


STYLES: dict[str, Style] = {
    "apartments": Style(
        "windows",
        3.0,
        (2, 5),
        ((0.80, 0.72, 0.60), (0.86, 0.84, 0.78), (0.70, 0.58, 0.50), (0.62, 0.66, 0.70)),
        "stone",
        "flat",
        ("slate", "concrete"),
    ),
    "old town": Style(
        "windows",
        2.8,
        (2, 3),
        ((0.86, 0.78, 0.58), (0.78, 0.56, 0.44), (0.72, 0.74, 0.62), (0.84, 0.84, 0.80)),
        "stone",
        "gable",
        ("tile", "slate"),
    ),
    "brick": Style(
        "windows",
        2.8,
        (1, 3),
        ((0.55, 0.27, 0.20), (0.48, 0.24, 0.18), (0.62, 0.36, 0.26)),
        "brick",
        "hip",
        ("slate", "dark"),
    ),
    "house": Style(
        "windows",
        2.6,
        (0, 1),
        ((0.90, 0.88, 0.82), (0.82, 0.74, 0.58), (0.66, 0.72, 0.74)),
        "white",
        "gable",
        ("tile", "brown", "slate"),
    ),
    "office": Style(
        "ribbons",
        3.4,
        (3, 7),
        ((0.78, 0.78, 0.76), (0.60, 0.62, 0.64), (0.70, 0.62, 0.52)),
        "concrete",
        "flat",
        ("concrete",),
    ),
    "tower": Style(
        "curtain", 3.2, (7, 12), ((0.50, 0.52, 0.54), (0.32, 0.34, 0.36)), "dark", "flat", ("grey",), (0.26, 0.38, 0.48)
    ),
    "warehouse": Style(
        "planks",
        1.0,
        (6, 9),
        ((0.62, 0.66, 0.68), (0.50, 0.56, 0.62), (0.66, 0.62, 0.52)),
        "concrete",
        "gable",
        ("grey", "slate"),
        (0.38, 0.40, 0.42),
    ),
}


def building(
    seed: int = 0, *, style: str | None = None, width: float = 14.0, depth: float = 12.0, storeys: int | None = None
) -> Asset:
    """Return a building whose front faces along +x.

    Args:
        seed: Chooses style, storeys and colours where they are not given.
        style: One of ``STYLES``.
        width: Length of the front, m; rounded down to whole pairs of bays.
        depth: Extent behind the front, m; rounded down in the same way.
        storeys: Storeys above the ground floor.

    Example:
        >>> building(style="office", storeys=4).name
        'office building'
    """
    draws = Draws(seed, "building")
    chosen = draws.one_of(tuple(STYLES)) if style is None else style
    if chosen not in STYLES:
        raise UnknownName(f"no style of buildings named {chosen!r}.{did_you_mean(chosen, STYLES)}")
    kind = STYLES[chosen]
    floors = draws.whole(*kind.storeys) if storeys is None else storeys
    if not (width >= 2.0 * kind.bay and depth >= 2.0 * kind.bay and 0 <= floors <= 60):
        raise InvalidParameter(
            f"width is {width}, depth {depth} and storeys {floors}; a {chosen} building needs at least "
            f"{2.0 * kind.bay} m each way and from 0 to 60 storeys."
        )
    bays = (int(width / (2.0 * kind.bay)), int(depth / (2.0 * kind.bay)))
    walls = Material(draws.one_of(kind.walls), kind.second, kind.texture, kind.bay)
    mesh = shared_mesh(_building, chosen, *bays, floors, draws.one_of(kind.cover), draws.whole(0, 3))
    return asset(f"{chosen} building", Part(mesh, Label.BUILDING, walls))


def _building(style: str, wide: int, deep: int, storeys: int, cover: str, accent: int) -> Solid:
    kind = STYLES[style]
    y, x, high = 2.0 * wide * kind.bay, 2.0 * deep * kind.bay, (storeys + 1) * kind.bay
    parts = [box("paint", x, y, high)]
    if style == "warehouse":
        gates = [box("slate", 0.1, 3.6, 4.0, (0.5 * x, b, 0.0)) for b in (-0.25 * y, 0.25 * y)]
        return union([*parts, *gates, *_roof("gable", cover, x, y, high, 0.14)])
    if style != "house":
        parts.append(_ground_floor(kind, x, y, accent))
    else:
        parts += [
            box("brown", 0.1, 1.0, 2.1, (0.5 * x, 0.0, 0.0)),
            box("stone", 1.2, 1.8, 0.15, (0.5 * x + 0.5, 0.0, 0.0)),
        ]
    if style == "apartments":
        balcony = box("light", 1.1, 2.2, 0.15) + box("dark", 0.05, 2.2, 0.9, (0.52, 0.0, 0.15))
        columns = [(2 * k + 0.5) * kind.bay for k in range(-(wide // 2), (wide + 1) // 2)]
        parts += [balcony.move(0.5 * x + 0.5, b, (f + 1) * kind.bay + 0.3) for f in range(storeys) for b in columns]
    if kind.roof == "flat":
        rim = [box("light", x + 0.3, 0.3, 0.7, (0.0, s * 0.5 * y, high)) for s in (1, -1)]
        rim += [box("light", 0.3, y + 0.3, 0.7, (s * 0.5 * x, 0.0, high)) for s in (1, -1)]
        plant = box("grey", 0.35 * x, 0.3 * y, 1.8, (-0.1 * x, 0.1 * y, high)) + drum(
            "grey", 0.6, 1.1, (0.25 * x, -0.3 * y, high), n=9
        )
        return union([*parts, *rim, box(cover, x, y, 0.1, (0.0, 0.0, high)), plant])
    chimney = box("brick", 0.7, 0.7, 0.45 * y * 0.5 + 1.2, (-0.2 * x, 0.25 * y, high))
    return union([*parts, *_roof(kind.roof, cover, x, y, high, 0.42), chimney])


def _ground_floor(kind: Style, x: float, y: float, accent: int) -> Solid:
    """Return the ground floor: a plinth with shop windows, a door and an awning."""
    h = kind.bay
    parts = [box(kind.base, x + 0.12, y + 0.12, h)]
    n = max(1, int(y / 5.0))
    for k in range(n):
        at = -0.5 * y + (k + 0.5) * y / n
        parts.append(box("window", 0.08, 0.62 * y / n, 0.62 * h, (0.5 * x + 0.06, at, 0.15 * h)))
        if (k + accent) % 2 == 0 and h < 3.1:
            awning = prism(
                ("red", "green", "navy", "cream")[accent],
                ((0.0, 0.45), (1.0, 0.0), (1.0, -0.18), (0.0, 0.35)),
                0.7 * y / n,
            )
            parts.append(awning.move(0.5 * x + 0.06, at, 0.83 * h))
    parts.append(box("brown", 0.1, 1.1, 0.72 * h, (0.5 * x + 0.06, -0.5 * y + 0.9, 0.0)))
    return union(parts)


def _roof(shape: str, cover: str, x: float, y: float, high: float, pitch: float) -> list[Solid]:
    """Return a roof whose ridge runs along the front, with eaves."""
    rise, a, b = pitch * 0.5 * x + 0.3, 0.5 * x + 0.4, y + 0.8
    if shape == "hip":
        return [box(cover, 2.0 * a, b, rise, (0.0, 0.0, high), taper=(0.04, max(0.1, 1.0 - 2.0 * a / b)))]
    gable = prism("paint", ((-0.5 * x, 0.0), (0.5 * x, 0.0), (0.0, rise - 0.25)), y, (0.0, 0.0, high))
    slopes = [
        prism(cover, ((s * a, -0.15), (s * a, 0.05), (0.0, rise), (0.0, rise - 0.25)), b, (0.0, 0.0, high))
        for s in (1, -1)
    ]
    return [gable, *slopes]
