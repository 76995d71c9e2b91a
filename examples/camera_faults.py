"""Draw the camera faults: `python examples/camera_faults.py [folder]`."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import offnominal as off

mpl.use("agg")
import matplotlib.pyplot as plt

WORLDS = {"MJC-HalfCheetah-v0": 17, "SAP-Goal2-v0": 9}
SHOWN = {"camera/drop": 0.9}
"""Strengths other than the typical one: the shown frame must be a dropped one."""
COLUMNS = 6
SEED = 3


def last_frames(world: str, steps: int) -> dict[str, np.ndarray]:
    """Return the last frame of one episode, without a fault and with each camera fault from transition 2 on."""
    anomalies = [off.anomalies.make_anomaly(id) for id in off.anomalies.camera_anomalies()]
    cameras = [kind for kind in anomalies if isinstance(kind, off.anomalies.CameraAnomaly)]
    kinds = [kind for kind in cameras if not isinstance(kind, off.anomalies.Corruption)]
    faults = [off.Fault(kind, SHOWN.get(kind.id, kind.typical), schedule=2) for kind in kinds]
    n = len(faults) + 1
    envs = off.make_vec(world, n, faults=[None, *faults], observation="both")
    policy = off.expert(world)
    observations, _ = envs.reset(seed=[SEED] * n)
    state = policy.start(np.full(n, SEED), np.zeros(n, np.int64))
    for _ in range(steps):
        actions, state = policy.act(observations["vector"], state)
        observations, *_ = envs.step(actions)
    titles = ["no fault", *(f"{fault.kind.kind}, {fault.kind.symbol} = {fault.strength:g}" for fault in faults)]
    return {title: image.transpose(1, 2, 0) for title, image in zip(titles, observations["image"], strict=True)}


def main(folder: Path) -> None:
    """Write camera-faults.png."""
    shown = [last_frames(world, steps) for world, steps in WORLDS.items()]
    lines = -(-len(shown[0]) // COLUMNS)
    figure, grid = plt.subplots(len(shown) * lines, COLUMNS, figsize=(10.8, 8.0), dpi=100, layout="constrained")
    for part, frames in zip(np.split(grid, len(shown)), shown, strict=True):
        for axes in part.flat[len(frames) :]:
            axes.set_visible(False)
        for axes, (title, frame) in zip(part.flat, frames.items(), strict=False):
            axes.imshow(frame, interpolation="nearest")
            axes.set_title(title, fontsize=8)
            axes.set(xticks=[], yticks=[])
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "camera-faults.png")
    print(f"Written: {folder / 'camera-faults.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
