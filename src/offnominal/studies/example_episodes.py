"""The table of example episodes: the first few faulty ones of each split, with scores and alarms."""

from __future__ import annotations

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("world", pa.string()),
        ("policy", pa.string()),
        ("name", pa.string()),
        ("seed", pa.int64()),
        ("split", pa.string()),
        ("episode_seed", pa.int64()),
        ("onset", pa.int64()),
        ("end", pa.int64()),
        ("effective_onset", pa.int64()),
        ("scores", pa.list_(pa.float32())),
        ("twin_scores", pa.list_(pa.float32())),
        ("thresholds", pa.string()),
        ("alarms", pa.string()),
        ("total_reward", pa.float64()),
    ]
)
