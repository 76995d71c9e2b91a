"""The trained policies that come with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from offnominal.agents.files import PolicyCard, TrainedPolicy, load_policy
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.worlds.catalogue import worlds

PREFERRED = ("tqc", "dqn-ensemble", "ddpg-ensemble")


def expert(world: str, algorithm: str | None = None) -> TrainedPolicy:
    """Return a policy that was trained in a world.

    Args:
        world: Id of the world.
        algorithm: ``"tqc"`` for the worlds of Anomaly-Gym, of which some also have ``"sac"`` and ``"td3"``. In the
            worlds whose agents know how sure they are: ``"dqn-ensemble"``, ``"dqn-dropout"`` or ``"dqn-dropconnect"``
            for choices, ``"ddpg-ensemble"`` and so on for numbers. None takes TQC or the ensemble.

    Example:
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 100)
        >>> sum(episode.success for episode in episodes) >= 98
        True
        >>> expert("OOD-CartPole-v0").kind
        'ensemble'
    """
    return _load(_name(world, algorithm))[0]


def expert_card(world: str, algorithm: str | None = None) -> PolicyCard:
    """Return how a shipped policy was trained and how well it does."""
    return _load(_name(world, algorithm))[1]


def _name(world: str, algorithm: str | None) -> str:
    if algorithm is not None:
        return f"{world}--{algorithm}"
    shipped = _names()
    for each in PREFERRED:
        if f"{world}--{each}" in shipped:
            return f"{world}--{each}"
    worlds.spec(world)
    raise UnknownName(
        f"no trained policy for {world!r}. `offnominal agents` lists all; `offnominal train {world}` makes one."
    )


def expert_cards() -> list[PolicyCard]:
    """Return the cards of all shipped policies."""
    return [_load(name)[1] for name in _names()]


def _names() -> list[str]:
    listed = (files("offnominal.agents") / "trained").iterdir()
    return sorted(Path(entry.name).stem for entry in listed if entry.name.endswith(".json"))


def _load(name: str) -> tuple[TrainedPolicy, PolicyCard]:
    names = _names()
    if name not in names:
        raise UnknownName(
            f"no trained policy {name.replace('--', ' by ')!r}.{did_you_mean(name, names)} "
            "`offnominal agents` lists all; `offnominal train` makes others."
        )
    with as_file(files("offnominal.agents") / "trained") as folder:
        return load_policy(folder / name)
