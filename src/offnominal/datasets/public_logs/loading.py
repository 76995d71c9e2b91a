"""Loading of public recordings as episodes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog, InvalidParameter, UnknownName, did_you_mean
from offnominal.core.files import read_text
from offnominal.datasets.logs.boundary import QuestionableLog, parsing
from offnominal.datasets.logs.log_episodes import LogEpisodes
from offnominal.datasets.logs.opening import open_log
from offnominal.datasets.logs.reading import episodes_from
from offnominal.datasets.logs.row_source import RowSource, TableRows
from offnominal.datasets.public_logs.catalogue import public_log_entry
from offnominal.datasets.public_logs.reassemble import read_reassemble

Paths = Mapping[str, Path]
ROBOT_FORCES = ("0", "1", "2", "3", "4", "5")
VORAUS_META = ("time", "sample", "anomaly", "category", "setting", "action", "active")
AURSAD_NOMINAL = (0, 5, 6)
"""Labels of AURSAD: normal operation, loosening, and movement."""
ENGINE_COLUMNS = ("unit", "cycle", *(f"setting_{k}" for k in range(1, 4)), *(f"sensor_{k}" for k in range(1, 22)))
FAILING_CYCLES = 30


def load_public_log(name: str, *, part: str | None = None, **options: Any) -> LogEpisodes:
    """Return the episodes of public recordings.

    Files that are missing in the data home are downloaded if possible. Hashes are checked if they are known.

    Args:
        name: Name of the set; :func:`~offnominal.datasets.public_logs.catalogue.public_log_names` lists all.
        part: Only the files whose names begin with it; None for all. A set of series with other columns needs it.
        **options: Others of :func:`~offnominal.datasets.logs.reading.episodes_from`, such as ``window=60``.

    Raises:
        UnknownName: No set has that name, or no file that part.
        MissingFile: A file must be placed by hand; the message says where.
        DamagedFile: A file has another hash.

    Example:
        >>> load_public_log("skab", window=60)  # doctest: +SKIP
        LogEpisodes(286 episodes, 17,160 transitions, 8 observations, 0 actions, 51 faulty)
        >>> load_public_log("scab")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no public recordings named 'scab'. Did you mean 'skab'? There are ...
    """
    entry = public_log_entry(name)
    paths: Paths = entry.paths()
    if part is not None:
        chosen = {role: path for role, path in paths.items() if role.startswith(part) or role.endswith(f"_{part}")}
        if not chosen:
            near = did_you_mean(part, list(paths))
            raise UnknownName(f"{name} has no file that begins with {part!r}.{near} It has: {', '.join(paths)}.")
        paths = chosen
    return LOADERS[name](paths, options)


def _skab(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    columns = [column for column in open_log(next(iter(paths.values()))).columns if column != "datetime"]
    sensors = [column for column in columns if column not in ("anomaly", "changepoint")]
    labelled = [path for path in paths.values() if "anomaly" in open_log(path).columns]
    roles: dict[str, Any] = {"observations": sensors, "time": "datetime", "label": "anomaly" if labelled else None}
    with warnings.catch_warnings():
        # The recording without anomalies has no labels.
        warnings.filterwarnings("ignore", "no column 'anomaly'", QuestionableLog)
        return episodes_from(list(paths.values()), **roles | options)


def _nab(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    if len(paths) < 2:
        raise InvalidParameter("nab has one recording with its intervals, and no parts; leave `part` out.")
    roles: dict[str, Any] = {
        "observations": "value",
        "time": "timestamp",
        "clock_jumps": "split",
        "label_windows": paths["windows"],
    }
    return episodes_from(paths["rows"], **roles | options)


def _uci_robot(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    roles: dict[str, Any] = {"observations": ROBOT_FORCES, "label": "label", "nominal": ("normal", "ok")}
    return episodes_from(list(paths.values()), **roles | options)


def _aursad(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    roles: dict[str, Any] = {"episode": "sample_nr", "label": "label", "nominal": AURSAD_NOMINAL, "time": "timestamp"}
    logs = [_without(open_log(path), ("event", "level_0", "index")) for path in paths.values()]
    return episodes_from(logs, **roles | options)


def _voraus(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    logs = [open_log(path) for path in paths.values()]
    signals = [column for column in logs[0].columns if column not in VORAUS_META]
    roles: dict[str, Any] = {"observations": signals, "episode": "sample", "label": "anomaly", "time": "time"}
    return episodes_from(logs, **roles | options)


def _reassemble(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    roles: dict[str, Any] = {"episode": "segment", "label": "failed", "time": "time"}
    return episodes_from([read_reassemble(path) for path in paths.values()], **roles | options)


def _engines(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    roles: dict[str, Any] = {"episode": "unit", "label": "failing", "time": "cycle"}
    return episodes_from([_engine_rows(path) for path in paths.values()], **roles | options)


def _engine_rows(path: Path) -> RowSource:
    """Return the rows of a file without header: unit, cycle, three settings and 21 sensors."""
    lines = read_text(path).splitlines()
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words:
            continue
        if len(words) != len(ENGINE_COLUMNS):
            raise InvalidLog(f"{path}: line {number} has {len(words)} numbers; expected {len(ENGINE_COLUMNS)}.")
        with parsing(f"{path}, line {number}", "numbers"):
            rows.append([float(word) for word in words])
    if not rows:
        raise InvalidLog(f"{path} has no rows of numbers.")
    matrix = np.array(rows)
    last = {unit: matrix[matrix[:, 0] == unit, 1].max() for unit in np.unique(matrix[:, 0])}
    remaining = np.array([last[unit] for unit in matrix[:, 0]]) - matrix[:, 1]
    columns = {name: np.ascontiguousarray(matrix[:, k]) for k, name in enumerate(ENGINE_COLUMNS)}
    table = {**columns, "unit": columns["unit"].astype(np.int64), "failing": remaining < FAILING_CYCLES}
    return TableRows(str(path), pa.table(table))


def _tsb_ad(paths: Paths, options: dict[str, Any]) -> LogEpisodes:
    if len(paths) > 1:
        listed = ", ".join(list(paths)[:4]) + ", …" * (len(paths) > 4)
        raise InvalidParameter(f"the series of tsb-ad-m have columns of their own; name one in `part`, of {listed}.")
    (name, path) = next(iter(paths.items()))
    words = name.split("_")
    try:
        trained = int(words[words.index("tr") + 1])
    except (ValueError, IndexError):
        raise InvalidLog(f"{path} has no number of training rows in its name; expected '…_tr_500_1st_…'.") from None
    source = open_log(path)
    sensors = [column for column in source.columns if column != "Label"]
    table = pa.concat_tables(list(source.blocks(source.columns)))
    parts = (np.arange(table.num_rows) >= trained).astype(np.int64)
    rows = TableRows(str(path), table.append_column("part of the series", pa.array(parts)))
    return episodes_from(rows, **{"observations": sensors, "label": "Label", "episode": "part of the series"} | options)


def _without(source: RowSource, columns: tuple[str, ...]) -> RowSource:
    """Let columns that only number the rows be no observations."""
    others = ("sample_nr", "label", "timestamp", *columns)
    source.suggested["observations"] = [column for column in source.columns if column not in others]
    return source


LOADERS: dict[str, Callable[[Paths, dict[str, Any]], LogEpisodes]] = {
    "skab": _skab,
    "nab": _nab,
    "uci-robot": _uci_robot,
    "aursad": _aursad,
    "voraus-ad": _voraus,
    "reassemble": _reassemble,
    "c-mapss": _engines,
    "tsb-ad-m": _tsb_ad,
}
"""Functions that read the files of each set."""
