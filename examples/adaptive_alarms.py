"""Measure alarms on days that differ: `python examples/adaptive_alarms.py [folder of the figure] [table]`.

Five days of ten nominal episodes calibrate; on the later days there are ten nominal episodes and a faulty one, in
random order. Rule of the verdicts, which was written before any of these alarms was measured: *kept* if the share of
nominal episodes with an alarm is at most 1.2 times the promised one, and the share of faulty ones with an alarm at or
after the onset is at most ten points lower than with the fixed threshold; both with the whole 95 % interval over
replicates. *Missed* if an interval is wholly on the other side; else *open*. Net detection is shown beside it:
detection less the share of the same episodes, without the fault, that have an alarm in the same steps. Options of the
alarms were chosen with other seeds (50,000 and more).
"""

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from offnominal.alarms import (
    ACI,
    AdaptiveAlarm,
    Alarm,
    ConformalPID,
    DtACI,
    EpisodeMaximum,
    RecencyWeighted,
    simulate_days,
)

ALPHA, MARGIN, POINTS = 0.05, 1.2, 0.1
CALIBRATION_DAYS, EPISODES, STEPS, ONSET, FACTOR = 5, 10, 200, 100, 3.0
REPLICATES = 400
SERIES = (
    ("false", "#d55e00", "o", "false alarms"),
    ("detected", "#0072b2", "s", "detected"),
    ("net", "#009e73", "^", "net detection"),
)


@dataclass(frozen=True)
class Condition:
    """How days differ, and how many are judged."""

    name: str
    offset: float
    trend: float
    days: int


CONDITIONS = (
    Condition("days alike", 0.0, 0.0, 5),
    Condition("days differ", 0.5, 0.0, 50),
    Condition("days differ, slow trend", 0.5, 0.06, 5),
    Condition("days differ, fast trend", 0.5, 0.25, 5),
)
ALARMS: dict[str, Callable[[], Alarm]] = {
    "EpisodeMaximum": lambda: EpisodeMaximum(ALPHA),
    "ACI": lambda: ACI(ALPHA, recent=100),
    "ACI, confirmed": lambda: ACI(ALPHA, recent=100, feedback="confirmed"),
    "DtACI, confirmed": lambda: DtACI(ALPHA, recent=100, feedback="confirmed"),
    "RecencyWeighted, confirmed": lambda: RecencyWeighted(ALPHA, decay=0.97, feedback="confirmed"),
    "ConformalPID": lambda: ConformalPID(ALPHA, forecast=0.3, logarithm=True),
    "ConformalPID, confirmed": lambda: ConformalPID(ALPHA, forecast=0.3, logarithm=True, feedback="confirmed"),
}


def main(folder: Path, table: Path) -> None:
    """Write the table and the figure."""
    rows = [row for condition in CONDITIONS for row in measured(condition, range(REPLICATES))]
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, folder / "adaptive_alarms.png")
    for row in rows:
        print(*row.values(), sep="  ")


def measured(condition: Condition, seeds: range) -> list[dict[str, object]]:
    """Return a row per alarm: shares over replicates with their intervals, and the verdict."""
    replicates = [Replicate.simulated(condition, seed) for seed in seeds]
    found = {name: np.array([each.outcome(make()) for each in replicates]) for name, make in ALARMS.items()}
    fixed = found["EpisodeMaximum"]
    rows = []
    for name, values in found.items():
        row: dict[str, object] = {"condition": condition.name, "alarm": name}
        columns = dict(zip(("false", "detected", "net", "silent"), values.T, strict=True))
        columns["lower"] = fixed[:, 1] - values[:, 1]
        ends = {}
        for column, each in columns.items():
            mean, error = each.mean(), 1.96 * each.std(ddof=1) / np.sqrt(len(each))
            ends[column] = mean - error, mean + error
            row |= {
                column: f"{mean:.4f}",
                f"{column}_low": f"{mean - error:.4f}",
                f"{column}_high": f"{mean + error:.4f}",
            }
        row["verdict"] = verdict(ends["false"], MARGIN * ALPHA, ends["lower"], POINTS)
        rows.append(row)
    return rows


def verdict(false: tuple[float, float], most: float, lower: tuple[float, float], points: float) -> str:
    """Return whether false alarms and detection are within their limits: kept, missed or open."""
    if false[1] <= most and lower[1] <= points:
        return "kept"
    parts = ["false alarms"] * bool(false[0] > most) + ["detection"] * bool(lower[0] > points)
    return "missed: " + " and ".join(parts) if parts else "open"


@dataclass(frozen=True)
class Replicate:
    """Episodes of scores: those of the calibration, those that are seen later, and the latter without their faults."""

    calibration: list[np.ndarray]
    seen: list[np.ndarray]
    healthy: list[np.ndarray]
    nominal: np.ndarray

    @classmethod
    def simulated(cls, condition: Condition, seed: int) -> "Replicate":
        """Return days with a faulty episode each, after those of the calibration."""
        days, size = CALIBRATION_DAYS + condition.days, EPISODES + 1
        episodes = simulate_days(days, size, offset=condition.offset, trend=condition.trend, steps=STEPS, seed=seed)
        first = CALIBRATION_DAYS * size
        healthy = episodes[first:]
        nominal = np.ones((condition.days, size), np.bool_)
        nominal[np.arange(condition.days), np.random.default_rng(seed).integers(0, size, condition.days)] = False
        seen = [
            episode if fine else np.where(np.arange(STEPS) < ONSET, episode, FACTOR * episode)
            for episode, fine in zip(healthy, nominal.ravel(), strict=True)
        ]
        calibration = [episode for number, episode in enumerate(episodes[:first]) if number % size < EPISODES]
        return cls(calibration, seen, healthy, nominal.ravel())

    def outcome(self, alarm: Alarm) -> tuple[float, float, float, float]:
        """Return shares: false alarms, detection, net detection, and episodes that nothing could raise the alarm in."""
        limits = thresholds(alarm.fit(self.calibration), self.seen, self.nominal)
        faulty = np.flatnonzero(~self.nominal)
        detected = np.mean([self.seen[number][ONSET:].max() > limits[number] for number in faulty])
        alone = np.mean([self.healthy[number][ONSET:].max() > limits[number] for number in faulty])
        false = np.mean([self.seen[number].max() > limits[number] for number in np.flatnonzero(self.nominal)])
        return float(false), float(detected), float(detected - alone), float(np.isinf(limits).mean())


def thresholds(alarm: Alarm, seen: list[np.ndarray], nominal: np.ndarray) -> np.ndarray:
    """Return the threshold of each episode."""
    if not isinstance(alarm, AdaptiveAlarm):
        return np.full(len(seen), alarm.threshold_)
    return alarm.history(seen, nominal if alarm.feedback == "confirmed" else None).thresholds


def draw(rows: list[dict[str, object]], path: Path) -> None:
    """Draw false alarms and detection of each alarm, a panel per condition."""
    import matplotlib.pyplot as plt

    names = list(ALARMS)
    figure, axes = plt.subplots(1, len(CONDITIONS), figsize=(12.0, 3.9), sharey=True, sharex=True, layout="constrained")
    for axis, condition in zip(axes, CONDITIONS, strict=True):
        chosen = [row for row in rows if row["condition"] == condition.name]
        for column, colour, shape, label in SERIES:
            ends = [
                np.array([100.0 * float(str(row[column + end])) for row in chosen]) for end in ("", "_low", "_high")
            ]
            errors = np.array([ends[0] - ends[1], ends[2] - ends[0]])
            axis.errorbar(ends[0], np.arange(len(names)), xerr=errors, fmt=shape, color=colour, ms=4, label=label)
        axis.axvline(100 * ALPHA, color="0.4", lw=0.8, ls="--")
        axis.set_title(f"{condition.name},\n{condition.days} days after calibration", fontsize=9)
        axis.set_xlabel("share of episodes in %", fontsize=9)
        axis.set_xlim(-3, 100)
        axis.grid(axis="x", color="0.9")
        axis.set_axisbelow(True)
    axes[0].set_yticks(range(len(names)), names, fontsize=9)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=9, loc="outside lower center", ncols=len(SERIES))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    given = [Path(each) for each in sys.argv[1:]]
    main(*(given + [Path("docs/assets"), Path("docs/measured/adaptive_alarms.csv")][len(given) :]))
