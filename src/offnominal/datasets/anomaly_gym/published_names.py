"""Names in the published recordings of Anomaly-Gym, and ours."""

from __future__ import annotations

from offnominal.anomalies.strengths import LEVELS
from offnominal.core.errors import UnknownName, did_you_mean

ENVIRONMENTS = {
    "Carla-LaneKeep": "CAR-LaneKeep-v0",
    "Mujoco-CartpoleSwingup": "MJC-CartpoleSwingup-v0",
    "Mujoco-HalfCheetah": "MJC-HalfCheetah-v0",
    "Mujoco-Reacher3D": "MJC-Reacher3D-v0",
    "Sape-Goal0": "SAP-Goal0-v0",
    "Sape-Goal1": "SAP-Goal1-v0",
    "Sape-Goal2": "SAP-Goal2-v0",
    "URMujoco-PnP": "URM-PnP-v0",
    "URMujoco-Reach": "URM-Reach-v0",
    "URRtde-Reach": "URR-Reach-v0",
}
"""Our id of the world by the published id of the environment."""

NOMINAL = {"train": "train", "val": "validation", "test": "test"}
"""Our name of a nominal split by its published name."""

_SIDES = {"obs": "observation", "action": "action"}
_KINDS = {"factor": "scaling"}
_WITHOUT_BODY = ("MJC-", "SAP-")


def environment_id(name: str) -> str:
    """Return the published id of an environment from that id or from our id of the world.

    Example:
        >>> environment_id("SAP-Goal0-v0"), environment_id("Carla-LaneKeep")
        ('Sape-Goal0', 'Carla-LaneKeep')
    """
    for published, ours in ENVIRONMENTS.items():
        if name in (published, ours):
            return published
    raise UnknownName(
        f"Anomaly-Gym has no environment {name!r}.{did_you_mean(name, [*ENVIRONMENTS, *ENVIRONMENTS.values()])} "
        f"It has {', '.join(ENVIRONMENTS)}."
    )


def split_name(published: str, world: str) -> str | None:
    """Return our name of a published split, or None if it is not the name of a split.

    Example:
        >>> split_name("val", "SAP-Goal0-v0"), split_name("obs_factor_tiny", "SAP-Goal0-v0")
        ('validation', 'observation/scaling@tiny')
        >>> split_name("force_agent_strong", "SAP-Goal0-v0"), split_name("plots", "SAP-Goal0-v0")
        ('dynamics/force@strong', None)
    """
    if published in NOMINAL:
        return NOMINAL[published]
    anomaly, _, level = published.rpartition("_")
    return f"{anomaly_id(anomaly, world)}@{level}" if anomaly and level in LEVELS else None


def anomaly_id(published: str, world: str) -> str:
    """Return our id of a published anomaly in a world.

    Example:
        >>> anomaly_id("robot_friction", "MJC-HalfCheetah-v0"), anomaly_id("robot_friction", "URM-Reach-v0")
        ('dynamics/friction', 'dynamics/robot_friction')
    """
    side, _, kind = published.partition("_")
    if side in _SIDES:
        return f"{_SIDES[side]}/{_KINDS.get(kind, kind)}"
    if world.startswith(_WITHOUT_BODY):
        published = published.removeprefix("robot_").removesuffix("_agent")
    return f"dynamics/{published}"
