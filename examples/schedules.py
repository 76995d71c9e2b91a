"""Draw the weight of a fault for some schedules: `python examples/schedules.py [folder]`."""

import sys
from pathlib import Path

import numpy as np

import offnominal as off
from offnominal.core.plot_style import FAULTY, INK, STYLE, pyplot

LENGTH, ONSET = 100, 20
SCHEDULES = {
    "onset=20": off.Schedule(onset=ONSET),
    "onset=20, duration=40": off.Schedule(onset=ONSET, duration=40),
    "onset=20, ramp=40": off.Schedule(onset=ONSET, ramp=40),
    "onset=20, duration=40, ramp=20, recovery=20": off.Schedule(onset=ONSET, duration=40, ramp=20, recovery=20),
    "onset=20, period=20, duty=0.4": off.Schedule(onset=ONSET, period=20, duty=0.4),
    "onset=20, walk=0.1": off.Schedule(onset=ONSET, walk=0.1),
}


def weights(schedule: off.Schedule, seed: int) -> np.ndarray:
    """Return the weight of a fault at each transition, as recorded: an offset of 1 applies its weight."""
    fault = off.Fault("action/offset", 1.0, schedule)
    (episode,) = off.collect(
        "MJC-CartpoleSwingup-v0",
        lambda observations: np.zeros((len(observations), 1)),
        1,
        faults=fault,
        seed=seed,
        max_steps=LENGTH,
    )
    return episode.extras["applied"][:, 0]


def main(folder: Path) -> None:
    """Write schedules.png."""
    plt = pyplot()
    plt.rcParams.update(STYLE)
    figure, grid = plt.subplots(3, 2, figsize=(8.2, 5.2), dpi=150, layout="constrained", sharex=True, sharey=True)
    for axes, (title, schedule) in zip(grid.flat, SCHEDULES.items(), strict=True):
        values = weights(schedule, seed=4)
        axes.bar(np.arange(LENGTH), values, width=1.0, align="edge", color=FAULTY, alpha=0.35, lw=0)
        axes.step(np.arange(LENGTH + 1), np.append(values, values[-1]), where="post", color=FAULTY, lw=1.4)
        axes.axvline(ONSET, color=INK, lw=1.0, ls="--")
        axes.set_title(title, fontsize=9, fontweight="normal", family="monospace")
        axes.set(xlim=(0, LENGTH), ylim=(0, 1.08), yticks=(0, 0.5, 1))
    for axes in grid[:, 0]:
        axes.set_ylabel("weight (share)")
    for axes in grid[-1]:
        axes.set_xlabel("time (transitions)")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "schedules.png")
    print(f"Written: {folder / 'schedules.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
