"""Environments: batched worlds that are also Gymnasium environments."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.catalogue import make_single, make_vector, make_world, worlds
from offnominal.worlds.pixel_observations import ObservationBuilder
from offnominal.worlds.registry import WorldRegistry
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.world import World
from offnominal.worlds.world_card import Channel, EvaluationTerms, PhysicsParameter, TrainingPresets, WorldCard

__all__ = [
    "Channel",
    "EvaluationTerms",
    "ObservationBuilder",
    "PhysicsParameter",
    "TrainingPresets",
    "World",
    "WorldCard",
    "WorldEnv",
    "WorldRegistry",
    "WorldVectorEnv",
    "make_single",
    "make_vector",
    "make_world",
    "worlds",
]

name_wrong_arguments(__name__)
