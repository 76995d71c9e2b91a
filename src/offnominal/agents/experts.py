"""Policies that solve a world: trained ones that are shipped with the package, or the scripted one."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from offnominal.agents.files import PolicyCard, TrainedPolicy
from offnominal.agents.policy_ids import FINE_TUNED
from offnominal.agents.selection import select
from offnominal.agents.weights import shipped_card, shipped_names, shipped_policy
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.policy import Policy
from offnominal.core.registry import Spec
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import TrainingPresets

EXPERT = "expert"
"""Name of the expert of a world among its policies."""


@overload
def expert(world: str, algorithm: str) -> TrainedPolicy: ...


@overload
def expert(world: str, algorithm: str | None = None) -> Policy: ...


def expert(world: str, algorithm: str | None = None) -> Policy:
    """Return the expert of a world, or another policy that was trained there.

    The expert learned without demonstrations: of five training seeds of TQC it is the one with the median mean return.
    The rule, and what holds where learning failed, is that of :func:`offnominal.agents.selection.select`; the card of
    the expert says it in `chosen`. Where no policy was trained, the expert is the scripted one.

    Args:
        world: Id of the world.
        algorithm: Id of the policy. The worlds of Anomaly-Gym have ``"tqc-0"`` to ``"tqc-4"``, some also others that
            learned (``"sac"``, ``"td3"``), behaviour clones (``"bc"``) and policies that were shown demonstrations
            (``"rl-finetuned"``). The worlds of the OOD-RL paper have policies with uncertainty estimates:
            ``"dqn-ensemble"``, ``"dqn-dropout"`` or ``"dqn-dropconnect"`` for discrete actions, ``"ddpg-ensemble"`` and
            so on for continuous actions. None or ``"expert"`` takes the expert; in the ``CRAFT`` worlds and
            CAR-LaneKeep-v1, where none was trained, it is the scripted one.

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
    if algorithm in (None, EXPERT) and is_scripted(world):
        return scripted_expert(world)
    return shipped_policy(_name(world, algorithm))


def is_scripted(world: str) -> bool:
    """Whether the expert of a world is scripted: its card has one, and no policy was trained.

    Where the card has presets of a single training, its policy is only missing. Presets of populations alone are for
    trainings to come.
    """
    if world not in worlds or any(name.startswith(f"{world}--") for name in shipped_names()):
        return False
    card = worlds.card(world)
    return card.scripted_expert is not None and replace(card.training, population={}) == TrainingPresets()


def expert_card(world: str, algorithm: str | None = None) -> PolicyCard:
    """Return the card of a shipped policy: its training settings and its mean return."""
    return shipped_card(_name(world, algorithm))


def expert_cards() -> list[PolicyCard]:
    """Return the cards of all shipped policies."""
    return [shipped_card(name) for name in shipped_names()]


def policy_by(world: str, algorithm: str) -> TrainedPolicy:
    """Return the shipped policy of an algorithm, also one that was shown demonstrations.

    Args:
        world: Id of the world.
        algorithm: Name of the algorithm, such as ``"dqn-ensemble"``.
    """
    names = shipped_names()
    fine_tuned = FINE_TUNED if algorithm == "tqc" else f"{FINE_TUNED}-{algorithm}"
    found = next((id for id in (algorithm, fine_tuned) if f"{world}--{id}" in names), EXPERT)
    return expert(world, found)


def _name(world: str, algorithm: str | None) -> str:
    """Return the name of the shipped policy of a world."""
    names = shipped_names()
    if algorithm is None or algorithm == EXPERT:
        ids = [name.removeprefix(f"{world}--") for name in names if name.startswith(f"{world}--")]
        chosen = select(world, {id: shipped_card(f"{world}--{id}") for id in ids})
        if chosen is not None:
            return f"{world}--{chosen[0]}"
        worlds.spec(world)
        raise UnknownName(
            f"no trained policy for {world!r}. `offnominal agents` lists all; `offnominal train {world}` makes one."
        )
    name = f"{world}--{algorithm}"
    if name not in names:
        hint = _renamed(world, algorithm) or did_you_mean(name, names)
        raise UnknownName(
            f"no trained policy {name.replace('--', ' by ')!r}.{hint} "
            "`offnominal agents` lists all; `offnominal train` makes others."
        )
    return name


def _renamed(world: str, algorithm: str) -> str:
    """Return what a policy is called that had the id of an algorithm although it had been shown demonstrations."""
    cards = (
        shipped_card(name) for name in shipped_names() if name.startswith((f"{world}--bc", f"{world}--{FINE_TUNED}"))
    )
    ids = [card.algorithm for card in cards if former_id(card) == algorithm]
    return "".join(
        f" What had this id was shown demonstrations and is {id!r} now; off.expert({world!r}) is the expert."
        for id in ids
    )


def former_id(card: PolicyCard) -> str:
    """Return the id that a policy with demonstrations had before ids said so."""
    return "-".join(filter(None, (str(card.settings.get("algorithm", "")), card.uncertainty)))


def scripted_experts() -> list[Spec]:
    """Return the entries of the scripted experts that the cards of the shipped worlds name."""
    named = (worlds.card(id).scripted_expert for id in worlds.ids())
    return [spec for spec in named if spec is not None]


def scripted_expert(world: str) -> Policy:
    """Return the scripted expert of a world: a hand-written controller.

    Args:
        world: Id of a world whose card names a scripted expert.

    Raises:
        UnknownName: There is no such world, or its card names none.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("MJC-Reacher3D-v0", scripted_expert("MJC-Reacher3D-v0"), 20).mean_return > -60
        True
    """
    spec = worlds.card(world).scripted_expert
    if spec is None:
        raise UnknownName(f"{world} has no scripted expert; its card names none.")
    policy: Policy = spec.load()(**spec.options)
    return policy
