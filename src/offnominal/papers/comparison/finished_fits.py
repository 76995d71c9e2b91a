"""Results of single fits, kept on disk until their search is complete: an interrupted search goes on where it ended."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.directories import find_data_home
from offnominal.core.files import read_bytes, write_bytes
from offnominal.papers.comparison.configuration_results import ConfigurationResult

FOLDER = "unfinished-searches"
LEAST_S = 1.0
"""CPU seconds of the shortest fit that is kept."""
OLDEST_S = 30 * 24 * 3600.0
"""Seconds after which an abandoned search is removed."""
PARTS = ("validation", "test")
Results = Mapping[str, Sequence[ConfigurationResult]]


class FinishedFits:
    """Results of the fits of one search, in a folder of the data home.

    Without a data home, or if it cannot be written, nothing is kept.

    Args:
        identity: What the results depend on, such as hashes of the cell, of its code and of its data.

    Attributes:
        saved_s: CPU seconds of the fits that were found on disk.

    Example:
        >>> fits = FinishedFits("cell", "code", "data")
        >>> quick = fits.computed("first", lambda: {"knn": [ConfigurationResult({"n_neighbors": 3})]})
        >>> quick["knn"][0].configuration, fits.saved_s
        ({'n_neighbors': 3}, 0.0)
    """

    def __init__(self, *identity: str) -> None:
        self.saved_s = 0.0
        home = find_data_home()
        self._folder = None if home is None else home / FOLDER / _hash(identity)
        if self._folder is not None:
            _remove_abandoned(self._folder.parent)

    def computed(self, name: str, compute: Callable[[], Results]) -> Results:
        """Return the results of a fit from disk, or compute them.

        Args:
            name: Identifies the fit within the search.
            compute: Fits, and returns results by method.
        """
        path = None if self._folder is None else self._folder / f"{_hash([name])}.npz"
        found = None if path is None else _read(path)
        if found is not None:
            seconds, results = found
            self.saved_s += seconds
            return results
        start = time.process_time()
        results = compute()
        seconds = time.process_time() - start
        if path is not None and seconds >= LEAST_S:
            _write(path, seconds, results)
        return results

    def remove(self) -> None:
        """Remove what was kept; the search is complete."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _hash(parts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _write(path: Path, seconds: float, results: Results) -> None:
    """Write results; a folder that cannot be written is no reason to stop a search."""
    arrays: dict[str, Any] = {}
    entries: list[list[Any]] = []
    for method, each in ((method, one) for method, several in results.items() for one in several):
        scores = {f"{part}-{len(entries)}": getattr(each, part) for part in PARTS}
        arrays |= {name: values for name, values in scores.items() if values is not None}
        entries.append([method, each.configuration, each.fit_s, each.score_s, each.failure])
    details = np.frombuffer(json.dumps([seconds, entries]).encode(), np.uint8)
    content = io.BytesIO()
    np.savez(content, details=details, **arrays)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content.getvalue())
    except OSError:
        return


def _read(path: Path) -> tuple[float, Results] | None:
    """Return the CPU seconds and the results of a fit; None if the file is missing or damaged."""
    if not path.is_file():
        return None
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as stored:
            seconds, entries = json.loads(stored["details"].tobytes())
            results: dict[str, list[ConfigurationResult]] = {}
            for place, (method, configuration, *cost) in enumerate(entries):
                scores = [stored.get(f"{part}-{place}") for part in PARTS]
                results.setdefault(method, []).append(ConfigurationResult(configuration, *scores, *cost))
    except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile):
        return None
    return float(seconds), results


def _remove_abandoned(folder: Path) -> None:
    """Remove searches that were not continued for a month."""
    try:
        old = [each for each in folder.iterdir() if each.stat().st_mtime < time.time() - OLDEST_S]
    except OSError:
        return
    for each in old:
        shutil.rmtree(each, ignore_errors=True)
