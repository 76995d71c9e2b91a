"""Logs that are larger than the memory, as Parquet and CSV: read, scored and evaluated in blocks, with peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

Row = dict[str, Any]
GROUP, CHANNELS, PERIOD = 2**18, 10, 0.01
SIZES = (0.25, 0.5, 1.0)
BAR_GIB = 2.0

WORK = """
import json, resource, sys, time
import offnominal as off
from offnominal.datasets import split_log
from offnominal.detectors import make_detector

begun = time.process_time()
episodes = off.episodes_from(sys.argv[1], time="t", label="fault", window=1000)
splits = split_log(episodes)
detector = make_detector("Mahalanobis").fit(splits["train"][:50])
read = sum(map(len, episodes))
report = off.evaluate(detector, {**splits, "log": episodes}, replicates=20)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"steps": read, "cpu_s": time.process_time() - begun, "peak_gib": peak / 2**20}))
"""


def written(path: Path, gigabytes: float) -> float:
    """Write a log of noise with a fault in every hundredth second, and return its size in gigabytes."""
    rng, rows, writer = np.random.default_rng(0), 0, None
    while not path.exists() or path.stat().st_size < gigabytes * 1e9:
        numbers = np.arange(rows, rows + GROUP)
        columns = {"t": numbers * PERIOD, "fault": numbers % 100_000 >= 99_000}
        columns |= {f"x{index}": rng.normal(size=GROUP).astype(np.float32) for index in range(CHANNELS)}
        table = pa.table(columns)
        writer = writer or _writer(path, table.schema)
        writer.write_table(table)
        rows += GROUP
    if writer is not None:
        writer.close()
    return path.stat().st_size / 1e9


def _writer(path: Path, schema: Any) -> Any:
    if path.suffix == ".csv":
        return pa_csv.CSVWriter(path, schema)
    return pq.ParquetWriter(path, schema, compression="zstd")


def logs() -> list[Row]:
    """Read a log twice, score all of it and evaluate it in one process; bar: 2 GiB of memory, linear time."""
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for kind, size in ((kind, size) for kind in ("parquet", "csv") for size in SIZES):
            path = Path(folder) / f"{size}.{kind}"
            stored = written(path, size)
            done = subprocess.run([sys.executable, "-c", WORK, str(path)], capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            rows.append(
                {
                    "format": kind,
                    "GB": round(stored, 2),
                    "steps": found["steps"],
                    "CPU, s": found["cpu_s"],
                    "CPU, s/GB": found["cpu_s"] / stored,
                    "peak, GiB": found["peak_gib"],
                    "bar": f"peak ≤ {BAR_GIB:g} GiB",
                }
            )
            path.unlink()
    return rows


SECTIONS = {"Own logs": logs}
