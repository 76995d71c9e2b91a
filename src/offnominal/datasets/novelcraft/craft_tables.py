"""The three tables of NovelCraft with their published columns: ``targets.csv``, ``splits.csv`` and ``summary.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.files import content_errors, read_text
from offnominal.core.types import FloatArray, IntArray
from offnominal.datasets.novelcraft.split_rule import SPLITS

TARGETS, SPLITS_FILE, SUMMARY = "targets.csv", "splits.csv", "summary.csv"
COLUMNS = {
    TARGETS: ("id", "novel_percent"),
    SPLITS_FILE: ("episode", "split", "num_frames"),
    SUMMARY: ("nov_type", "num_episodes", "num_frames"),
}
"""Published columns. The values of ``novel_percent`` are fractions from 0 to 1."""


class EpisodeFractions(NamedTuple):
    """Frames of one episode.

    Attributes:
        frame_ids: (T,): ids in increasing order.
        fractions: (T,): fraction of the pixels that show the novelty.
    """

    frame_ids: IntArray
    fractions: FloatArray


class SplitRow(NamedTuple):
    """A row of ``splits.csv``.

    Attributes:
        split: ``train``, ``valid`` or ``test``.
        frames: Number of frames after the filter.
    """

    split: str
    frames: int


class SummaryRow(NamedTuple):
    """A row of ``summary.csv``.

    Attributes:
        episodes: Number of episodes with frames after the filter.
        frames: Number of these frames.
    """

    episodes: int
    frames: int


def read_targets(path: Path) -> dict[str, EpisodeFractions]:
    """Return the frames of every episode of a ``targets.csv``, by ``class/episode``.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It has other columns or invalid values.
    """
    found: dict[str, dict[int, float]] = {}
    with content_errors(path, "rows of targets.csv"):
        for id, fraction in _rows(path, TARGETS):
            episode, _, frame = id.rpartition("/")
            if episode.count("/") != 1 or not 0.0 <= float(fraction) <= 1.0:
                raise ValueError(f"the row of {id!r} is invalid")
            found.setdefault(episode, {})[int(frame)] = float(fraction)
    return {episode: _sorted(frames) for episode, frames in found.items()}


def _sorted(frames: Mapping[int, float]) -> EpisodeFractions:
    ids = sorted(frames)
    return EpisodeFractions(np.array(ids, np.int64), np.array([frames[id] for id in ids], np.float64))


def read_splits(path: Path) -> dict[str, SplitRow]:
    """Return the rows of a ``splits.csv`` by ``class/episode``; raises as :func:`read_targets`."""
    with content_errors(path, "rows of splits.csv"):
        found = {episode: SplitRow(split, int(frames)) for episode, split, frames in _rows(path, SPLITS_FILE)}
        if unknown := {row.split for row in found.values()} - set(SPLITS):
            raise ValueError(f"unknown splits {', '.join(sorted(unknown))}")
    return found


def read_summary(path: Path) -> dict[str, SummaryRow]:
    """Return the rows of a ``summary.csv`` by class; raises as :func:`read_targets`."""
    with content_errors(path, "rows of summary.csv"):
        return {name: SummaryRow(int(episodes), int(frames)) for name, episodes, frames in _rows(path, SUMMARY)}


def _rows(path: Path, kind: str) -> Iterable[Sequence[str]]:
    rows = csv.reader(StringIO(read_text(path)), strict=True)
    columns = tuple(next(rows, ()))
    if columns != COLUMNS[kind]:
        raise DamagedFile(f"{path} has the columns {', '.join(columns)}; expected {', '.join(COLUMNS[kind])}.")
    return rows


def table_text(kind: str, rows: Iterable[Sequence[object]]) -> str:
    """Return the text of a table."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS[kind])
    writer.writerows(rows)
    return text.getvalue()


def target_rows(fractions: Mapping[str, FloatArray]) -> list[tuple[str, float]]:
    """Return the rows of ``targets.csv``, sorted by id as text.

    Args:
        fractions: Fractions of the frames 0, 1 and so on, by ``class/episode``.
    """
    rows = [(f"{id}/{frame}", float(value)) for id, values in fractions.items() for frame, value in enumerate(values)]
    return sorted(rows)
