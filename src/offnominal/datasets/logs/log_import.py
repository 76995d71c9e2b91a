"""Logs as datasets: nominal episodes in time order for training, validation and test, and the faulty ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from offnominal.core.checks import positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidLog
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.log_injection import inject_log
from offnominal.datasets.logs.log_episodes import LogEpisodes
from offnominal.datasets.saving import save_dataset
from offnominal.datasets.split import counted

SHARES = {"train": 0.6, "validation": 0.2, "test": 0.2}
FAULTY = "faulty"


def split_log(episodes: LogEpisodes, shares: Mapping[str, float] = SHARES) -> dict[str, LogEpisodes]:
    """Return the episodes of a log by split.

    Nominal episodes keep their order, so that the test is later than the training. Episodes with a labelled transition
    are the split ``faulty``.

    Args:
        episodes: Episodes of a log.
        shares: Fraction of the nominal episodes of each split.

    Raises:
        InvalidLog: There are fewer nominal episodes than splits.

    Example:
        >>> from offnominal.datasets.logs import episodes_from
        >>> log = {"speed": range(101), "fault": [0] * 90 + [1] * 11}
        >>> split_log(episodes_from(log, observations="speed", label="fault", window=10))["faulty"]
        LogEpisodes(2 episodes, 20 transitions, 1 observation, 0 actions, 2 faulty)
    """
    total = sum(positive_number(f"shares[{name!r}]", share) for name, share in shares.items())
    nominal, passed = episodes.nominal, 0.0
    splits: dict[str, LogEpisodes] = {}
    for name, share in shares.items():
        first = round(len(nominal) * passed / total)
        passed += share
        splits[name] = nominal[first : round(len(nominal) * passed / total)]
    empty = [name for name, part in splits.items() if not len(part)]
    if empty:
        raise InvalidLog(
            f"{counted(len(nominal), 'nominal episode')} cannot be divided into {', '.join(shares)}: {', '.join(empty)}"
            " would be empty. Cut the log into windows (`window`), or name the column of the episode."
        )
    faulty = episodes.take([index for index, holds in enumerate(episodes.faulty.tolist()) if holds])
    return splits | ({FAULTY: faulty} if len(faulty) else {})


def import_log(
    episodes: LogEpisodes,
    folder: Path | str,
    *,
    name: str,
    shares: Mapping[str, float] = SHARES,
    faults: Mapping[str, float | None] | None = None,
    overwrite: bool = False,
) -> Dataset:
    """Write the episodes of a log as a dataset, with the splits of :func:`split_log`.

    Args:
        episodes: Episodes of a log; see :func:`~offnominal.datasets.logs.log_episodes.episodes_from`.
        folder: Folder of the dataset, which must not contain other files.
        name: Name of the log, in place of the id of a world.
        shares: Fraction of the nominal episodes of each split.
        faults: Faults by id, with their strengths in standard deviations of each channel, or None for one of their own.
            Each is written into the nominal episodes of the test, with random onsets, as a split of its own; see
            :func:`~offnominal.datasets.log_injection.inject_log`.
        overwrite: Whether to replace an existing dataset.
    """
    splits: dict[str, Sequence[Episode]] = dict(split_log(episodes, shares))
    tested = splits[list(shares)[-1]]
    for id, strength in (faults or {}).items():
        splits[id.replace("/", "-")] = inject_log(tested, id, strength=strength, unit="deviation")
    return save_dataset(folder, splits, world=name, channels=episodes.channels, source="log", overwrite=overwrite)


def preview_log(episodes: LogEpisodes) -> list[dict[str, Any]]:
    """Return one row per channel: its range, whether it is constant, and how many values are missing."""
    return [
        {
            "column": channel.column,
            "role": channel.role,
            "low": channel.low if channel.low <= channel.high else None,
            "high": channel.high if channel.low <= channel.high else None,
            "constant": channel.constant,
            "missing": channel.missing + channel.infinite,
        }
        for channel in episodes.summaries
    ]


def audited_columns(episodes: LogEpisodes) -> list[dict[str, Any]]:
    """Return one row per column that became no observation, and why."""
    return [{"column": each.column, "left out as": each.kind, "because": each.reason} for each in episodes.left_out]


def describe_log(episodes: LogEpisodes) -> dict[str, Any]:
    """Return the sizes of a log: files, rows, episodes, rate, gaps and the share of labelled rows."""
    scans = [part.scan for part in episodes.parts]
    clocks = [scan.clock for scan in scans if scan.clock is not None]
    rates = [clock.rate for clock in clocks if clock.rate is not None]
    rows, labelled = sum(scan.rows for scan in scans), [scan.labels for scan in scans if scan.labels is not None]
    return {
        "files": len(scans),
        "rows": rows,
        "episodes": len(episodes),
        "transitions": episodes.transitions,
        "time": episodes.roles.time,
        "rows per second": median(rates) if rates else None,
        "gaps": sum(len(clock.gaps) for clock in clocks) if clocks else None,
        "faulty episodes": int(episodes.faulty.sum()),
        "labelled rows": float(sum(labels.sum() for labels in labelled)) / rows if labelled else None,
    }
