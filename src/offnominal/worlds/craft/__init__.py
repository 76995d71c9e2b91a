"""The open world: voxel rooms, recipes, trades and actors of the pogo-stick task."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "commands": ("Result", "execute", "run_command"),
        "game": ("new_game",),
        "novelties": ("NOVELTIES", "set_novelty"),
        "novelty": ("Novelty",),
        "planner": ("PogoPlanner", "solve"),
        "state": ("Actor", "GameState"),
    },
)
