"""The command interface of the original: one line of text in, one JSON object out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from offnominal.worlds.craft import block_commands, item_commands, movement, sense
from offnominal.worlds.craft.actors import act
from offnominal.worlds.craft.blocks import POGO_STICK
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.refusal import Refusal, expect
from offnominal.worlds.craft.rules import BUDGET
from offnominal.worlds.craft.state import GameState

Answer: TypeAlias = float | tuple[float, dict[str, Any]]
Handler: TypeAlias = Callable[[GameState, list[str]], Answer]
LONGEST = 4096
LONGEST_SHOWN = 200


class Result(NamedTuple):
    """What a command did.

    Attributes:
        command: Its first word.
        argument: The rest of it.
        success: Whether it was carried out. If not, only the number of commands and the step cost have changed.
        message: Why not.
        cost: Its step cost.
        data: What it returned, such as sensed data.
    """

    command: str
    argument: str
    success: bool
    message: str = ""
    cost: float = 0.0
    data: Mapping[str, Any] = MappingProxyType({})

    def to_json(self) -> dict[str, Any]:
        """Return the published form of the result."""
        return {
            "command": self.command,
            "argument": self.argument,
            "result": "SUCCESS" if self.success else "FAIL",
            "message": self.message,
            "stepCost": self.cost,
        }


def run_command(state: GameState, text: str) -> Result:
    """Carry out a command and advance time if the command takes time.

    An unknown or malformed command changes nothing. A command that is not possible changes only the number of
    commands and the step cost.
    """
    verb, _, argument = text[:LONGEST].strip().partition(" ")
    argument = argument.strip()
    handler = VERBS.get(verb)
    if handler is None or len(text) > LONGEST:
        return Result(verb[:LONGEST_SHOWN], argument[:LONGEST_SHOWN], False, "unknown command")
    if state.over and verb not in FREE:
        return Result(verb, argument, False, "the episode has ended")
    try:
        answer = handler(state, argument.split())
    except Refusal as refusal:
        if refusal.cost:
            _charge(state, refusal.cost)
        return Result(verb, argument[:LONGEST_SHOWN], False, str(refusal), refusal.cost)
    cost, data = answer if isinstance(answer, tuple) else (answer, {})
    _charge(state, cost)
    if verb not in TIMELESS:
        _advance(state)
    return Result(verb, argument, True, "", cost, data)


def execute(state: GameState, text: str) -> dict[str, Any]:
    """Carry out a command and return its published JSON object."""
    result = run_command(state, text)
    return {
        **result.data,
        "goal": sense.goal(state),
        "command_result": result.to_json(),
        "step": state.step,
        "gameOver": state.over,
    }


def _charge(state: GameState, cost: float) -> None:
    state.step += 1
    state.cost += cost
    if state.cost >= BUDGET:
        state.over = True


def _advance(state: GameState) -> None:
    """Let one turn pass: pick up what lies here, let saplings appear, let the actors act."""
    state.turn += 1
    if state.cell in state.drops:
        block_commands.pick_up(state)
    if state.saplings and any(due <= state.turn for due, _, _ in state.saplings):
        for due, cell, item in state.saplings:
            if due <= state.turn:
                state.drop(cell, item, 1)
        state.saplings = tuple(each for each in state.saplings if each[0] > state.turn)
    act(state)
    if POGO_STICK in state.inventory.items:
        state.solved = state.over = True


def _nothing(state: GameState, words: list[str]) -> Answer:
    """Let one turn pass: ``NOP``."""
    expect(words, 0, 0, "NOP without arguments")
    return state.rules.costs.wait


def _give_up(state: GameState, words: list[str]) -> Answer:
    """End the episode: ``GIVE_UP``."""
    state.over = True
    return 0.0


def _report_novelty(state: GameState, words: list[str]) -> Answer:
    """Note that the player has noticed a novelty: ``REPORT_NOVELTY text``."""
    state.reports = (*state.reports, " ".join(words))
    return 0.0


def _check_cost(state: GameState, words: list[str]) -> Answer:
    """Return the step cost so far: ``CHECK_COST``."""
    expect(words, 0, 0, "CHECK_COST without arguments")
    return 0.0, {"cost": state.cost}


def _sense_all(state: GameState, words: list[str]) -> Answer:
    """Return everything that the player senses: ``SENSE_ALL NONAV``."""
    if words not in ([], ["NONAV"]):
        raise Refusal("expected SENSE_ALL or SENSE_ALL NONAV")
    return state.rules.costs.sense_all, sense.everything(state, navigation=not words)


def _sense_inventory(state: GameState, words: list[str]) -> Answer:
    """Return the inventory: ``SENSE_INVENTORY``."""
    expect(words, 0, 0, "SENSE_INVENTORY without arguments")
    return state.rules.costs.sense, {"inventory": sense.inventory(state)}


def _sense_locations(state: GameState, words: list[str]) -> Answer:
    """Return player, actors and map: ``SENSE_LOCATIONS``."""
    expect(words, 0, 0, "SENSE_LOCATIONS without arguments")
    found = {"player": sense.player(state), "entities": sense.entities(state), "map": sense.cell_map(state)}
    return state.rules.costs.sense, found


def _sense_recipes(state: GameState, words: list[str]) -> Answer:
    """Return all recipes: ``SENSE_RECIPES``."""
    expect(words, 0, 0, "SENSE_RECIPES without arguments")
    return state.rules.costs.sense_recipes, {"recipes": sense.recipes(state)}


def _sense_screen(state: GameState, words: list[str]) -> Answer:
    """Return what an image of the player's view needs: ``SENSE_SCREEN``. The environment renders the image."""
    expect(words, 0, 0, "SENSE_SCREEN without arguments")
    return state.rules.costs.sense, {"player": sense.player(state)}


def _sense_actor_actions(state: GameState, words: list[str]) -> Answer:
    """Return the latest action of every actor: ``SENSE_ACTOR_ACTIONS``."""
    expect(words, 0, 0, "SENSE_ACTOR_ACTIONS without arguments")
    height = state.layout.base + GROUND
    found = {
        str(actor.id): {"action": actor.last, "pos": [actor.cell[0], height, actor.cell[1]]} for actor in state.actors
    }
    return state.rules.costs.sense, {"actorActions": found}


VERBS: dict[str, Handler] = {
    "MOVE": movement.move,
    "SMOOTH_MOVE": movement.move,
    "TURN": movement.turn,
    "SMOOTH_TURN": movement.turn,
    "TILT": movement.tilt,
    "SMOOTH_TILT": movement.tilt,
    "TP_TO": movement.teleport,
    "BREAK_BLOCK": block_commands.break_block,
    "PLACE": block_commands.place,
    "PLACE_TREE_TAP": block_commands.place_tree_tap,
    "COLLECT": block_commands.collect,
    "USE": block_commands.use,
    "CRAFT": item_commands.craft,
    "SELECT_ITEM": item_commands.select_item,
    "DELETE": item_commands.delete,
    "TRADE": item_commands.trade,
    "INTERACT": item_commands.interact,
    "NOP": _nothing,
    "SENSE_ALL": _sense_all,
    "SENSE_INVENTORY": _sense_inventory,
    "SENSE_LOCATIONS": _sense_locations,
    "SENSE_RECIPES": _sense_recipes,
    "SENSE_SCREEN": _sense_screen,
    "SENSE_ACTOR_ACTIONS": _sense_actor_actions,
    "CHECK_COST": _check_cost,
    "REPORT_NOVELTY": _report_novelty,
    "GIVE_UP": _give_up,
}
"""Commands by their first word."""
FREE = frozenset(verb for verb in VERBS if verb.startswith("SENSE_")) | {"CHECK_COST"}
"""Commands that are also possible after the end of an episode."""
TIMELESS = FREE | {"TURN", "SMOOTH_TURN", "TILT", "SMOOTH_TILT", "REPORT_NOVELTY", "GIVE_UP"}
"""Commands that take no turn: actors do not act."""
