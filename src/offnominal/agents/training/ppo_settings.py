"""Settings of PPO, which only populations learn by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.agents.training.settings import (
    LARGE,
    LARGEST_SEED,
    MANY,
    TrainingSettings,
    check_sizes,
    check_widths,
    population_settings,
)
from offnominal.core.checks import boolean, integer_in, number_in, one_of, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter

POPULATION_ALGORITHMS = ("tqc", "sac", "td3", "ppo")


@dataclass(frozen=True)
class PPOSettings(Config):
    """All settings of a training with proximal policy optimisation (Schulman et al., 2017).

    The defaults are those of Stable-Baselines3, with 40 simulations of 256 steps in place of 5 of 2,048: a rollout has
    as many transitions, and the world is called less often.

    Args:
        algorithm: ``ppo``.
        steps: Total number of transitions.
        n_envs: Number of simulations that are stepped together.
        rollout_steps: Transitions of each simulation between two updates.
        n_epochs: Passes over the transitions of a rollout.
        batch_size: Transitions per gradient step; a divisor of those of a rollout.
        hidden: Widths of the hidden layers of the actor, with tanh.
        critic_hidden: Widths of those of the value network.
        standardize_observations: Whether the networks see observations minus their mean, divided by their standard
            deviation, in the first `learning_starts` transitions.
        learning_starts: Number of transitions with random actions before the first rollout, if observations are
            standardised.
        learning_rate: Initial learning rate.
        anneal_learning_rate: Whether the rate decreases linearly, to a twentieth.
        discount: Discount factor.
        gae_lambda: Decay of generalised advantage estimation (Schulman et al., 2016).
        clip_range: Largest change of an action's probability that is rewarded, as a fraction.
        entropy_weight: Weight of the entropy in the loss.
        value_weight: Weight of the squared error of the value network in the loss.
        max_gradient_norm: Norm to which gradients are clipped.
        seed: Seed of the training.
    """

    algorithm: Literal["ppo"] = "ppo"
    steps: int = 1_000_000
    n_envs: int = 40
    rollout_steps: int = 256
    n_epochs: int = 10
    batch_size: int = 64
    hidden: tuple[int, ...] = (64, 64)
    critic_hidden: tuple[int, ...] = (64, 64)
    standardize_observations: bool = False
    learning_starts: int = 1_000
    learning_rate: float = 3e-4
    anneal_learning_rate: bool = False
    discount: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy_weight: float = 0.0
    value_weight: float = 0.5
    max_gradient_norm: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("algorithm", self.algorithm, ("ppo",))
        check_sizes(self, ("steps",), 1, MANY)
        check_sizes(self, ("learning_starts",), 0, MANY)
        check_sizes(self, ("n_envs", "rollout_steps", "n_epochs"), 1, LARGE)
        integer_in("batch_size", self.batch_size, 2, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        boolean("standardize_observations", self.standardize_observations)
        boolean("anneal_learning_rate", self.anneal_learning_rate)
        positive_number("learning_rate", self.learning_rate)
        number_in("discount", self.discount, 0.0, 1.0)
        number_in("gae_lambda", self.gae_lambda, 0.0, 1.0)
        positive_number("clip_range", self.clip_range)
        number_in("entropy_weight", self.entropy_weight, 0.0)
        number_in("value_weight", self.value_weight, 0.0)
        positive_number("max_gradient_norm", self.max_gradient_norm)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)
        if self.n_envs * self.rollout_steps % self.batch_size:
            raise InvalidParameter(
                f"batch_size is {self.batch_size}; expected a divisor of the {self.n_envs * self.rollout_steps} "
                "transitions of a rollout (n_envs times rollout_steps)."
            )


PopulationSettings = TrainingSettings | PPOSettings


def settings_of_population(world: str, algorithm: str) -> PopulationSettings:
    """Return the settings of several trainings at once.

    Those of TQC are the published ones, except for what the card of the world says. The paper gives none of their own
    for SAC and TD3; these have the same. PPO is not in the paper: it has the defaults of Stable-Baselines3, and from
    the card the number of transitions and whether observations are standardised.

    Args:
        world: Id of the world.
        algorithm: ``"tqc"``, ``"sac"``, ``"td3"`` or ``"ppo"``.

    Example:
        >>> ours = settings_of_population("URM-Reach-v0", "ppo")
        >>> ours.steps, ours.standardize_observations, ours.learning_rate
        (3000000, True, 0.0003)
    """
    one_of("the algorithm", algorithm, POPULATION_ALGORITHMS)
    ours = population_settings(world)
    if algorithm != "ppo":
        return TrainingSettings.from_dict({**ours.to_dict(), "algorithm": algorithm})
    return PPOSettings(steps=ours.steps, standardize_observations=ours.standardize_observations)
