"""The agents of the study: shipped ones, and others that are trained on first use."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from offnominal.agents.experts import policy_by, scripted_expert
from offnominal.agents.files import load_policy, save_policy
from offnominal.agents.uncertainty import UncertainPolicy, UncertaintyKind
from offnominal.core.directories import data_home
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.papers.ood_rl.cell import SHIPPED
from offnominal.papers.ood_rl.settings import PENDULUM
from offnominal.rollouts.policy_card import evaluated_card
from offnominal.rollouts.policy_evaluation import evaluate_policy, evaluation_options
from offnominal.worlds.catalogue import worlds

FIRST_SEED = 1000
"""Training seed of agent number 0, were it trained here; agents that come with the package have small seeds."""
PROGRESS_EPISODES = 100
EVALUATION_SEED = 55_000_000


def algorithm_of(world: str, uncertainty: UncertaintyKind) -> str:
    """Return the name of the training algorithm of an agent, as in the cards of experts.

    Example:
        >>> algorithm_of("OOD-Pendulum-v0", "dropout")
        'ddpg-dropout'
    """
    return f"{'ddpg' if world == PENDULUM else 'dqn'}-{uncertainty}"


@lru_cache(maxsize=4)
def agent(world: str, uncertainty: UncertaintyKind, number: int) -> UncertainPolicy:
    """Return an agent: number 0 comes with the package, others are trained on first use and kept.

    Args:
        world: Id of the world.
        uncertainty: Kind of uncertainty estimate.
        number: Number of the agent.
    """
    algorithm = algorithm_of(world, uncertainty)
    if number == SHIPPED:
        policy = policy_by(world, algorithm)
    else:
        path = agent_path(world, uncertainty, number)
        if not path.with_suffix(".json").exists():
            _train(world, uncertainty, number, path)
        policy = load_policy(path)[0]
    if not isinstance(policy, UncertainPolicy):
        raise InvalidParameter(f"{algorithm} in {world} has no uncertainty estimates; expected an UncertainPolicy.")
    return policy


def agent_path(world: str, uncertainty: UncertaintyKind, number: int) -> Path:
    """Return the path of a trained agent, without the file ending."""
    return data_home() / "agents" / f"{world}--{algorithm_of(world, uncertainty)}-{number}"


def _train(world: str, uncertainty: UncertaintyKind, number: int, path: Path) -> None:
    try:
        from offnominal.agents.training.uncertainty_loop import learn_with_uncertainty
        from offnominal.agents.training.uncertainty_settings import uncertainty_preset
    except ModuleNotFoundError:
        raise MissingDependency(
            "training agents needs torch; install it with `pip install offnominal[train]`."
        ) from None
    learned = uncertainty_preset(world, "ddpg" if world == PENDULUM else "dqn", uncertainty)
    settings = learned.replace(seed=FIRST_SEED + number)

    def evaluated(policy: UncertainPolicy) -> tuple[float, float]:
        found = evaluate_policy(
            world, policy, seed=EVALUATION_SEED, **evaluation_options(world, PROGRESS_EPISODES, during_training=True)
        )
        return found.mean_return, found.success

    policy, curve = learn_with_uncertainty(
        world,
        settings,
        evaluated,
        checkpoint=path.with_suffix(".checkpoint"),
        options=dict(worlds.evaluation_terms(world).options),
        demonstrator=scripted_expert(world) if settings.demonstrator == "scripted" else None,
    )
    about: dict[str, Any] = {"settings": settings.to_dict(), "steps": curve[-1].steps}
    algorithm = algorithm_of(world, uncertainty)
    save_policy(
        path, policy, evaluated_card(world, algorithm, policy, seed=EVALUATION_SEED + PROGRESS_EPISODES, **about)
    )
