"""Where the agent acts: batch-first worlds with a Gymnasium face."""

from offnominal.worlds.catalogue import make_single, make_vector, make_world, register_gymnasium, world_cards, worlds
from offnominal.worlds.pictured import Pictured
from offnominal.worlds.single import WorldEnv
from offnominal.worlds.vector import VectorWorld
from offnominal.worlds.world import Channel, Knob, World, WorldCard

__all__ = [
    "Channel",
    "Knob",
    "Pictured",
    "VectorWorld",
    "World",
    "WorldCard",
    "WorldEnv",
    "make_single",
    "make_vector",
    "make_world",
    "register_gymnasium",
    "world_cards",
    "worlds",
]
