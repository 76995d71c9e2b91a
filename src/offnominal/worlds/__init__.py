"""Where the agent acts: batch-first worlds with a Gymnasium face."""

from offnominal.worlds.catalogue import make_single, make_vector, make_world, register_gymnasium, world_cards, worlds
from offnominal.worlds.pixel_observations import ObservationBuilder
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.world import Channel, PhysicsParameter, World, WorldCard

__all__ = [
    "Channel",
    "ObservationBuilder",
    "PhysicsParameter",
    "World",
    "WorldCard",
    "WorldEnv",
    "WorldVectorEnv",
    "make_single",
    "make_vector",
    "make_world",
    "register_gymnasium",
    "world_cards",
    "worlds",
]
