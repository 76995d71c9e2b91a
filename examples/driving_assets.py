"""Draw the contact sheets of the driving world: `python examples/driving_assets.py [folder]`."""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from offnominal.sensing import Camera, Instance, Material, Plane, Scene, render
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.buildings import STYLES, building
from offnominal.worlds.road.assets.catalogue import SUPER_CLASSES, catalogue
from offnominal.worlds.road.assets.people import pedestrian
from offnominal.worlds.road.assets.street_furniture import (
    bench,
    bus_stop,
    fence,
    guard_rail,
    litter_bin,
    street_lamp,
    traffic_light,
    traffic_sign,
    wall,
)
from offnominal.worlds.road.assets.two_wheelers import bicycle, motorcycle
from offnominal.worlds.road.assets.vegetation import TREES, shrub, tree
from offnominal.worlds.road.assets.vehicles import CAR_BODIES, PAINTS, TRUCK_BODIES, bus, car, truck
from offnominal.worlds.road.weather import WEATHERS

FLOOR = Material((0.66, 0.67, 0.66))


def portrait(asset: Asset, width: int, height: int, yaw: float = 35.0) -> Image.Image:
    """Return an image of one asset on a grey floor."""
    x, y, z = asset.size
    far = 0.5 * math.sqrt(x * x + y * y + z * z) / math.tan(math.radians(11.0))
    turn, lift = math.radians(yaw), math.radians(17.0)
    eye = (
        far * math.cos(turn) * math.cos(lift),
        far * math.sin(turn) * math.cos(lift),
        0.48 * z + far * math.sin(lift),
    )
    camera = Camera(eye, (0.0, 0.0, 0.48 * z), width, height, fov=22.0, samples=3)
    floor = Instance(Plane(), material=FLOOR, identity=1)
    light = replace(WEATHERS["CLEAR_NOON"].light(), towards_sun=(0.6, 0.55, 0.9))
    return Image.fromarray(render(Scene((floor, *asset.placed(identity=2)), light), camera).rgb)


def sheet(titles: Sequence[str], images: Sequence[Image.Image], columns: int, label: int = 13) -> Image.Image:
    """Return images in a grid, each below its title."""
    width, height = images[0].size
    rows = -(-len(images) // columns)
    page = Image.new("RGB", (columns * (width + 2), rows * (height + label + 2)), "white")
    draw = ImageDraw.Draw(page)
    for k, (title, image) in enumerate(zip(titles, images, strict=True)):
        left, top = k % columns * (width + 2), k // columns * (height + label + 2)
        page.paste(image, (left, top + label))
        draw.text((left + 3, top), title, fill="black")
    return page


def assets() -> list[Asset]:
    """Return one asset of every kind."""
    made = [car(body=body, paint=PAINTS[k]) for k, body in enumerate(CAR_BODIES)]
    made += [truck(k, body=body) for k, body in enumerate(TRUCK_BODIES)]
    made += [bus(1), motorcycle(1), bicycle(2), *(pedestrian(k, phase=k / 8) for k in (1, 2, 3, 5))]
    made += [building(k, style=style) for k, style in enumerate(STYLES)] + [tree(1, kind=kind) for kind in TREES]
    made += [shrub(), street_lamp(), traffic_light("red"), traffic_light("green", arm=4.0)]
    made += [traffic_sign(kind) for kind in ("stop", "yield", "crossing", "speed_50")]
    return [*made, guard_rail(), fence(), wall(), bench(), litter_bin(), bus_stop()]


def anomaly_sheets() -> dict[str, Image.Image]:
    """Return one sheet per super-class, and for the three small ones one together."""
    groups = {
        "home": ["HOME"],
        "animal": ["ANIMAL"],
        "special": ["SPECIAL"],
        "others": ["NATURE", "FALLING", "AIRPLANE"],
    }
    pages = {}
    for name, labels in groups.items():
        chosen = [each for each in catalogue().values() if each.super_class.name in labels]
        titles = [f"{each.name.replace('_', ' ')} ({each.size})" for each in chosen]
        pages[name] = sheet(titles, [portrait(each.asset(), 146, 120) for each in chosen], 9)
    assert sum(SUPER_CLASSES.values()) == len(catalogue())
    return pages


def main(folder: Path) -> None:
    """Write all sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    made = assets()
    pages = {f"anomalies-{name}": page for name, page in anomaly_sheets().items()}
    pages |= {"assets": sheet([each.name for each in made], [portrait(each, 146, 120) for each in made], 9)}
    for name, page in pages.items():
        page.save(folder / f"{name}.webp", quality=82, method=6)
        print(f"Written: {folder / f'{name}.webp'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/road"]))
