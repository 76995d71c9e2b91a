"""Description of an environment for an injection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gymnasium.spaces import Box

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.world import World
from offnominal.worlds.world_card import PhysicsParameter


class AdjustablePhysics(Protocol):
    """An object with physics parameters: a world, or the MuJoCo model of another package's environment."""

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """Physics parameters by name."""

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows."""


@dataclass(frozen=True, slots=True)
class EnvironmentInfo:
    """Description of an environment for an injection.

    Args:
        observation: Names of the observation's channels, flattened.
        action: Names of the action's channels, flattened; empty for discrete actions.
        physics: Physics that dynamics faults change, if there is any.
        world: Id of a shipped world, for named strengths.
        length: Length of an expert's episode, for random onsets.
        limit: Time limit, if there is one.
        has_images: Whether it has images, for camera faults.
        pixel_world: The world, if its observations are pixel observations.
        name: Name of the environment in messages.
        refusal: Function that returns why the environment must not have an anomaly; empty if it may.
    """

    observation: tuple[str, ...]
    action: tuple[str, ...]
    physics: AdjustablePhysics | None = None
    world: str | None = None
    length: int | None = None
    limit: int | None = None
    has_images: bool = False
    pixel_world: World | None = None
    name: str = "the environment"
    refusal: Callable[[str], str] = lambda _: ""

    @classmethod
    def of(cls, world: World, limit: int | None = None, *, has_images: bool = False) -> EnvironmentInfo:
        """Describe a world.

        Args:
            world: The world.
            limit: Time limit; the world's own if None.
            has_images: Whether its images are used.
        """
        card, pixels = world.card, isinstance(world.camera, PixelCamera)
        return cls(
            observation=tuple(channel.name for channel in card.observation),
            action=tuple(channel.name for channel in card.action) if isinstance(world.action_space, Box) else (),
            physics=world,
            world=card.id,
            length=card.expert_length,
            limit=limit or card.max_steps,
            has_images=has_images or pixels,
            pixel_world=world if pixels else None,
            name=card.id,
            refusal=world.refusal,
        )
