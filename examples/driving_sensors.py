"""Draw the images of the models of sensors: `python examples/driving_sensors.py [folder]`."""

import sys
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from offnominal.sensing import CAMERA_MODELS
from offnominal.worlds.road.rigs import rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import LOOKS, DrivingFrame, ScenarioRun

WIDTH, HEIGHT, GAP, TITLE = 400, 266, 4, 14
RIG = replace(rig("mono"), width=WIDTH, height=HEIGHT)
# Town, weather and seed of the frames that show the looks.
MOMENTS = (
    ("downtown", "CLEAR_NOON", 5),
    ("small-town", "WET_SUNSET", 2),
    ("residential", "SOFT_RAIN_NOON", 3),
    ("grid", "CLEAR_SUNSET", 5),
)
COW = ContentAnomaly("cow", 70.0, lateral_offset=0.5, yaw=90.0)
# Tick 65 of the scenario; the ego vehicle has 8 m/s.
TIMING = Timing(15, 50, record_every=50)


def frame_of(town: str, weather: str = "CLEAR_NOON", seed: int = 5, **options: str) -> DrivingFrame:
    """Return the last frame of a scenario with a cow."""
    scenario = Scenario("cow", town, weather, seed=seed, vehicles=60, pedestrians=60, anomaly=COW, timing=TIMING)
    return list(ScenarioRun(scenario, rig=RIG, samples=2, **options))[-1]


def image_of(frame: DrivingFrame) -> Image.Image:
    """Return the colours of its camera."""
    return Image.fromarray(frame.sensors.cameras["top"].image.rgb)


def sheet(images: dict[str, Image.Image], columns: int) -> Image.Image:
    """Return images in a grid, each below its title."""
    rows = -(-len(images) // columns)
    page = Image.new("RGB", (columns * (WIDTH + GAP) - GAP, rows * (HEIGHT + GAP + TITLE) - GAP), "white")
    draw = ImageDraw.Draw(page)
    for k, (title, image) in enumerate(images.items()):
        left, top = k % columns * (WIDTH + GAP), k // columns * (HEIGHT + GAP + TITLE)
        page.paste(image, (left, top + TITLE))
        draw.text((left + 2, top), title, fill="black")
    return page


def camera_sheet() -> Image.Image:
    """Return one frame by each camera model."""
    return sheet({name: image_of(frame_of("downtown", camera=name)) for name in CAMERA_MODELS}, 2)


def look_sheet() -> Image.Image:
    """Return some frames with each look."""
    images = {}
    for town, weather, seed in MOMENTS:
        for look in LOOKS:
            images[f"{town}, {weather}: {look}"] = image_of(frame_of(town, weather, seed, look=look))
    return sheet(images, len(LOOKS))


def main(folder: Path) -> None:
    """Write all images."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in {"camera-models": camera_sheet, "looks": look_sheet}.items():
        path = folder / f"{name}.webp"
        draw().save(path, quality=80, method=6)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/road"]))
