"""Draw a monitored episode with score, threshold, fault and alarm; writes docs/assets/monitor.png."""

from pathlib import Path

import numpy as np

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.plot_style import FAULTY, INK, NOMINAL, STYLE, pyplot
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
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(8.0, 3.4), layout="constrained")
        steps = np.arange(len(scores))
        low, high = np.quantile(np.stack(nominal), [0.05, 0.95], axis=0)
        axes.fill_between(steps, low, high, color=NOMINAL, alpha=0.2, linewidth=0)
        axes.text(27, high[27], "nominal episodes, 90 %", color=NOMINAL, va="bottom")
        axes.axhline(alarm.threshold_, color=INK, linestyle="--", linewidth=1.0)
        axes.text(2, alarm.threshold_ * 1.02, "alarm threshold", va="bottom")
        axes.axvspan(ONSET, len(scores) - 1, color=FAULTY, alpha=0.12, linewidth=0)
        axes.text(ONSET - 1, scores.max(), f"fault begins\nat step {ONSET}", color=FAULTY, va="top", ha="right")
        axes.plot(steps, scores, color=FAULTY)
        axes.plot(first, scores[first], "o", ms=9, mfc="white", mec=INK, mew=2)
        axes.annotate(f"alarm at step {first}", (first, scores[first]), (22, -14), textcoords="offset points", va="top")
        title = f"{WORLD}: a medium force from step {ONSET} on"
        axes.set(xlabel="time (steps)", ylabel="anomaly score (distance)", title=title, xlim=(0, 199), ylim=(0, None))
        figure.savefig(FIGURE, dpi=120)


if __name__ == "__main__":
    main()
