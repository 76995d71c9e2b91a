"""Draw the images of the guide on voxels: `python examples/voxel_truth.py [folder]`."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from offnominal.core.types import Frame
from offnominal.sensing import voxelise_scores
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario
from offnominal.worlds.road.scenes import DrivingFrame, ScenarioRun, ego_points, voxel_truth
from offnominal.worlds.road.scenes.voxel_view import scores_from_above, voxels_from_above, voxels_in_3d

COW = Scenario(
    "cow",
    town="residential",
    weather="CLEAR_NOON",
    seed=8,
    vehicles=60,
    pedestrians=40,
    anomaly=ContentAnomaly("cow", distance=80.0, yaw=80.0),
)
FRAME, GAP, TITLE = 96, 8, 18
INK = (60, 64, 72)


def titled(image: Frame, title: str, height: int) -> Image.Image:
    """Return an image of a given height below its title."""
    picture = Image.fromarray(image)
    width = round(picture.width * height / picture.height)
    whole = Image.new("RGB", (width, height + TITLE), "white")
    ImageDraw.Draw(whole).text((2, 3), title, fill=INK)
    whole.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (0, TITLE))
    return whole


def beside(images: list[Image.Image]) -> Image.Image:
    """Return images side by side."""
    whole = Image.new("RGB", (sum(i.width for i in images) + GAP * (len(images) - 1), images[0].height), "white")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + GAP
    return whole


def cropped(image: Frame, pixels: int) -> Frame:
    """Return the part from 15 m behind to 45 m ahead of the ego vehicle, 30 m to either side."""
    return image[2 * pixels * 5 : 2 * pixels * 65, 2 * pixels * 20 : 2 * pixels * 80]


def main(folder: Path) -> None:
    """Draw all images."""
    folder.mkdir(parents=True, exist_ok=True)
    rig = replace(RIGS["multi"], width=384, height=256)
    frame: DrivingFrame = next(ScenarioRun(COW, rig=rig, samples=2).frames(start=FRAME))
    truth = voxel_truth(frame)
    cloud = ego_points(frame)
    height = voxelise_scores(cloud.points, np.clip(cloud.points[:, 2], 0.0, 3.0))
    rgb = frame.sensors.cameras["front"].image.rgb
    above = cropped(voxels_from_above(truth, pixels=4), 4)
    heat = cropped(scores_from_above(height, pixels=4), 4)
    row = [titled(rgb, "front camera", 300), titled(above, "voxel truth from above", 300)]
    row.append(titled(heat, "height above the road as a score", 300))
    beside(row).save(folder / "voxel-truth.webp", quality=88, method=6)
    Image.fromarray(voxels_in_3d(truth, width=960, height=480)).save(folder / "voxel-3d.webp", quality=88, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/assets/road"))
