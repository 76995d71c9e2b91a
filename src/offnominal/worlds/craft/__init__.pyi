# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.craft import agents as agents
from offnominal.worlds.craft import textures as textures
from offnominal.worlds.craft.commands import Result as Result
from offnominal.worlds.craft.commands import execute as execute
from offnominal.worlds.craft.commands import run_command as run_command
from offnominal.worlds.craft.game import new_game as new_game
from offnominal.worlds.craft.novelties import NOVELTIES as NOVELTIES
from offnominal.worlds.craft.novelties import set_novelty as set_novelty
from offnominal.worlds.craft.novelty import Novelty as Novelty
from offnominal.worlds.craft.planner import PogoPlanner as PogoPlanner
from offnominal.worlds.craft.planner import solve as solve
from offnominal.worlds.craft.state import Actor as Actor
from offnominal.worlds.craft.state import GameState as GameState

__all__ = [
    "Actor",
    "GameState",
    "NOVELTIES",
    "Novelty",
    "PogoPlanner",
    "Result",
    "execute",
    "new_game",
    "run_command",
    "set_novelty",
    "solve",
]
