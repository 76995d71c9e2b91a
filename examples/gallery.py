"""Write a clip of every world and of every anomaly: `python examples/gallery.py [folder] [part of a name]`.

`worlds/<id>.webp` is an episode of the expert; `anomalies/<kind>-<name>.webp` is an episode with the fault beside its
nominal twin, in a world in which the effect is easy to see. The border is red while the fault is active.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import offnominal as off
from offnominal.agents import scripted_expert

WIDTH, GAP, HEAD, EDGE = 320, 8, 20, 3
FRAMES, MILLISECONDS = 30, 100
LARGEST = 110_000
"""Bytes of a clip; the quality is as high as this allows."""
QUALITIES = (75, 60, 45, 32, 22, 14, 8)
RED, GREY, INK, SOFT = "#c34b0f", "#c9ccd1", "#1d1f23", "#6b7078"
SCRIPTED = ("CRAFT", "OOD-Pong")
"""Worlds whose scripted expert is shown, because it is better or faster than a trained one."""
PLAIN = ("CRAFT", "CAR")
"""Worlds whose images have textures and take long: they are drawn once per pixel."""
CHEETAH, CARTPOLE, PENDULUM = "MJC-HalfCheetah-v0", "OOD-CartPole-v0", "OOD-Pendulum-v0"
ARM, PICK, ROBOT = "URM-Reach-v0", "URM-PnP-v0", "URR-Reach-v0"
GEARED = "CAR-LaneKeep-v1"
ROAD, SMALL, LARGE = "CAR-LaneKeep-v0", "CRAFT-Pogo-v1", "CRAFT-Pogo-v2"
PARTICLES = "SAP-Goal1-v0"


@dataclass(frozen=True)
class Shown:
    """The episode of a clip: every `every`-th step of a world, with a fault from step `onset` on."""

    world: str
    strength: float = 0.0
    onset: int = 0
    every: int = 2
    first: int = 0
    seed: int = 3


WORLDS = {
    ROAD: Shown(ROAD, every=4, seed=10),
    GEARED: Shown(GEARED, every=4, seed=10),
    SMALL: Shown(SMALL, every=2),
    LARGE: Shown(LARGE, every=1),
    "MJC-CartpoleSwingup-v0": Shown("MJC-CartpoleSwingup-v0", every=4),
    CHEETAH: Shown(CHEETAH, every=1, first=20),
    "MJC-Reacher3D-v0": Shown("MJC-Reacher3D-v0", every=4),
    CARTPOLE: Shown(CARTPOLE, every=3),
    PENDULUM: Shown(PENDULUM, every=3, seed=1),
    "OOD-Pong-v0": Shown("OOD-Pong-v0", every=3, first=30),
    "SAP-Goal0-v0": Shown("SAP-Goal0-v0", every=1),
    PARTICLES: Shown(PARTICLES, every=1),
    "SAP-Goal2-v0": Shown("SAP-Goal2-v0", every=1),
    PICK: Shown(PICK, every=4, seed=0),
    ARM: Shown(ARM, every=4, seed=13),
    ROBOT: Shown(ROBOT, every=4, seed=6),
}


def signals(values: dict[str, float]) -> dict[str, Shown]:
    """Return faults of sensors, actuators and the camera on the running cheetah, which falls or slows down."""
    return {name: Shown(CHEETAH, value, onset=24, every=2, first=16) for name, value in values.items()}


ANOMALIES = {
    **signals({"observation/noise": 0.3, "observation/offset": 0.4, "observation/scaling": 3.0}),
    **signals({"observation/drift": 0.01, "observation/temporal_noise": 0.3, "observation/quantisation": 0.8}),
    **signals({"action/noise": 1.0, "action/offset": 0.8, "action/scaling": 0.25, "action/drift": 0.03}),
    **signals({"action/temporal_noise": 1.0, "action/delay": 3.0}),
    **signals({"camera/noise": 40.0, "camera/blur": 2.0, "camera/dead_pixels": 0.15, "camera/delay": 6.0}),
    **signals({"camera/drop": 0.5, "camera/exposure": -1.5, "camera/frozen": 12.0, "camera/occlusion": 0.5}),
    **signals({"camera/compression": 10.0, "camera/dead_rows": 0.15}),
    **signals({"camera/gaussian": 5, "camera/impulse": 5, "camera/motion_blur": 5, "camera/pixelate": 5}),
    "dynamics/force": Shown(CHEETAH, 120.0, onset=24, first=16),
    "dynamics/friction": Shown(CHEETAH, 80.0, onset=24, first=16),
    "dynamics/mass": Shown(CHEETAH, 3.0, onset=24, first=16),
    "dynamics/damping": Shown(PARTICLES, 2.72, onset=3, every=1),
    "dynamics/moving_objects": Shown(PARTICLES, 20.0, onset=3, every=1),
    "dynamics/cart_mass": Shown(CARTPOLE, 100.0, onset=20, every=3),
    "dynamics/pole_length": Shown(CARTPOLE, 3.0, onset=20, every=3),
    "dynamics/pole_mass": Shown(CARTPOLE, 100.0, onset=20, every=3),
    "dynamics/push_force": Shown(CARTPOLE, 100.0, onset=20, every=3),
    "dynamics/gravity": Shown(PENDULUM, 20.0, onset=20, every=3, seed=1),
    "dynamics/length": Shown(PENDULUM, 2.0, onset=20, every=3, seed=1),
    "dynamics/max_speed": Shown(PENDULUM, 2.0, onset=6, every=3, seed=1),
    "dynamics/max_torque": Shown(PENDULUM, 0.3, onset=0, every=3, seed=1),
    "dynamics/grip_loss": Shown(PICK, 1.0, onset=60, every=3, first=20, seed=0),
    "dynamics/moving_goal": Shown(ARM, 0.01, onset=30, every=4, seed=13),
    "dynamics/payload": Shown(ARM, 20.0, onset=30, every=4, seed=13),
    "dynamics/robot_friction": Shown(ARM, 200.0, onset=30, every=4, seed=13),
    "dynamics/robot_speed": Shown(ARM, 0.002, onset=30, every=4, seed=13),
    "dynamics/control_latency": Shown(ROBOT, 0.098, onset=25, every=4, seed=6),
    "dynamics/control_smoothing": Shown(ROBOT, 0.9, onset=25, every=4, seed=6),
    "dynamics/ghost_driver": Shown(ROAD, 20.0, onset=60, every=4, first=56, seed=10),
    "dynamics/heavy_rain": Shown(ROAD, 100.0, onset=20, every=4, seed=10),
    "dynamics/slippery_road": Shown(ROAD, 0.05, onset=20, every=6, seed=10),
    "dynamics/steer_fail": Shown(ROAD, 0.02, onset=20, every=6, seed=10),
    "dynamics/brake_fail": Shown(ROAD, 0.02, onset=20, every=8, seed=3),
    "dynamics/axe": Shown(SMALL, 2.0),
    "dynamics/fence": Shown(SMALL, 3.0),
    "dynamics/inserted_item": Shown(SMALL, 1.0),
    "dynamics/jungle_trees": Shown(SMALL, 1.0),
    "dynamics/only_saplings": Shown(SMALL, 3.0),
    "dynamics/recipe": Shown(SMALL, 2.0),
    "dynamics/rotten_trees": Shown(SMALL, 3.0),
    "dynamics/step_cost": Shown(SMALL, 3.0),
    "dynamics/supplier": Shown(SMALL, 1.0),
    "dynamics/walls": Shown(SMALL, 3.0),
    "dynamics/busy_traders": Shown(LARGE, 2.0, every=1),
    "dynamics/chest_thief": Shown(LARGE, 2.0, every=1),
    "dynamics/distributor": Shown(LARGE, 3.0, every=1),
    "dynamics/extra_traders": Shown(LARGE, 3.0, every=1),
    "dynamics/locked_doors": Shown(LARGE, 1.0, every=1),
    "dynamics/merchants": Shown(LARGE, 1.0, every=1),
    "dynamics/moved_traders": Shown(LARGE, 1.0, every=1),
    "dynamics/thief": Shown(LARGE, 3.0, every=1),
}


def moments(
    shown: Shown, fault: off.Fault | None, side: int, *, camera: bool = False
) -> Iterator[tuple[Image.Image, bool]]:
    """Yield images of an episode of the expert, and whether the fault was active; the last image is held."""
    env: Any = off.make(shown.world, faults=fault, observation="both" if camera else "vector", render_mode="rgb_array")
    scripted = shown.world.startswith(SCRIPTED)
    policy: Any = scripted_expert(shown.world) if scripted else off.expert(shown.world)
    state = policy.start(np.array([shown.seed]), np.zeros(1, np.int64))
    observation, info = env.reset(seed=shown.seed)
    steps = range(shown.first, shown.first + FRAMES * shown.every, shown.every)
    over, image, active = False, None, False
    for step in range(steps[-1] + 1):
        if step in steps:
            if not over or image is None:
                image, active = picture(env, observation if camera else None, side), bool(info.get("active", False))
            yield image, active
        if over:
            continue
        vector = observation["vector"] if camera else observation
        action, state = policy.act(vector[None], state)
        observation, _, terminated, truncated, info = env.step(action[0])
        over = terminated or truncated
    env.close()


def picture(env: Any, seen: dict[str, np.ndarray] | None, side: int) -> Image.Image:
    """Return the world, or what its camera shows."""
    if seen is not None:
        image = Image.fromarray(seen["image"].transpose(1, 2, 0))
        return image.resize((side, side), Image.Resampling.NEAREST)
    size = side if env.unwrapped.world.card.id.startswith(PLAIN) else 2 * side
    return Image.fromarray(env.unwrapped.render(size=size)).resize((side, side), Image.Resampling.LANCZOS)


def world_clip(shown: Shown) -> list[Image.Image]:
    """Return the frames of the clip of a world."""
    return [image for image, _ in moments(shown, None, WIDTH)]


def anomaly_clip(name: str, shown: Shown) -> list[Image.Image]:
    """Return the frames of the clip of an anomaly: the nominal twin on the left, the faulty episode on the right."""
    fault = off.Fault(name, shown.strength, schedule=shown.onset)
    side = (WIDTH - GAP) // 2
    font = ImageFont.load_default(12)
    words = name.partition("/")[2].replace("_", " ")
    frames = []
    both = [moments(shown, given, side, camera=name.startswith("camera")) for given in (None, fault)]
    for (nominal, _), (faulty, active) in zip(*both, strict=True):
        frame = Image.new("RGB", (WIDTH, HEAD + side), "white")
        draw = ImageDraw.Draw(frame)
        titles = ("nominal", INK, GREY), (f"faulty: {words}" if active else "fault not yet active", RED, RED)
        for place, (image, (title, ink, edge)) in enumerate(zip((nominal, faulty), titles, strict=True)):
            left = place * (side + GAP)
            colour = edge if place == 0 or active else GREY
            draw.text((left + 1, 2), title, font=fitting(title, side, font), fill=ink if place == 0 or active else SOFT)
            frame.paste(image, (left, HEAD))
            draw.rectangle((left, HEAD, left + side - 1, HEAD + side - 1), outline=colour, width=EDGE)
        frames.append(frame)
    return frames


def fitting(title: str, width: int, font: Any) -> Any:
    """Return a font in which a title is not wider than its image."""
    size = 12
    while font.getlength(title) > width and size > 7:
        size -= 1
        font = ImageFont.load_default(size)
    return font


def write(path: Path, frames: list[Image.Image]) -> int:
    """Write a clip in the best quality that is small enough, else with half the frames; return its size in bytes."""
    for quality, every in (*((quality, 1) for quality in QUALITIES), (QUALITIES[-2], 2)):
        first, *others = frames[::every]
        file = BytesIO()
        first.save(
            file, "WEBP", save_all=True, append_images=others, duration=every * MILLISECONDS, loop=0, quality=quality,
            method=4, minimize_size=True,
        )  # fmt: skip
        if file.tell() <= LARGEST:
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.getvalue())
    print(f"Written: {path} ({file.tell() / 1000:.0f} kB, quality {quality})", flush=True)
    return file.tell()


def main(folder: Path, part: str = "") -> None:
    """Write the clips whose names contain a text."""
    total = 0
    for world, shown in WORLDS.items():
        if part in world:
            total += write(folder / "worlds" / f"{world}.webp", world_clip(shown))
    for name, shown in ANOMALIES.items():
        if part in name:
            path = folder / "anomalies" / f"{name.replace('/', '-')}.webp"
            total += write(path, anomaly_clip(name, shown))
    print(f"{total / 1e6:.1f} MB in all")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/assets/gallery"), *sys.argv[2:3])
