"""The worlds we ship, in our registry and in Gymnasium's."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import gymnasium

from offnominal.core.checks import positive_integer
from offnominal.core.registry import Registry, Spec
from offnominal.worlds.classic.card import CARDS as CLASSIC_CARDS
from offnominal.worlds.mujoco.card import CARDS as MUJOCO_CARDS
from offnominal.worlds.particles.card import CARDS as PARTICLE_CARDS
from offnominal.worlds.pixel_observations import ObservationKind
from offnominal.worlds.pong.card import PONG
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.world import World

NAMESPACE = "offnominal"
_TARGETS = {
    "MJC-CartpoleSwingup-v0": "offnominal.worlds.cartpole.world:CartpoleSwingup",
    "MJC-Reacher3D-v0": "offnominal.worlds.mujoco.reacher:Reacher3D",
    "MJC-HalfCheetah-v0": "offnominal.worlds.mujoco.cheetah:HalfCheetah",
    "OOD-CartPole-v0": "offnominal.worlds.classic.world:CartPole",
    "OOD-Pendulum-v0": "offnominal.worlds.classic.world:Pendulum",
    "OOD-Pong-v0": "offnominal.worlds.pong.world:Pong",
}

worlds: Registry[World] = Registry("world")
world_cards = MappingProxyType({**CLASSIC_CARDS, **MUJOCO_CARDS, PONG.id: PONG, **PARTICLE_CARDS})
"""What is known of each world before anything runs, by its id; nothing needs to be installed for it."""

for _card in world_cards.values():
    if _card.id in PARTICLE_CARDS:
        _spec = Spec(_card.id, "offnominal.worlds.particles.world:ParticleWorld", _card.summary, {"id": _card.id})
    else:
        _spec = Spec(_card.id, _TARGETS[_card.id], _card.summary)
    worlds.register(_spec)


def make_world(id: str, n: int, **options: Any) -> World:
    """Return n simulations of a registered world."""
    rows = positive_integer("the number of simulations", n)
    return worlds.make(id.removeprefix(f"{NAMESPACE}/"), n=rows, **options)


def make_single(
    world: str, *, render_mode: str | None = None, observation: ObservationKind = "vector", **options: Any
) -> WorldEnv:
    """Return a world as a Gymnasium environment; `gymnasium.make("offnominal/...")` calls this."""
    return WorldEnv(make_world(world, 1, **options), render_mode=render_mode, observation=observation)


def make_vector(
    world: str,
    num_envs: int = 1,
    *,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    observation: ObservationKind = "vector",
    **options: Any,
) -> WorldVectorEnv:
    """Return a world as a Gymnasium vector environment; `gymnasium.make_vec("offnominal/...")` calls this."""
    return WorldVectorEnv(
        make_world(world, num_envs, **options),
        max_episode_steps=max_episode_steps,
        render_mode=render_mode,
        observation=observation,
    )


def register_gymnasium() -> None:
    """Make every shipped world known to Gymnasium as ``offnominal/<id>``."""
    for card in (*CLASSIC_CARDS.values(), *MUJOCO_CARDS.values(), *PARTICLE_CARDS.values(), PONG):
        _register(card.id, card.max_steps)


def gymnasium_id(world: str) -> str:
    """Return the id under which Gymnasium knows a world, registering one of another package on first use."""
    id = worlds.spec(world.removeprefix(f"{NAMESPACE}/")).id
    if f"{NAMESPACE}/{id}" not in gymnasium.registry:
        _register(id, make_world(id, 1).card.max_steps)
    return f"{NAMESPACE}/{id}"


def _register(world: str, max_steps: int) -> None:
    if f"{NAMESPACE}/{world}" not in gymnasium.registry:
        gymnasium.register(
            id=f"{NAMESPACE}/{world}",
            entry_point="offnominal.worlds.catalogue:make_single",
            vector_entry_point="offnominal.worlds.catalogue:make_vector",
            max_episode_steps=max_steps,
            kwargs={"world": world},
        )


register_gymnasium()
