"""The published numbers of the Anomaly-Gym paper."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

GROUPS = {
    "MJC": ("MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "MJC-Reacher3D-v0"),
    "SAP": ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"),
    "URM": ("URM-PnP-v0", "URM-Reach-v0"),
    "URR": ("URR-Reach-v0",),
}
"""Groups of worlds in Table 3."""
ADDED_FAULTS = {
    "URM-Reach-v0": ("dynamics/payload",),
    "URM-PnP-v0": ("dynamics/grip_loss", "dynamics/payload"),
    "URR-Reach-v0": ("action/noise", "action/temporal_noise", "observation/noise", "observation/temporal_noise"),
}
"""Anomalies of our worlds that the published numbers leave out. The paper has no noise on its robot."""


@cache
def published_by_world() -> dict[tuple[str, str, str, str], float]:
    """Return the numbers of Tables 12 and 13 by world, level, detector and metric."""
    return {
        (row["world"], row["level"], row["detector"], row["metric"]): float(row["value"])
        for row in _rows("published.csv")
    }


@cache
def published_by_group() -> dict[tuple[str, str, str, str], float]:
    """Return the local AUROC of Table 3 by group of worlds, kind of fault, level and detector.

    Example:
        >>> published_by_group()["URM", "dynamics", "strong", "PE-DM"]
        0.69
    """
    return {
        (row["group"], row["kind"], row["level"], row["detector"]): float(row["value"])
        for row in _rows("published_groups.csv")
    }


def _rows(file: str) -> csv.DictReader[str]:
    text = files("offnominal.papers.anomaly_gym").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
