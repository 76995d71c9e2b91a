"""Score curves of example episodes, within the size limit of a page."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.core.printable import printable
from offnominal.core.types import FloatArray

BUDGET = 900_000
POINTS = 300
FIRST_LEVELS = ("medium", "strong", "extreme", "tiny")


def select_examples(examples: Any, cells: Mapping[str, tuple[str, str, int]], budget: int = BUDGET) -> dict[str, Any]:
    """Return the episodes that a page shows, and how many were recorded.

    An episode is taken with the scores of all detectors or not at all. Those of the first training run come first, and
    worlds take turns, so that each has some.

    Args:
        examples: Recorded episodes of a run.
        cells: World, name and seed by key.
        budget: Characters that the episodes may take.
    """
    taken: list[Any] = []
    recorded = examples.num_rows
    for group in _groups(examples, cells):
        made = [_compact(row, cells[row["key"]]) for row in group]
        size = sum(len(json.dumps(row, separators=(",", ":"))) for row in made)
        if size > budget:
            break
        budget -= size
        taken += made
    return {"rows": taken, "recorded": recorded}


def default_example(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int:
    """Return the number of the episode that a page shows first: a clean detection, if there is one.

    In a clean detection no alarm comes before the onset and at least one comes after it. Those of the best detector
    come first, then those with most alarms, then those with the shortest delay to the last of them. Without a clean
    detection, the first episode of the best detector is shown.

    Args:
        rows: Episodes of a page; see :func:`select_examples`.
        names: Detectors, best first.

    Example:
        >>> rows = [{"name": "KNN", "onset": 9, "alarms": {"A": step}} for step in (3, None, 15, 11)]
        >>> default_example(rows, ["KNN"])
        3
    """
    place = {name: number for number, name in enumerate(names)}

    def order(number: int) -> tuple[bool, int, int, int]:
        row = rows[number]
        steps = [step for step in row["alarms"].values() if step is not None]
        clean = row["onset"] is not None and bool(steps) and min(steps) >= row["onset"]
        delay = max(steps) - row["onset"] if clean else 0
        return not clean, place.get(row["name"], len(place)), -len(steps) if clean else 0, delay

    return min(range(len(rows)), key=order, default=0)


def _groups(examples: Any, cells: Mapping[str, tuple[str, str, int]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of one episode, most telling first: round after round, one of each world."""
    if not examples.num_rows:
        return
    plain = examples.select(["key", "split", "episode_seed"]).to_pylist()
    groups: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    first = {(world, name): seed for world, name, seed in sorted(cells.values(), reverse=True)}
    for number, row in enumerate(plain):
        world, name, seed = cells.get(row["key"], ("", "", -1))
        if first.get((world, name)) == seed:
            groups[world, row["split"], row["episode_seed"]].append(number)
    queues: dict[str, list[tuple[tuple[int, int], list[int]]]] = defaultdict(list)
    seen: dict[tuple[str, str], int] = defaultdict(int)
    for (world, split, _), numbers in groups.items():
        queues[world].append(((seen[world, split], _level(split)), numbers))
        seen[world, split] += 1
    ordered = [sorted(queue, key=lambda entry: entry[0]) for queue in queues.values()]
    for turn in range(max(map(len, ordered), default=0)):
        for queue in ordered:
            if turn < len(queue):
                yield examples.take(queue[turn][1]).to_pylist()


def _level(split: str) -> int:
    level = split.rpartition("@")[2].split("-")[0]
    return FIRST_LEVELS.index(level) if level in FIRST_LEVELS else len(FIRST_LEVELS)


def _compact(row: Mapping[str, Any], cell: tuple[str, str, int]) -> dict[str, Any]:
    world, name, _ = cell
    curves = [np.asarray(row[column], np.float64) for column in ("scores", "twin_scores") if row.get(column)]
    stride = max(-(-max(map(len, curves)) // POINTS), 1)
    low, high = limits(curves)
    texts = [encode_curve(downsampled_maximum(curve, stride), low, high) for curve in curves]
    return {
        "world": world,
        "split": row["split"],
        "name": name,
        "episode": row["episode_seed"],
        "onset": row["onset"],
        "end": row["end"],
        "effective": row.get("effective_onset"),
        "length": len(curves[0]),
        "stride": stride,
        "range": [float(f"{low:.5g}"), float(f"{high:.5g}")],
        "scores": texts[0],
        "twin": texts[1] if len(texts) > 1 else None,
        "thresholds": _rounded(row.get("thresholds")),
        "alarms": _rounded(row.get("alarms")),
        "return": None if row.get("total_reward") is None else float(f"{row['total_reward']:.5g}"),
    }


def _rounded(text: str | None) -> dict[str, Any]:
    found = json.loads(text) if text else {}
    return {
        printable(name): float(f"{value:.5g}") if isinstance(value, float) else value for name, value in found.items()
    }


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
STEPS = len(ALPHABET) ** 2 - 1


def downsampled_maximum(curve: FloatArray, stride: int) -> FloatArray:
    """Return the highest of every `stride` neighbours, so that no peak is lost.

    Example:
        >>> downsampled_maximum(np.array([1.0, 5.0, 2.0, 0.0, 3.0]), 2)
        array([5., 2., 3.])
    """
    short = np.full(math.ceil(len(curve) / stride) * stride, -np.inf)
    short[: len(curve)] = curve
    return np.asarray(short.reshape(-1, stride).max(axis=1))


def encode_curve(curve: FloatArray, low: float, high: float) -> str:
    """Return a curve in 4,095 steps between two limits.

    Example:
        >>> encode_curve(np.array([0.0, 0.5, 1.0]), 0.0, 1.0)
        'AAgA__'
    """
    share = (np.clip(curve, low, high) - low) / (high - low) if high > low else np.zeros(len(curve))
    codes = np.rint(np.nan_to_num(share) * STEPS).astype(int)
    return "".join(ALPHABET[code // len(ALPHABET)] + ALPHABET[code % len(ALPHABET)] for code in codes)


def limits(curves: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the lowest and the highest finite point of some curves."""
    joined = np.concatenate(curves)
    finite = joined[np.isfinite(joined)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
