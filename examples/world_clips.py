"""Draw images and clips of the arm and highway worlds: `python examples/world_clips.py [folder]`.

A clip shows an episode of the scripted expert without and with a fault. The right half has a red border while the fault
is active.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

import offnominal as off
from offnominal.agents import scripted_expert

SIDE, CLIP_SIDE, GAP, EDGE = 384, 256, 8, 4
EVERY, MILLISECONDS = 2, 80
RED, GREY = (214, 73, 51), (201, 204, 209)


def moments(
    id: str, fault: off.Fault | None, seed: int, steps: Sequence[int], side: int
) -> list[tuple[Image.Image, bool]]:
    """Return images of an episode of the scripted expert before some steps, and whether the fault was active."""
    env: Any = off.make(id, faults=fault)
    policy = scripted_expert(id)
    observation, info = env.reset(seed=seed)
    images = []
    for step in range(max(steps) + 1):
        if step in steps:
            # Twice the size, so that edges are smooth.
            frame = env.unwrapped.world.frames(size=2 * side)[0]
            image = Image.fromarray(frame).resize((side, side), Image.Resampling.LANCZOS)
            images.append((image, bool(info.get("active", False))))
        observation, _, _, _, info = env.step(policy.act(observation[None], None)[0][0])
    env.close()
    return images


def strip(path: Path, id: str, seed: int, steps: Sequence[int]) -> None:
    """Write some moments of an episode next to each other into one image."""
    write(path, [image for image, _ in moments(id, None, seed, steps, SIDE)])


def faulty_strip(path: Path, id: str, seed: int, faults: Sequence[tuple[off.Fault, int]]) -> None:
    """Write a moment of an episode with each of some faults next to each other into one image."""
    write(path, [moments(id, fault, seed, (step,), SIDE)[0][0] for fault, step in faults])


def write(path: Path, images: Sequence[Image.Image]) -> None:
    """Write images next to each other into one."""
    sheet = Image.new("RGB", (len(images) * (SIDE + GAP) - GAP, SIDE), "white")
    for index, image in enumerate(images):
        sheet.paste(image, (index * (SIDE + GAP), 0))
    sheet.save(path, optimize=True)
    print(f"Written: {path}")


def clip(path: Path, id: str, fault: off.Fault, seed: int, steps: int) -> None:
    """Write an episode beside the same one with a fault."""
    side = CLIP_SIDE
    sides = [moments(id, given, seed, range(0, steps, EVERY), side) for given in (None, fault)]
    images = []
    for moment in zip(*sides, strict=True):
        image = Image.new("RGB", (2 * side + GAP, side), "white")
        for index, (part, active) in enumerate(moment):
            image.paste(part, (index * (side + GAP), 0))
            left = index * (side + GAP)
            box = (left, 0, left + side - 1, side - 1)
            ImageDraw.Draw(image).rectangle(box, outline=RED if active else GREY, width=EDGE)
        images.append(image)
    first, *others = images
    first.save(path, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, quality=60, method=4)
    print(f"Written: {path} ({path.stat().st_size / 1000:.0f} kB)")


def highway(folder: Path) -> None:
    """Write images and a clip of the highway."""
    id = "CAR-LaneKeep-v0"
    strip(folder / "car-lanekeep.png", id, 3, (0, 50, 150, 200))
    faults = (
        (off.Fault("dynamics/heavy_rain", 20.0, schedule=0), 100),
        (off.Fault("dynamics/heavy_rain", 100.0, schedule=0), 100),
        (off.Fault("dynamics/ghost_driver", 20.0, schedule=60), 162),
        (off.Fault("dynamics/steer_fail", 0.02, schedule=20), 195),
    )
    faulty_strip(folder / "car-lanekeep-faults.png", id, 10, faults)
    clip(folder / "car-lanekeep.webp", id, off.Fault("dynamics/ghost_driver", 20.0, schedule=60), 10, 170)


def main(folder: Path) -> None:
    """Write images and a clip per world."""
    folder.mkdir(parents=True, exist_ok=True)
    highway(folder)
    strip(folder / "urm-reach.png", "URM-Reach-v0", 13, (0, 30, 95, 145))
    strip(folder / "urm-pnp.png", "URM-PnP-v0", 0, (0, 35, 55, 90))
    strip(folder / "urr-reach.png", "URR-Reach-v0", 6, (0, 40, 95, 145))
    slow = off.Fault("dynamics/robot_speed", 0.002, schedule=25)
    clip(folder / "urm-reach.webp", "URM-Reach-v0", slow, 13, 150)
    weak = off.Fault("dynamics/grip_loss", 1.0, schedule=60)
    clip(folder / "urm-pnp.webp", "URM-PnP-v0", weak, 0, 120)
    late = off.Fault("dynamics/control_latency", 0.098, schedule=25)
    clip(folder / "urr-reach.webp", "URR-Reach-v0", late, 6, 150)


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
