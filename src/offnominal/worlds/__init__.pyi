# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds import arm as arm
from offnominal.worlds import classic as classic
from offnominal.worlds import craft as craft
from offnominal.worlds import mujoco as mujoco
from offnominal.worlds import particles as particles
from offnominal.worlds import pong as pong
from offnominal.worlds import road as road
from offnominal.worlds.catalogue import WorldRegistry as WorldRegistry
from offnominal.worlds.catalogue import make_single as make_single
from offnominal.worlds.catalogue import make_vector as make_vector
from offnominal.worlds.catalogue import make_world as make_world
from offnominal.worlds.catalogue import worlds as worlds
from offnominal.worlds.pixel_observations import ObservationBuilder as ObservationBuilder
from offnominal.worlds.single_env import WorldEnv as WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv as WorldVectorEnv
from offnominal.worlds.world import World as World
from offnominal.worlds.world_card import Channel as Channel
from offnominal.worlds.world_card import EvaluationTerms as EvaluationTerms
from offnominal.worlds.world_card import GoalTerms as GoalTerms
from offnominal.worlds.world_card import PhysicsParameter as PhysicsParameter
from offnominal.worlds.world_card import TrainingPresets as TrainingPresets
from offnominal.worlds.world_card import WorldCard as WorldCard

__all__ = [
    "Channel",
    "EvaluationTerms",
    "GoalTerms",
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
