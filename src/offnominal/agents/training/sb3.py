"""Training with TQC, SAC and TD3 of Stable-Baselines3 on a batched world."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.sb3_layers import actor_layers
from offnominal.agents.training.settings import FIRST_SEED, TrainingSettings, check_effort
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.progress_bar import ProgressCallback, progress
from offnominal.worlds.catalogue import make_vector

try:
    import torch
    from sb3_contrib import TQC
    from stable_baselines3 import SAC, TD3
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.noise import NormalActionNoise

    from offnominal.agents.training.checkpoint import State, load_checkpoint, save_checkpoint
    from offnominal.agents.training.loop import Evaluation, PolicyEvaluator
    from offnominal.agents.training.sb3_vec_env import SB3VecEnv
except ModuleNotFoundError as error:
    raise MissingDependency(
        f"training with Stable-Baselines3 needs {error.name}; install it with `pip install offnominal[train]`."
    ) from None

Model = TQC | SAC | TD3

QUANTILES = 25
NOISE = 0.1


def learn(
    world: str,
    settings: TrainingSettings,
    evaluator: PolicyEvaluator,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    checkpoint: Path | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[NetworkPolicy, list[Evaluation]]:
    """Train a policy with Stable-Baselines3.

    A resumed run has the networks and optimizers of the checkpoint; its replay buffer starts empty.

    Args:
        world: Id of the world.
        settings: Settings of the training; :func:`published` has those of the published agents.
        evaluator: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes; None for no limit.
        checkpoint: File to which the training is saved at each evaluation and from which it resumes if it exists.
        report: Called after each evaluation.

    Returns:
        The best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    place = choose_device(device)
    if settings.steps < settings.n_envs:
        raise InvalidParameter(f"{settings.steps} steps are fewer than n_envs, {settings.n_envs}; choose more steps.")
    start = time.perf_counter()

    def spent() -> float:
        return (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0

    model = build(SB3VecEnv(make_vector(world, settings.n_envs)), settings, place, spent)
    if checkpoint is not None and checkpoint.exists():
        load_checkpoint(SB3Training(model), checkpoint)
    total = settings.steps // settings.n_envs
    due = {int(step) * settings.n_envs for step in np.linspace(0, total, evaluations + 1)[1:-1]} - {0}
    with progress(f"Training {settings.algorithm} on {world}", total=settings.steps) as tick:

        def evaluate(steps: int) -> tuple[NetworkPolicy, Evaluation]:
            policy = greedy(model)
            evaluation = Evaluation(steps, time.perf_counter() - start, *evaluator(policy))
            report(evaluation)
            if checkpoint is not None:
                save_checkpoint(SB3Training(model), checkpoint)
            return policy, evaluation

        callback = _EvaluationCallback(evaluate, due, spent, tick)
        model.learn(total * settings.n_envs, callback=callback)
    best = max(callback.results, key=lambda result: result[1].mean_return)
    return best[0], [evaluation for _, evaluation in callback.results]


class _EvaluationCallback(BaseCallback):
    """Evaluates the policy at given steps and at the end; stops the training at its time limit."""

    def __init__(
        self,
        evaluate: Callable[[int], tuple[NetworkPolicy, Evaluation]],
        due: set[int],
        spent: Callable[[], float],
        tick: ProgressCallback,
    ) -> None:
        super().__init__()
        self.evaluate, self.due, self.spent, self.tick = evaluate, due, spent, tick
        self.results: list[tuple[NetworkPolicy, Evaluation]] = []

    def _on_rollout_start(self) -> None:
        if self.num_timesteps in self.due:
            self.results.append(self.evaluate(self.num_timesteps))

    def _on_step(self) -> bool:
        self.tick(self.training_env.num_envs)
        return self.spent() < 1.0

    def _on_training_end(self) -> None:
        self.results.append(self.evaluate(self.num_timesteps))


def build(
    envs: SB3VecEnv, settings: TrainingSettings, device: torch.device, spent: Callable[[], float] = lambda: 0.0
) -> Model:
    """Return the model of Stable-Baselines3 for the settings.

    Args:
        envs: Simulations of the world.
        settings: Settings of the training.
        device: Device of the networks.
        spent: Function that returns the fraction of the time limit used, for the decay of the learning rate.
    """
    if settings.critic_layer_norm:
        raise InvalidParameter(
            "critic_layer_norm is True, but the critics of Stable-Baselines3 have no layer normalisation."
        )
    outputs = int(np.prod(envs.action_space.shape or ()))
    widths = {"pi": list(settings.hidden), "qf": list(settings.critic_hidden)}

    def learning_rate(left: float) -> float:
        return settings.learning_rate * (max(min(left, 1.0 - spent()), 0.0) if settings.anneal_learning_rate else 1.0)

    options: dict[str, Any] = {
        "learning_rate": learning_rate,
        "buffer_size": min(settings.buffer_size, settings.steps),
        "learning_starts": settings.learning_starts,
        "batch_size": settings.batch_size,
        "tau": settings.polyak,
        "gamma": settings.discount,
        "train_freq": 1,
        "gradient_steps": settings.gradient_steps,
        "policy_kwargs": {"net_arch": widths, "n_critics": 2},
        "seed": settings.seed % 2**32,
        "device": device,
    }
    model: Model
    if settings.algorithm == "td3":
        noise = NormalActionNoise(np.zeros(outputs), np.full(outputs, NOISE))
        model = TD3("MlpPolicy", envs, action_noise=noise, **options)
    elif settings.algorithm == "sac":
        model = SAC("MlpPolicy", envs, target_entropy=settings.target_entropy * outputs, **options)
    else:
        options["policy_kwargs"]["n_quantiles"] = QUANTILES
        options["top_quantiles_to_drop_per_net"] = settings.n_dropped_quantiles
        model = TQC("MlpPolicy", envs, target_entropy=settings.target_entropy * outputs, **options)
    envs.seed(FIRST_SEED + settings.seed * 1_000_003)
    return model


def greedy(model: Model) -> NetworkPolicy:
    """Return a model's greedy policy, which runs without torch."""
    tensors = {name: tensor.cpu().numpy().copy() for name, tensor in model.actor.state_dict(prefix="actor.").items()}
    assert isinstance(model.action_space, Box)
    return NetworkPolicy(actor_layers(tensors), model.action_space)


class SB3Training:
    """State of a model as tensors instead of pickles: networks, optimizers and temperature.

    Args:
        model: Model that is trained.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def device(self) -> torch.device:
        """Device of its tensors."""
        return self.model.device

    def state_dict(self) -> State:
        """Return the state."""
        return {"parameters": self.model.get_parameters(), "temperature": self._temperature()}

    def load_state_dict(self, state: State) -> None:
        """Restore a state."""
        self.model.set_parameters(state["parameters"])
        if (temperature := self._temperature()) is not None:
            temperature.copy_(state["temperature"])

    def _temperature(self) -> torch.Tensor | None:
        """Return the logarithm of the entropy coefficient, which Stable-Baselines3 keeps outside its networks."""
        found: torch.Tensor | None = getattr(self.model, "log_ent_coef", None)
        return None if found is None else found.detach()
