"""Intervals that count the chance in both numbers: ours and the published one are means over drawn episodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.anomaly_gym.published_numbers import PUBLISHED_EPISODES
from offnominal.studies.metric_table import MetricTable


def with_published_sampling(measured: MetricTable, table: Any) -> MetricTable:
    """Return a metric with replicates of the difference from a published number, drawn around ours.

    The variance of the difference of two means over `n` and `m` episodes is ``1 + n / m`` times that of the first. So
    our replicates are moved away from our number by the root of this factor.

    Args:
        measured: A metric of the run, each value between 0 and 1.
        table: Rows of the run, with the number of episodes of each split.
    """
    ours = dict(zip(table["world"].to_pylist(), table["episodes"].to_pylist(), strict=True))
    # Worlds with several policies have them in their names.
    worlds = [world.partition(" ")[0] for world in measured.world]
    shares = [ours[world] / PUBLISHED_EPISODES[world] if world in PUBLISHED_EPISODES else 0.0 for world in worlds]
    factors = np.sqrt(1.0 + np.array(shares))
    return replace(measured, draws=_spread(measured.draws, measured.values, factors))


def _spread(draws: FloatArray, values: FloatArray, factors: FloatArray) -> FloatArray:
    centres = values[:, None]
    return np.clip(centres + (draws - centres) * factors[:, None], 0.0, 1.0)
