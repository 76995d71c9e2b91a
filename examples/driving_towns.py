"""Draw the images and clips of the towns: `python examples/driving_towns.py [folder]`.

A clip shows the nominal twin of a scenario on the left and the scenario on the right. The right half has a red border
while the anomaly is active.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from offnominal.sensing import Camera, CameraImage, Scene, render
from offnominal.worlds.road.clouds import add_clouds
from offnominal.worlds.road.labels import Label, colour_table
from offnominal.worlds.road.rig_frame import LidarFrame, RigFrame, record
from offnominal.worlds.road.rigs import RIGS, Mount, Rig, rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, TemporalAnomaly
from offnominal.worlds.road.scenes import ScenarioRun, TownScene
from offnominal.worlds.road.town import Snapshot, Town, TownSimulation, town_names
from offnominal.worlds.road.weather import WEATHERS, Weather

WIDTH, HEIGHT, GAP, TITLE = 400, 264, 4, 14
NOON = WEATHERS["CLEAR_NOON"]
# Seed of the traffic and tick of the images of each town.
MOMENTS = {
    "small-town": (2, 80),
    "residential": (3, 130),
    "roundabout": (1, 130),
    "highway-ring": (4, 120),
    "grid": (5, 90),
    "boulevard": (1, 130),
    "rural": (6, 130),
    "downtown": (6, 70),
}
# Town, seed, and first and last tick of the clip of each temporal anomaly.
CLIPS = {
    "sudden-braking": ("boulevard", 8, 130, 185),
    "cut-in": ("highway-ring", 8, 17, 72),
    "wrong-way": ("residential", 2, 90, 145),
    "jaywalker": ("small-town", 6, 26, 86),
    "swerving-car": ("roundabout", 2, 26, 86),
    "stopped-car": ("downtown", 8, 55, 115),
    "light-ignored": ("grid", 2, 120, 178),
}
CLIP_RIG = Rig("clip", (Mount("front", (0.3, 0.0, 1.6), lidar=False),), width=480, height=320, fov=75.0)
# Objects that are hit: name, distance to the left of the centre of the lane, and direction; ticks after the hit.
HITS = (("cow", 0.3, 90.0), ("wardrobe", 0.0, 30.0), ("snowman", 0.6, 10.0))
AFTER_HIT = (-1, 0, 2, 4, 7, 11, 16)
HIT_SIZE = (216, 144)
RED, GREY = (214, 73, 51), (201, 204, 209)
EVERY, MILLISECONDS, EDGE = 2, 100, 4


def state_of(town: str) -> tuple[TownSimulation, Snapshot]:
    """Return a town with traffic at its moment."""
    seed, ticks = MOMENTS[town]
    simulation = TownSimulation(town)
    state = simulation.reset(seed)
    for _ in range(ticks):
        state = simulation.step()
    return simulation, state


def pose_of(state: Snapshot) -> tuple[tuple[float, float, float], float]:
    """Return position and yaw in degrees of the ego vehicle."""
    x, y = state.position[0].tolist()
    return (x, y, 0.0), math.degrees(state.heading[0])


def drawn(scene: Scene, camera: Camera, weather: Weather = NOON) -> Image.Image:
    """Return an image under a weather, with its clouds."""
    image: CameraImage = render(weather.apply(scene), camera, ("rgb", "label"))
    add_clouds(camera, image, weather)
    return Image.fromarray(image.rgb)


def views(town: str) -> list[Image.Image]:
    """Return a town from the ego vehicle, from behind it, and from above."""
    simulation, state = state_of(town)
    scene = TownScene(simulation.town, seed=1).at(state, ego=True)
    (x, y, _), yaw = pose_of(state)
    ahead = np.array((math.cos(math.radians(yaw)), math.sin(math.radians(yaw))))
    own = rig("mono").camera_at(rig("mono").mounts[0], (x, y, 0.0), yaw)
    own = replace(own, width=WIDTH, height=HEIGHT, samples=3)
    eye, target = (x, y) - 26.0 * ahead, (x, y) + 14.0 * ahead
    behind = Camera((*eye.tolist(), 15.0), (*target.tolist(), 1.0), WIDTH, HEIGHT, 48.0, samples=3)
    first = drawn(TownScene(simulation.town, seed=1).at(state), own)
    return [first, drawn(scene, behind), from_above(simulation.town, state)]


def from_above(town: Town, state: Snapshot) -> Image.Image:
    """Return the whole town from above."""
    left, bottom, right, top = town.graph.bounds
    middle = (0.5 * (left + right), 0.5 * (bottom + top))
    high = max(top - bottom, (right - left) * HEIGHT / WIDTH) + 60.0
    camera = Camera(
        (*middle, 400.0), (*middle, 0.0), WIDTH, HEIGHT, up=(0.0, 1.0, 0.0), view_height=high, samples=3
    )  # fmt: skip
    whole = TownScene(town, seed=1).at(state, ego=True, reach=math.inf)
    return Image.fromarray(render(Scene(whole.instances, NOON.light()), camera).rgb)


def sheet(images: Sequence[Image.Image], columns: int, titles: Sequence[str] | None = None) -> Image.Image:
    """Return images in a grid, each below its title."""
    width, height = images[0].size
    room = 0 if titles is None else TITLE
    rows = -(-len(images) // columns)
    page = Image.new("RGB", (columns * (width + GAP) - GAP, rows * (height + GAP + room) - GAP), "white")
    draw = ImageDraw.Draw(page)
    for k, image in enumerate(images):
        left, top = k % columns * (width + GAP), k // columns * (height + GAP + room)
        page.paste(image, (left, top + room))
        if titles is not None:
            draw.text((left + 2, top), titles[k], fill="black")
    return page


def weather_sheet() -> Image.Image:
    """Return one street under all weathers."""
    simulation, state = state_of("small-town")
    scene, small = TownScene(simulation.town, seed=1).at(state), replace(rig("mono"), width=300, height=200)
    frames = [record(scene, small, *pose_of(state), weather=each, samples=2, seed=1) for each in WEATHERS.values()]
    images = [Image.fromarray(frame.cameras["top"].image.rgb) for frame in frames]
    return sheet(images, 4, [each.name for each in WEATHERS.values()])


def rig_sheet() -> Image.Image:
    """Return the images of all cameras of all rigs, the outputs of one camera, and a lidar from above."""
    simulation, state = state_of("roundabout")
    scene = TownScene(simulation.town, seed=1).at(state)
    images, titles = [], []
    for each in RIGS.values():
        frame = record(scene, replace(each, width=204, height=136), *pose_of(state), samples=2)
        images += [Image.fromarray(camera.image.rgb) for camera in frame.cameras.values()]
        titles += [f"{each.name}: {name}" for name in frame.cameras]
        if each.name == "stereo-one-lidar":
            images.append(cloud_from_above(frame.lidars["top"], 204, 136))
            titles.append(f"{each.name}: lidar")
        if each.name == "mono":
            made = outputs(frame)
            images += made.values()
            titles += [f"mono: top, {name}" for name in made]
    return sheet(images, 6, titles)


def outputs(frame: RigFrame) -> dict[str, Image.Image]:
    """Return depth, labels and instances of a camera, and its lidar, as images."""
    image = frame.cameras["top"].image
    depth = np.clip(255.0 * (1.0 - np.log(np.clip(image.depth, 2.0, 200.0) / 2.0) / np.log(100.0)), 0.0, 255.0)
    colours = np.random.default_rng(0).integers(40, 255, (4096, 3)).astype(np.uint8)
    colours[0] = 0
    arrays = {
        "depth": np.repeat(depth.astype(np.uint8)[..., None], 3, axis=2),
        "label": colour_table()[image.label],
        "instance": colours[image.instance % 4096],
    }
    made = {name: Image.fromarray(array) for name, array in arrays.items()}
    return {**made, "lidar": cloud_from_above(frame.lidars["top"], 204, 136)}


def cloud_from_above(frame: LidarFrame, width: int, height: int) -> Image.Image:
    """Return the points of a lidar from above, 30 m to each side, in the colours of their labels."""
    cloud = frame.measured
    points = cloud.points[cloud.returned] - np.asarray(frame.lidar.position)
    scale = height / 60.0
    across, down = (width / 2 + scale * points[:, 0]).astype(int), (height / 2 - scale * points[:, 1]).astype(int)
    inside = (across >= 0) & (across < width) & (down >= 0) & (down < height)
    order = np.argsort(points[:, 2])
    kept = order[inside[order]]
    page = np.full((height, width, 3), 20, np.uint8)
    page[down[kept], across[kept]] = colour_table()[cloud.label[cloud.returned]][kept]
    return Image.fromarray(page)


def anomaly_scenario(kind: str) -> Scenario:
    """Return the scenario of a clip."""
    lead = 9 if kind in ("sudden-braking", "stopped-car", "swerving-car") else None
    actor = "walker.pedestrian" if kind == "jaywalker" else "vehicle.sedan"
    town, seed, _, _ = CLIPS[kind]
    anomaly = TemporalAnomaly(kind, actor, lead_distance=lead)
    return Scenario(kind, town, "CLEAR_NOON", seed=seed, vehicles=60, pedestrians=60, anomaly=anomaly)


def clip_frames(kind: str, *, twin: bool) -> Iterator[tuple[Image.Image, bool]]:
    """Return the images of a clip, and whether the anomaly is active and visible."""
    _, _, first, last = CLIPS[kind]
    run = ScenarioRun(anomaly_scenario(kind), rig=CLIP_RIG, twin=twin, outputs=("rgb", "label"))
    for frame in run.frames(start=first - run.scenario.timing.frame_ticks[0]):
        if frame.tick > last:
            return
        if (frame.tick - first) % EVERY == 0:
            image = frame.sensors.cameras["front"].image
            small = Image.fromarray(image.rgb).resize((240, 160), Image.Resampling.LANCZOS)
            yield small, bool((image.label == Label.TEMPORAL_ANOMALY).any())


def clip(kind: str, path: Path) -> None:
    """Write a scenario beside its nominal twin."""
    images = []
    for left, right in zip(clip_frames(kind, twin=True), clip_frames(kind, twin=False), strict=True):
        page = Image.new("RGB", (2 * 240 + GAP, 160), "white")
        for k, (image, active) in enumerate((left, right)):
            page.paste(image, (k * (240 + GAP), 0))
            box = (k * (240 + GAP), 0, k * (240 + GAP) + 239, 159)
            ImageDraw.Draw(page).rectangle(box, outline=RED if active else GREY, width=EDGE)
        images.append(page)
    first, *others = images
    first.save(path, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, quality=45, method=6)


def hit_images(name: str, offset: float, yaw: float) -> list[Image.Image]:
    """Return an object before, while and after the ego vehicle hits it, from the side and from the ego vehicle."""
    anomaly = ContentAnomaly(name, distance=60.0, lateral_offset=offset, yaw=yaw)
    scenario = Scenario(name, "rural", "CLEAR_NOON", seed=7, vehicles=5, pedestrians=5, anomaly=anomaly)
    run = ScenarioRun(scenario, rig=rig("mono"))
    truth = run.anomaly_truth()
    first = truth.hits[0].tick if truth is not None else 0
    frames = [first + after - scenario.timing.frame_ticks[0] for after in AFTER_HIT]
    width, height = HIT_SIZE
    side_views, own_views = [], []
    for _, state, around in run.scenes(numbers=frames):
        (x, y, _), yaw_now = pose_of(state)
        ahead = np.array((math.cos(math.radians(yaw_now)), math.sin(math.radians(yaw_now))))
        left = np.array((-ahead[1], ahead[0]))
        eye, target = (x, y) + 4.0 * ahead - 8.0 * left, (x, y) + 4.0 * ahead
        side = Camera((*eye.tolist(), 2.2), (*target.tolist(), 0.7), width, height, 55.0, samples=2)
        side_views.append(drawn(around(ego=True), side))
        own = rig("mono").camera_at(rig("mono").mounts[0], (x, y, 0.0), yaw_now)
        own_views.append(drawn(around(), replace(own, width=width, height=height, samples=2)))
    return side_views + own_views


def hit_sheet() -> Image.Image:
    """Return three objects that are hit, two rows for each."""
    images = [image for each in HITS for image in hit_images(*each)]
    return sheet(images, len(AFTER_HIT))


def main(folder: Path) -> None:
    """Write all images and clips."""
    folder.mkdir(parents=True, exist_ok=True)
    for town in town_names():
        sheet(views(town), 3).save(folder / f"town-{town}.webp", quality=74, method=6)
    weather_sheet().save(folder / "weathers.webp", quality=76, method=6)
    rig_sheet().save(folder / "rigs.webp", quality=78, method=6)
    hit_sheet().save(folder / "hits.webp", quality=70, method=6)
    for kind in CLIPS:
        clip(kind, folder / f"clip-{kind}.webp")
    for path in sorted(folder.iterdir()):
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/road"]))
