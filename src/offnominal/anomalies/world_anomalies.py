"""The anomalies of a world."""

from __future__ import annotations

from gymnasium.spaces import Discrete

from offnominal.anomalies.catalogue import anomalies_with, camera_anomalies
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.world_source import build_world


def anomalies_of(world: str, *, cameras: bool = False) -> list[str]:
    """Return the ids of the anomalies of a world: the generic ones and one per physics parameter.

    Args:
        world: Id of the world.
        cameras: Whether to include the camera anomalies, if the world can be rendered.

    Example:
        >>> len(anomalies_of("SAP-Goal0-v0", cameras=True)) - len(anomalies_of("SAP-Goal0-v0"))
        14
    """
    sample = build_world(world, 1)
    if isinstance(sample.camera, PixelCamera):
        return [f"dynamics/{name}" for name in sample.physics_parameters] + camera_anomalies()
    return anomalies_with(sample.physics_parameters, discrete=isinstance(sample.action_space, Discrete)) + (
        camera_anomalies() if cameras and sample.camera is not None else []
    )
