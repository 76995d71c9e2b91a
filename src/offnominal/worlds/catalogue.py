"""The shipped worlds, in the registry of this package and in Gymnasium's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import gymnasium

from offnominal.core.checks import positive_integer
from offnominal.core.registry import Registry, Spec
from offnominal.worlds.pixel_observations import ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.world import RENDER_SIZE, World
from offnominal.worlds.world_card import EvaluationTerms, TrainingPresets, WorldCard


class WorldRegistry(Registry[World]):
    """Registry of worlds and their cards.

    Other packages add worlds through the entry point group ``offnominal.worlds``. An entry point names a function that
    takes this registry and calls :meth:`register_card` once per world.
    """

    def __init__(self) -> None:
        super().__init__("world")
        self._cards: dict[str, WorldCard] = {}

    def register_card(self, card: WorldCard) -> None:
        """Add a world by its card. The card's `target` names the class."""
        self.register(Spec(card.id, card.target, card.summary, card.options, version=card.version, tags=card.tags))
        self._cards[card.id] = card

    def _target(self, spec: Spec) -> Any:
        """Import the class of a world as it is: simulations make many short calls."""
        return spec.load()

    def card(self, id: str) -> WorldCard:
        """Return the card of a world, or raise :class:`UnknownName`.

        A world that was registered without a card is built once to read it.
        """
        if self.spec(id).id not in self._cards:
            self._cards[id] = self.make(id, n=1).card
        return self._cards[id]

    def training_presets(self, id: str) -> TrainingPresets:
        """Return the training presets of a world; of any other environment, empty ones."""
        return self.card(id).training if id in self else TrainingPresets()

    def evaluation_terms(self, id: str) -> EvaluationTerms:
        """Return how policies of a world are evaluated; of any other environment, the defaults."""
        return self.card(id).evaluation if id in self else EvaluationTerms()


NAMESPACE = "offnominal"
FAMILIES = (
    "arm",
    "classic",
    "craft",
    "mujoco",
    "particles",
    "pong",
    "road",
)
"""Subpackages of `offnominal.worlds`; the `card` module of each has the cards of its worlds in `CARDS`."""
TOWN, TOWN_STEPS = "ROAD-Town-v0", 200
"""The town environment. Its dict observations are not those of a batched world: only Gymnasium's registry has it."""

worlds = WorldRegistry()
"""Registered worlds."""


def make_world(id: str, n: int, **options: Any) -> World:
    """Return n simulations of a registered world.

    Args:
        id: Id of the world.
        n: Number of simulations.
        **options: Keyword arguments of its class.
    """
    rows = positive_integer("the number of simulations", n)
    return worlds.make(id.removeprefix(f"{NAMESPACE}/"), n=rows, **options)


def has_threads(world: object) -> bool:
    """Whether a world is a registered one whose simulations can run in several threads.

    Example:
        >>> has_threads("MJC-HalfCheetah-v0"), has_threads("SAP-Goal0-v0"), has_threads(lambda: None)
        (True, False, False)
    """
    name = world.removeprefix(f"{NAMESPACE}/") if isinstance(world, str) else ""
    return name in worlds and "threads" in worlds.spec(name).tags


def make_single(
    world: str,
    *,
    render_mode: str | None = None,
    render_size: int = RENDER_SIZE,
    observation: ObservationKind = "vector",
    **options: Any,
) -> WorldEnv:
    """Return a world as a Gymnasium environment; `gymnasium.make("offnominal/...")` calls this.

    Args:
        world: Id of the world.
        render_mode: None, ``"rgb_array"``, or ``"human"`` for a window.
        render_size: Pixels per side of rendered images.
        observation: ``"vector"``, ``"image"`` or ``"both"``; see :class:`ObservationBuilder`.
        **options: Keyword arguments of the world's class.
    """
    simulation = make_world(world, 1, **options)
    return WorldEnv(simulation, render_mode=render_mode, render_size=render_size, observation=observation)


def make_vector(
    world: str,
    num_envs: int = 1,
    *,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    render_size: int = RENDER_SIZE,
    observation: ObservationKind = "vector",
    **options: Any,
) -> WorldVectorEnv:
    """Return a world as a Gymnasium vector environment; `gymnasium.make_vec("offnominal/...")` calls this.

    Args:
        world: Id of the world.
        num_envs: Number of simulations.
        max_episode_steps: Time limit; the world's own if None.
        render_mode: None or ``"rgb_array"``.
        render_size: Pixels per side of rendered images.
        observation: ``"vector"``, ``"image"`` or ``"both"``; see :class:`ObservationBuilder`.
        **options: Keyword arguments of the world's class.
    """
    return WorldVectorEnv(
        make_world(world, num_envs, **options),
        max_episode_steps=max_episode_steps,
        render_mode=render_mode,
        render_size=render_size,
        observation=observation,
    )


@contextmanager
def versions_side_by_side() -> Iterator[None]:
    """Make a world without Gymnasium's advice to use the one with the highest number: these are different worlds."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*The environment {NAMESPACE}/.* is out of date", DeprecationWarning)
        yield


def gymnasium_id(world: str) -> str:
    """Return the id of a world in Gymnasium's registry. A world of another package is registered on first use."""
    card = worlds.card(world.removeprefix(f"{NAMESPACE}/"))
    _register_in_gymnasium(card)
    return f"{NAMESPACE}/{card.id}"


def _register_in_gymnasium(card: WorldCard) -> None:
    if f"{NAMESPACE}/{card.id}" not in gymnasium.registry:
        gymnasium.register(
            id=f"{NAMESPACE}/{card.id}",
            entry_point="offnominal.worlds.catalogue:make_single",
            vector_entry_point="offnominal.worlds.catalogue:make_vector",
            max_episode_steps=card.max_steps,
            kwargs={"world": card.id},
        )


for _family in FAMILIES:
    for _card in import_module(f"offnominal.worlds.{_family}.card").CARDS.values():
        worlds.register_card(_card)
        _register_in_gymnasium(_card)

gymnasium.register(
    id=f"{NAMESPACE}/{TOWN}",
    entry_point="offnominal.worlds.road.scenes.town_env:TownEnv",
    max_episode_steps=TOWN_STEPS,
)
