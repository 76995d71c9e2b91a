"""Draw the four corruptions on Pong: `python examples/corruptions.py [folder]`."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import offnominal as off
from offnominal.worlds import make_world

mpl.use("agg")
import matplotlib.pyplot as plt

PONG = "OOD-Pong-v0"
KINDS = {"gaussian": "Gaussian", "impulse": "impulse", "motion_blur": "motion blur", "pixelate": "pixelate"}
SEVERITIES = (0, 1, 3, 5)
STEPS = 24
EXTENT = (0, 160, 210, 0)


def render(fault: off.Fault) -> tuple[np.ndarray, np.ndarray]:
    """Return the camera image and the observation of the agent after a few steps with a fault."""
    world, row = make_world(PONG, 1), np.zeros(1, np.int64)
    injection = off.anomalies.Injection([(fault,)], off.anomalies.EnvironmentInfo.of(world))
    world.reset(row, row, row)
    injection.begin(row, row, row)
    observations = world.observations
    for t in range(STEPS):
        injection.act(np.zeros((1, 0)), row)
        world.step(np.array([2 if t % 8 < 5 else 3]))
        observations = injection.observe(world.observations, row)
    return injection.camera_images(row)[0], observations[0, -1]


def main(folder: Path) -> None:
    """Write corruptions.png."""
    figure, grid = plt.subplots(len(KINDS), 2 * len(SEVERITIES), figsize=(12.0, 7.4), dpi=100, layout="constrained")
    for line, (kind, name) in zip(grid, KINDS.items(), strict=True):
        line[0].set_ylabel(name, fontsize=11)
        for k, severity in enumerate(SEVERITIES):
            image, observation = render(off.Fault(f"camera/{kind}", severity, schedule="start"))
            line[k].imshow(image, interpolation="nearest", extent=EXTENT)
            line[k + len(SEVERITIES)].imshow(
                observation, "gray", vmin=0, vmax=255, interpolation="nearest", extent=EXTENT
            )
    for k, axes in enumerate(grid[0]):
        severity = SEVERITIES[k % len(SEVERITIES)]
        source = "camera" if k < len(SEVERITIES) else "agent"
        axes.set_title(f"{source}, severity {severity}" if severity else f"{source}, no fault", fontsize=9)
    for axes in grid.flat:
        axes.set(xticks=[], yticks=[])
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "corruptions.png")
    print(f"Written: {folder / 'corruptions.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
