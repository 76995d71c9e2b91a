"""Policies that solve a world: trained ones that are shipped with the package, or the scripted one."""

from __future__ import annotations

from typing import overload

from offnominal.agents.files import PolicyCard, TrainedPolicy
from offnominal.agents.scripted import scripted_expert
from offnominal.agents.weights import shipped_card, shipped_names, shipped_policy
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.policy import Policy
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import TrainingPresets

PREFERRED = ("tqc", "dqn-ensemble", "ddpg-ensemble")


@overload
def expert(world: str, algorithm: str) -> TrainedPolicy: ...


@overload
def expert(world: str, algorithm: str | None = None) -> Policy: ...


def expert(world: str, algorithm: str | None = None) -> Policy:
    """Return a shipped policy that was trained in a world, or the scripted expert of a world where none was trained.

    Args:
        world: Id of the world.
        algorithm: Training algorithm. The worlds of Anomaly-Gym have ``"tqc"``, some also ``"sac"`` and ``"td3"``. The
            worlds of the OOD-RL paper have policies with uncertainty estimates: ``"dqn-ensemble"``, ``"dqn-dropout"``
            or ``"dqn-dropconnect"`` for discrete actions, ``"ddpg-ensemble"`` and so on for continuous actions. None
            takes TQC or the ensemble. The ``CRAFT`` worlds have no trained policy; None takes their planner.

    Raises:
        UnknownName: The world has no such policy.
        MissingFile: Its weights are not part of the package and cannot be downloaded; see
            :func:`offnominal.agents.weights.shipped_policy`.

    Example:
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 100)
        >>> sum(episode.success for episode in episodes) >= 98
        True
        >>> expert("OOD-CartPole-v0").kind
        'ensemble'
    """
    if algorithm is None and is_scripted(world):
        return scripted_expert(world)
    return shipped_policy(_name(world, algorithm))


def is_scripted(world: str) -> bool:
    """Whether the expert of a world is scripted: its card has one and no training presets, and none was trained."""
    if world not in worlds or any(name.startswith(f"{world}--") for name in shipped_names()):
        return False
    card = worlds.card(world)
    return card.scripted_expert is not None and card.training == TrainingPresets()


def expert_card(world: str, algorithm: str | None = None) -> PolicyCard:
    """Return the card of a shipped policy: its training settings and its mean return."""
    return shipped_card(_name(world, algorithm))


def expert_cards() -> list[PolicyCard]:
    """Return the cards of all shipped policies."""
    return [shipped_card(name) for name in shipped_names()]


def _name(world: str, algorithm: str | None) -> str:
    """Return the name of the shipped policy of a world."""
    names = shipped_names()
    if algorithm is None:
        for preferred in PREFERRED:
            if f"{world}--{preferred}" in names:
                return f"{world}--{preferred}"
        worlds.spec(world)
        raise UnknownName(
            f"no trained policy for {world!r}. `offnominal agents` lists all; `offnominal train {world}` makes one."
        )
    name = f"{world}--{algorithm}"
    if name not in names:
        raise UnknownName(
            f"no trained policy {name.replace('--', ' by ')!r}.{did_you_mean(name, names)} "
            "`offnominal agents` lists all; `offnominal train` makes others."
        )
    return name
