"""The published numbers of the Anomaly-Gym paper, by the names of our worlds and metrics."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from offnominal.papers.printed_values import printed_values

PAPER = "anomaly-gym"
GROUPS = {
    "CAR": ("CAR-LaneKeep-v0",),
    "MJC": ("MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "MJC-Reacher3D-v0"),
    "SAP": ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"),
    "URM": ("URM-PnP-v0", "URM-Reach-v0"),
    "URR": ("URR-Reach-v0",),
}
"""Groups of worlds in Table 3."""
WORLDS = tuple(world for worlds in GROUPS.values() for world in worlds)
PUBLISHED_EPISODES = dict.fromkeys(WORLDS, 100) | dict.fromkeys(("CAR-LaneKeep-v0", "URR-Reach-v0"), 50)
"""Published number of episodes per fault."""
ADDED_FAULTS = {
    "CAR-LaneKeep-v0": ("dynamics/ghost_driver", "dynamics/heavy_rain"),
    **dict.fromkeys(("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"), ("dynamics/damping",)),
    "URM-Reach-v0": ("dynamics/payload",),
    "URM-PnP-v0": ("dynamics/grip_loss", "dynamics/payload"),
    "URR-Reach-v0": ("action/noise", "observation/noise"),
}
"""Anomalies of our worlds that the published numbers leave out. The paper has no noise on its robot, but temporal
noise: Tables 3 and 12 agree with means over 5, 3 and 5 faults of the three kinds, and not over 4, 3 and 4."""
DETECTORS = ("PE-DM", "MLP-DM", "LSTM-DM", "KNN", "OC-SVM", "IsolationForest", "RIQN")
PRINTED_NAMES = {"iF": "IsolationForest"}
"""Our names of detectors that have another one in the paper."""
# Image detectors; those with our own encoder are compared with the published ones with a pretrained network.
IMAGE_DETECTORS = {
    **{name: name for name in ("LRDM", "LDM", "AE-Pred", "PredNet", "RSSM-PPM", "RES-KNN", "CLIP-Sim", "DINO-Patch")},
    **dict.fromkeys(("KNN-encoder", "KNN-random"), "RES-KNN"),
    **dict.fromkeys(("Patch-encoder", "Patch-random"), "DINO-Patch"),
}
COUNTERPARTS = {**{name: name for name in DETECTORS}, **IMAGE_DETECTORS}
"""The published detector that each of ours is compared with."""
LEVELS = ("tiny", "strong")
_METRICS = {
    "AUROC": "auroc",
    "AUPR": "average_precision",
    "FPR95": "fpr95",
    "gAUROC": "pooled_auroc",
    "gAUPR": "pooled_average_precision",
    "gFPR95": "pooled_fpr95",
}


METRIC_NAMES = {
    "auroc": "AUROC",
    "average_precision": "AUPR",
    "fpr95": "FPR95",
    "pooled_auroc": "global AUROC",
    "pooled_average_precision": "global AUPR",
    "pooled_fpr95": "global FPR95",
}
"""Title of each metric of Tables 12 and 13."""


def world_id(printed: str) -> str:
    """Return the id of a world of the paper.

    Example:
        >>> world_id("SAP-Goal0"), world_id("MJC-Cartpole")
        ('SAP-Goal0-v0', 'MJC-CartpoleSwingup-v0')
    """
    return "MJC-CartpoleSwingup-v0" if printed == "MJC-Cartpole" else f"{printed}-v0"


@cache
def published_by_world() -> dict[tuple[str, str, str, str], float]:
    """Return the numbers of Tables 12 and 13 by world, level, detector and metric."""
    return {
        (world_id(row["env"]), row["strength"], detector, _METRICS[row["metric"]]): float(row["mean"])
        for table in ("table_12", "table_13")
        for row in printed_values(PAPER, table)
        for detector in [PRINTED_NAMES.get(row["detector"], row["detector"])]
        if row["mean"]
    }


@cache
def worlds_with_same_numbers(detector: str, other: str) -> tuple[str, ...]:
    """Return the worlds in which Table 13 has the same means and deviations for two detectors.

    Example:
        >>> worlds_with_same_numbers("LDM", "LRDM")
        ('CAR-LaneKeep-v0', 'MJC-CartpoleSwingup-v0', 'SAP-Goal0-v0', 'SAP-Goal1-v0', 'URM-PnP-v0', 'URR-Reach-v0')
        >>> worlds_with_same_numbers("LDM", "PredNet")
        ()
    """
    found: defaultdict[tuple[str, str], dict[tuple[str, str], tuple[str, str]]] = defaultdict(dict)
    for row in printed_values(PAPER, "table_13"):
        found[world_id(row["env"]), row["detector"]][row["strength"], row["metric"]] = row["mean"], row["std"]
    return tuple(world for world in WORLDS if found[world, detector] == found[world, other])


@cache
def published_by_group() -> dict[tuple[str, str, str, str], float]:
    """Return the local AUROC of Table 3 by group of worlds, kind of fault, level and detector.

    Example:
        >>> published_by_group()["URM", "dynamics", "strong", "PE-DM"]
        0.69
    """
    return {
        (row["env_group"], row["anomaly_class"], row["strength"], row["detector"]): float(row["AUROC"])
        for row in printed_values(PAPER, "table_3")
    }
