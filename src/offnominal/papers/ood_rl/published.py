"""The published columns of AUC: one method in one setting, five trials."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from scipy.special import stdtrit

from offnominal.alarms.share_interval import TAIL
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting, describe_environment
from offnominal.papers.printed_values import Row, printed_values

PAPER = "ood-rl"
BEST_TABLES = {CARTPOLE: 3, PENDULUM: 4, PONG: 5}
"""Number of the table with the best trials of a world."""
TRIAL_TABLES = range(6, 20)
"""Numbers of the tables with all trials."""
WORLDS = {"CartPole": CARTPOLE, "Pendulum": PENDULUM, "Pong": PONG}
METHODS = {"MC Dropout": "dropout", "MC DropConnect": "dropconnect", "Ensemble": "ensemble"}
ANOMALIES = {
    CARTPOLE: {
        "force": "dynamics/push_force",
        "gravity": "dynamics/gravity",
        "cart_mass": "dynamics/cart_mass",
        "pole_length": "dynamics/pole_length",
        "pole_mass": "dynamics/pole_mass",
    },
    PENDULUM: {
        "gravity": "dynamics/gravity",
        "pole_length": "dynamics/length",
        "pole_mass": "dynamics/mass",
        "max_speed": "dynamics/max_speed",
        "max_torque": "dynamics/max_torque",
    },
    PONG: {
        "gaussian_noise": "camera/gaussian",
        "impulse_noise": "camera/impulse",
        "motion_blur": "camera/motion_blur",
        "pixelate": "camera/pixelate",
    },
}


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """A column of a published table.

    Args:
        table: Number of the table with the trials.
        world: Id of the world.
        method: Kind of the agent.
        anomaly: Id of the anomaly.
        parameter: Parameter of the anomaly; of an image corruption, its severity.
        mean: Mean AUC over trials, as printed.
        std: Standard deviation over trials, ddof 1, as printed.
        trials: AUC of the five trials.
    """

    table: int
    world: str
    method: str
    anomaly: str
    parameter: float
    mean: float
    std: float
    trials: tuple[float, ...]

    @property
    def setting(self) -> OODSetting:
        """The modification."""
        return describe_environment(self.world, self.anomaly, self.parameter)

    @property
    def reach(self) -> float:
        """Half the width of the 95 % interval of the mean over trials.

        Example:
            >>> round(published_columns()[0].reach, 3)
            0.061
        """
        count = len(self.trials)
        return float(stdtrit(count - 1, 1.0 - TAIL)) * self.std / math.sqrt(count)

    @property
    def best(self) -> float:
        """AUC of the best trial, which Tables 3 to 5 have."""
        return max(self.trials)


@cache
def published_columns() -> tuple[PublishedColumn, ...]:
    """Return all columns of Tables 6 to 19.

    Example:
        >>> len(published_columns()), max(column.best for column in published_columns() if column.table == 9)
        (39, 0.727)
    """
    return tuple(column for table in TRIAL_TABLES for column in _columns(table))


def _columns(table: int) -> Iterator[PublishedColumn]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in printed_values(PAPER, f"table_{table}"):
        place = tuple(row[name] for name in ("task", "method", "parameter", "value", "severity"))
        groups.setdefault(place, []).append(row)
    for (task, method, parameter, value, severity), rows in groups.items():
        world = WORLDS[task]
        (summary,) = (row for row in rows if row["stat"] == "summary")
        yield PublishedColumn(
            table,
            world,
            METHODS[method],
            ANOMALIES[world][parameter],
            float(severity or value),
            float(summary["mean"]),
            float(summary["std"]),
            tuple(float(row["auc"]) for row in rows if row["stat"] == "trial"),
        )
