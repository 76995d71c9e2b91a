"""Novelties of the rules: recipes, step costs, logs per tree and names."""

from __future__ import annotations

from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.novelty import Stop
from offnominal.worlds.craft.rules import changed_rules
from offnominal.worlds.craft.state import GameState


def _with_rules(state: GameState, levels: dict[str, float]) -> None:
    """Set the rules that belong to some levels."""
    state.rules = changed_rules(
        state.version,
        variant=int(levels.get("recipe", 0)),
        cost_factor=1.0 + levels.get("step_cost", 0),
        log_drop=1 + int(levels.get("log_yield", 0)),
        renamed=int(levels.get("renamed_items", 0)),
        has_pogo="missing_recipe" not in levels,
    )


def change_rules(state: GameState, level: int, sequence: Sequential) -> None:
    """Set the rules that belong to the levels of an episode."""
    _with_rules(state, state.levels)


def restore_rules(name: str) -> Stop:
    """Return the function that removes the changes of one novelty from the rules."""

    def stop(state: GameState) -> None:
        _with_rules(state, {other: level for other, level in state.levels.items() if other != name})

    return stop
