"""Draw a monitored episode with score, threshold, fault and alarm; writes docs/assets/monitor.png."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.detectors import make_detector

WORLD = "MJC-CartpoleSwingup-v0"
ONSET = 110
FIGURE = Path(__file__).parents[1] / "docs/assets/monitor.png"


def main() -> None:
    """Fit a detector and an alarm, score a faulty episode and draw it."""
    policy = off.expert(WORLD)
    detector = make_detector("KNN").fit(off.collect(WORLD, policy, 100))
    nominal = detector.score(off.collect(WORLD, policy, 200, seed=1000))
    alarm = EpisodeMaximum(alpha=0.05).fit(nominal)
    fault = off.Fault("dynamics/force", "medium", schedule=ONSET)
    (scores,) = detector.score(off.collect(WORLD, policy, 1, faults=fault, seed=5000))
    (first,) = alarm.first_alarms([scores])
    figure, axes = plt.subplots(figsize=(8.0, 3.2), layout="constrained")
    steps = np.arange(len(scores))
    low, high = np.quantile(np.stack(nominal), [0.05, 0.95], axis=0)
    axes.fill_between(steps, low, high, color="#9ec5e8", label="nominal episodes, 90 %", linewidth=0)
    axes.plot(steps, scores, color="#b2182b", label="this episode")
    axes.axhline(alarm.threshold_, color="black", linestyle="--", linewidth=1.0, label="threshold")
    axes.axvspan(ONSET, len(scores) - 1, color="#f4a582", alpha=0.25, linewidth=0, label="fault is active")
    axes.plot(first, scores[first], "v", color="black", markersize=9, label=f"alarm at {first}")
    axes.set(xlabel="step", ylabel="score", title=f"{WORLD}: a medium force from step {ONSET} on", xlim=(0, 199))
    axes.legend(frameon=False, ncols=2, loc="upper left", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FIGURE, dpi=120)


if __name__ == "__main__":
    main()
