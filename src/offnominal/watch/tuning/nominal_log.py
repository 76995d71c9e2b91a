"""The nominal part of a recording, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.logs.reading import episodes_from
from offnominal.datasets.manifest import MANIFEST
from offnominal.evaluation.time_order import nominal_in_order


def nominal_log(path: Path | str, *, time: str | None = None, label: str | None = None) -> Sequence[Episode]:
    """Return the nominal episodes of a log file, or of a dataset.

    Args:
        path: A log of :func:`~offnominal.datasets.logs.reading.episodes_from`, whose columns without another role are
            observations, or the folder of a dataset, such as that of ``offnominal import``.
        time: Column of the time of a log; found if it has dates.
        label: Column with 1 in faulty rows of a log.

    Example:
        >>> import csv, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name, "pump.csv")
        >>> table = [["time", "flow", "heat"], *([t, t % 7, t % 5] for t in range(100))]
        >>> with path.open("w", newline="") as file:
        ...     csv.writer(file).writerows(table)
        >>> nominal_log(path, time="time")
        LogEpisodes(1 episode, 99 transitions, 2 observations, 0 actions, nominal)
        >>> folder.cleanup()
    """
    place = Path(path)
    if not (place / MANIFEST).exists():
        return episodes_from(place, time=time, label=label).nominal
    for name, value in (("time", time), ("label", label)):
        if value is not None:
            raise InvalidParameter(f"{name} is {value!r}, but {place} is a dataset, which has these already.")
    return nominal_in_order(Dataset(place))
