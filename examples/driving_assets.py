"""Draw the contact sheets of the driving world: `python examples/driving_assets.py [folder]`."""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
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
from offnominal.worlds.road.example_block import example_block
from offnominal.worlds.road.labels import colour_table
from offnominal.worlds.road.rig_frame import RigFrame, record
from offnominal.worlds.road.rigs import rig
from offnominal.worlds.road.weather import WEATHERS

FLOOR = Material((0.66, 0.67, 0.66))
CORNER = ((-60.0, -1.75, 0.0), 0.0)


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


def weather_sheet() -> Image.Image:
    """Return one street under all weathers."""
    block, small = example_block(), replace(rig("mono"), width=330, height=220)
    frames = [record(block, small, *CORNER, weather=each, samples=2, seed=1) for each in WEATHERS.values()]
    images = [Image.fromarray(frame.cameras["top"].image.rgb) for frame in frames]
    return sheet([each.name for each in WEATHERS.values()], images, 4)


def rig_sheet() -> Image.Image:
    """Return the images of the surround rig, with the outputs of its front camera."""
    small = replace(rig("surround"), width=264, height=176)
    frame = record(example_block(), small, *CORNER, samples=2)
    titles = [f"{name}, rgb" for name in frame.cameras]
    images = [Image.fromarray(each.image.rgb) for each in frame.cameras.values()]
    front = frame.cameras["front"].image
    depth = np.clip(255.0 * (1.0 - np.log(np.clip(front.depth, 2.0, 200.0) / 2.0) / np.log(100.0)), 0.0, 255.0)
    shuffled = np.random.default_rng(0).integers(40, 255, (4096, 3)).astype(np.uint8)
    shuffled[0] = 0
    titles += ["front, depth", "front, label", "front, instance", "lidar from above, 25 m to each side"]
    grey = np.repeat(depth.astype(np.uint8)[..., None], 3, axis=2)
    images += [Image.fromarray(each) for each in (grey, colour_table()[front.label], shuffled[front.instance % 4096])]
    return sheet(titles, [*images, Image.fromarray(from_above(frame, 264, 176))], 5)


def from_above(frame: RigFrame, width: int, height: int) -> np.ndarray:
    """Return the points of the lidar seen from above, in the colours of their labels."""
    cloud, lidar = frame.lidars["front"].measured, frame.lidars["front"].lidar
    points = cloud.points[cloud.returned] - np.asarray(lidar.position)
    order = np.argsort(points[:, 2])
    scale = height / 50.0
    across, down = (width / 2 + scale * points[:, 0]).astype(int), (height / 2 - scale * points[:, 1]).astype(int)
    page = np.full((height, width, 3), 20, np.uint8)
    inside = (across >= 0) & (across < width) & (down >= 0) & (down < height)
    kept = order[inside[order]]
    page[down[kept], across[kept]] = colour_table()[cloud.label[cloud.returned]][kept]
    return page


def main(folder: Path) -> None:
    """Write all sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    made = assets()
    pages = {f"anomalies-{name}": page for name, page in anomaly_sheets().items()}
    pages |= {"assets": sheet([each.name for each in made], [portrait(each, 146, 120) for each in made], 9)}
    pages |= {"weathers": weather_sheet(), "surround": rig_sheet()}
    for name, page in pages.items():
        page.save(folder / f"{name}.webp", quality=82, method=6)
        print(f"Written: {folder / f'{name}.webp'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/road"]))
