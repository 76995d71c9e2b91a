"""The open world: voxel rooms, recipes, trades and actors of the pogo-stick task."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.craft.commands import Result, execute, run_command
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.novelties import NOVELTIES, set_novelty
from offnominal.worlds.craft.novelty import Novelty
from offnominal.worlds.craft.planner import PogoPlanner, solve
from offnominal.worlds.craft.state import Actor, GameState

__all__ = [
    "NOVELTIES",
    "Actor",
    "GameState",
    "Novelty",
    "PogoPlanner",
    "Result",
    "execute",
    "new_game",
    "run_command",
    "set_novelty",
    "solve",
]

name_wrong_arguments(__name__)
