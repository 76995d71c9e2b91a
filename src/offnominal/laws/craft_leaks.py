"""The law of leaks of NovelCraft sets: before it is met, nothing tells that an episode has a novelty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cached_property
from multiprocessing import get_context
from typing import NamedTuple

from offnominal.core.checks import integer_in
from offnominal.core.streams import check_seed
from offnominal.datasets.novelcraft.classes import CLASSES, NORMAL
from offnominal.datasets.novelcraft.episode_recorder import played
from offnominal.datasets.novelcraft.novelcraft_recipe import COPIES, SPACING, EpisodePlan
from offnominal.laws.leak_gate import Channels, LeakAuroc, Value, leak_laws, measure_leaks
from offnominal.laws.report import LawReport, check_laws
from offnominal.laws.require import require
from offnominal.worlds.craft.agents.agent_mixture import mixture
from offnominal.worlds.craft.agents.played_frames import Symbols, symbols_of
from offnominal.worlds.craft.commands import VERBS
from offnominal.worlds.craft.planner import MOST_COMMANDS
from offnominal.worlds.craft.symbols import COUNTED

CHANNELS = ("number of steps", "inventory", "sequence of actions")
NOVELTIES = ("item_tnt", "fence", "tree_easy", "thief", "supplier")
"""Classes whose novelties are checked, in turn."""
FIRST_VERBS = 3
Changes = Callable[[EpisodePlan], EpisodePlan]


class BeforeNovelty(NamedTuple):
    """Frames of an episode before its novelty is met.

    Attributes:
        commands: Command that led to each frame, and the one that led to the frame in which it is met: it was chosen
            before.
        symbols: Symbols of each frame.
        met: Whether the novelty is met at all.
    """

    commands: tuple[str, ...]
    symbols: tuple[Symbols, ...]
    met: bool


def check_craft_leaks(
    agents: str = "published",
    *,
    episodes: int | None = None,
    pairs: int = 1,
    changes: Changes | None = None,
    seed: int = 0,
    workers: int = 1,
) -> LawReport:
    """Check that nothing tells of a novelty before it is met.

    A novelty is met in the first frame that shows a pixel of it, or whose symbols (inventory, held item, block in
    front, pose, success of the command) are not those of the episode without it.

    1. Until then an episode has the commands and symbols of its nominal twin. If the novelty is never met, it is as
       long.
    2. The number of steps until then, the order in which items come into the inventory and their numbers, and the
       actions do not tell. Episodes with a novelty are compared with independent nominal ones, which are cut where the
       same novelty would have been met in them. The gate and its numbers of episodes are those of
       :mod:`~offnominal.laws.leak_gate`.

    Inserted items, fences, jungle trees, thieves and suppliers are checked in turn.

    Args:
        agents: Mixture of agents.
        episodes: Number of episodes of each class for the second law; None skips it.
        pairs: Number of episodes of each novelty that are compared with their twins.
        changes: Function that changes the plan of each episode with a novelty, for example its agents.
        seed: Seed of the episodes.
        workers: Number of processes.

    Example:
        >>> [finding.law for finding in check_craft_leaks() if finding.holds]
        ['an episode equals its nominal twin until its novelty is met']
    """
    case = _Case(mixture(agents).name, episodes, pairs, changes, seed, workers)
    laws: dict[str, Callable[[], None]] = {"an episode equals its nominal twin until its novelty is met": case.equal}
    return check_laws(f"agents {agents}", laws | leak_laws(CHANNELS, case.measured, noun="episodes"))


class _Case:
    """Episodes of a mixture and what their channels tell."""

    def __init__(
        self, agents: str, episodes: int | None, pairs: int, changes: Changes | None, seed: int, workers: int
    ) -> None:
        self.agents, self.seed = agents, check_seed(seed)
        self.episodes = None if episodes is None else integer_in("episodes", episodes, 8, 100_000)
        self.pairs = integer_in("pairs", pairs, 1, 10_000)
        self.workers = integer_in("workers", workers, 1, 256)
        self.changes = changes

    def plan(self, name: str, number: int, *, of: str) -> EpisodePlan:
        """Return an episode with the novelty of one class and the level and agent of an episode of another class."""
        kind, copies = CLASSES[name], COPIES if name.startswith("item_") else 0
        place = CLASSES[of].number * SPACING + number
        return EpisodePlan(
            f"{of}/{number}", "v2", self.seed, place, MOST_COMMANDS + 1, kind.novelty, kind.level, self.agents, copies
        )

    def changed(self, plan: EpisodePlan) -> EpisodePlan:
        return plan if self.changes is None else self.changes(plan)

    def equal(self) -> None:
        for number in range(self.pairs):
            for name in NOVELTIES:
                plan = self.plan(name, number, of=name)
                problem = _difference(before_novelty(self.changed(plan)), nominal_twin(plan))
                require(not problem, f"{plan.id}: {problem}")

    @cached_property
    def found(self) -> dict[str, LeakAuroc]:
        if self.episodes is None:
            return {}
        turns = [(NOVELTIES[number % len(NOVELTIES)], number) for number in range(self.episodes)]
        novel = [self.changed(self.plan(name, number, of=name)) for name, number in turns]
        normal = [self.plan(name, number, of=NORMAL) for name, number in turns]
        if self.workers == 1:
            samples = list(map(_novel, novel)), list(map(_nominal, normal))
        else:
            with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as pool:
                samples = list(pool.map(_novel, novel, chunksize=8)), list(pool.map(_nominal, normal, chunksize=8))
        return measure_leaks(samples[1], samples[0], seed=self.seed)

    def measured(self) -> dict[str, LeakAuroc]:
        return self.found


def before_novelty(plan: EpisodePlan) -> BeforeNovelty:
    """Play an episode until its novelty is met, or to its end."""
    commands, symbols = list[str](), list[Symbols]()
    for frame in played(plan, images=False):
        commands.append(frame.text)
        if frame.met:
            return BeforeNovelty(tuple(commands), tuple(symbols), True)
        symbols.append(symbols_of(frame.state, frame.result))
    return BeforeNovelty(tuple(commands), tuple(symbols), False)


def nominal_twin(plan: EpisodePlan) -> BeforeNovelty:
    """Play the same level with the same agent without the novelty, to its end."""
    return before_novelty(replace(plan, novelty="", level=0, copies=0))


def _difference(novel: BeforeNovelty, twin: BeforeNovelty) -> str:
    """Return how an episode differs from its nominal twin before its novelty is met; empty if it does not."""
    for number, (command, other) in enumerate(zip(novel.commands, twin.commands, strict=False)):
        if command != other:
            return f"command {number} is {command!r} and not {other!r}, before its novelty is met"
    for number, (symbols, others) in enumerate(zip(novel.symbols, twin.symbols, strict=False)):
        if symbols != others:
            return f"the symbols of frame {number} differ from those of its nominal twin, before its novelty is met"
    lengths = len(novel.commands), len(twin.commands)
    if lengths[0] > lengths[1] or (not novel.met and lengths[0] != lengths[1]):
        return f"its novelty is not met in {lengths[0]} frames, and its nominal twin has {lengths[1]}"
    return ""


def _novel(plan: EpisodePlan) -> Channels:
    return craft_channels(before_novelty(plan))


def _nominal(plan: EpisodePlan) -> Channels:
    """Return the channels of a nominal episode up to the frame in which it would have met a novelty."""
    twin, cut = nominal_twin(plan), before_novelty(plan)
    before = BeforeNovelty(twin.commands[: len(cut.commands)], twin.symbols[: len(cut.symbols)], cut.met)
    return craft_channels(before)


def craft_channels(episode: BeforeNovelty) -> Channels:
    """Return what is known of an episode before its novelty is met, by channel."""
    verbs = [command.partition(" ")[0] for command in episode.commands]
    counts: list[Value] = [float(verbs.count(verb)) for verb in VERBS]
    first: list[Value] = list((verbs[1:] + [""] * FIRST_VERBS)[:FIRST_VERBS])
    failures = float(sum(not symbols[-2] for symbols in episode.symbols))
    return {
        "number of steps": [float(len(verbs)), float(episode.met)],
        "inventory": _inventory(episode.symbols),
        "sequence of actions": [*counts, *first, verbs[-1] if verbs else "", failures],
    }


def _inventory(symbols: Sequence[Symbols]) -> list[Value]:
    """Return the place of each item in the order in which items were first had, and the last numbers of items."""
    firsts: dict[int, int] = {}
    for frame in symbols:
        for item in range(len(COUNTED)):
            if frame[item]:
                firsts.setdefault(item, len(firsts))
    order = [float(firsts.get(item, -1)) for item in range(len(COUNTED))]
    last = symbols[-1][: len(COUNTED)] if symbols else (0,) * len(COUNTED)
    return [*order, *map(float, last)]
