"""Scores of recorded episodes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

POINTS = 300
"""Largest number of points of a curve."""


def recorded_episode(examples: Any, split: str, keys: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the scores of several detectors on one recorded episode of a split, or None if none was recorded.

    Args:
        examples: Recorded episodes of a run.
        split: Name of the split.
        keys: Keys of cells by the names of their detectors.
    """
    if "scores" not in examples.column_names:
        return None
    chosen = {key: name for name, key in keys.items()}
    columns = [name for name in examples.column_names if name not in ("world", "policy", "name")]
    rows = [row for row in examples.select(columns).to_pylist() if row["split"] == split and row["key"] in chosen]
    reached = [row for row in rows if row["onset"] is not None]
    if not reached:
        return None
    first = reached[0]
    return {
        "seed": first["episode_seed"],
        "onset": first["onset"],
        "end": first["end"],
        "effective": first["effective_onset"],
        "length": len(first["scores"]),
        "detectors": {
            chosen[row["key"]]: {
                "scores": _curve(row["scores"]),
                "twin": _curve(row["twin_scores"] or ()),
                "thresholds": json.loads(row["thresholds"] or "{}"),
                "alarms": json.loads(row["alarms"] or "{}"),
            }
            for row in reached
            if row["episode_seed"] == first["episode_seed"]
        },
    }


def _curve(scores: Sequence[float]) -> list[list[float]]:
    """Return steps and scores; of a long curve, the largest score of every few steps."""
    stride = -(-len(scores) // POINTS) or 1
    return [
        [start, float(f"{max(scores[start : start + stride]):.4g}")]
        for start in range(0, len(scores), stride)
        if all(map(math.isfinite, scores[start : start + stride]))
    ]
