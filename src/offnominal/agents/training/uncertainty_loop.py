"""Training loop of policies with uncertainty estimates; every member has its own simulations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

from offnominal.agents.training.checkpoint import load_checkpoint, save_checkpoint
from offnominal.agents.training.ddpg import DDPG
from offnominal.agents.training.dqn import DQN
from offnominal.agents.training.loop import Evaluation
from offnominal.agents.training.sequence_replay_buffer import SequenceReplayBuffer
from offnominal.agents.training.settings import FIRST_SEED, check_effort
from offnominal.agents.training.simulations import SubprocessSimulations, SyncSimulations, make_simulations
from offnominal.agents.training.training_state import PolicyEvaluator, TrainingState
from offnominal.agents.training.uncertainty_learner import UncertaintyLearner
from offnominal.agents.training.uncertainty_settings import UncertaintyTrainingSettings
from offnominal.agents.uncertainty.policy import UncertainPolicy
from offnominal.core.checks import integer_in
from offnominal.core.cuda_graph import capture
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_world

LEARNERS: dict[str, tuple[type[UncertaintyLearner], type[Box] | type[Discrete]]] = {
    "dqn": (DQN, Discrete),
    "ddpg": (DDPG, Box),
}
RANDOM_ACTION_SHARE = 0.05
"""Fraction of random actions while the demonstrator acts."""
REFILL_DIVISOR = 8
"""After a resume, this part of the replay buffer is filled before the first gradient step."""


def learn_with_uncertainty(
    world: str,
    settings: UncertaintyTrainingSettings,
    evaluator: PolicyEvaluator,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    workers: int | None = None,
    checkpoint: Path | None = None,
    options: Mapping[str, Any] | None = None,
    demonstrator: Policy | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[UncertainPolicy, list[Evaluation]]:
    """Train a policy with uncertainty estimates.

    A checkpoint has networks, optimizers, random state, learning curve, best policy and elapsed time. It does not have
    the replay buffer: after a resume, the current policy first fills an eighth of a new one in uncounted steps.

    Args:
        world: Id of the world.
        settings: Settings of the training.
        evaluator: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes; None for no limit.
        workers: Number of simulation processes; None for one per processor with image observations, else none.
        checkpoint: File to which the training is saved at each evaluation and from which it resumes if it exists.
        options: Options of the world.
        demonstrator: Policy that acts before the first gradient step. Its state is not reset between episodes.
        report: Called after each evaluation.

    Returns:
        The best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    if workers is not None:
        integer_in("workers", workers, 0, 1024)
    place = choose_device(device)
    if settings.steps < settings.n_envs:
        raise InvalidParameter(f"{settings.steps} steps are fewer than n_envs, {settings.n_envs}; choose more steps.")
    trainer = _Trainer(world, settings, place, demonstrator)
    training_state = TrainingState(trainer.learner, evaluations, minutes)
    if checkpoint is not None and checkpoint.exists():
        load_checkpoint(training_state, checkpoint)
    if training_state.share < 1.0:
        trainer.start_simulations(
            make_simulations(world, settings.members * settings.n_envs, workers, **(options or {})),
            training_state.vector_step,
        )
        try:
            _train(trainer, training_state, f"Training {settings.algorithm} on {world}", evaluator, checkpoint, report)
        finally:
            trainer.envs.close()
    assert training_state.best is not None
    return training_state.best[1], training_state.curve


def _train(
    trainer: _Trainer,
    training_state: TrainingState,
    title: str,
    evaluator: PolicyEvaluator,
    checkpoint: Path | None,
    report: Callable[[Evaluation], None],
) -> None:
    """Run the remaining vector steps with their evaluations and checkpoints."""
    n_envs, share = trainer.settings.n_envs, 0.0
    with progress(title, total=trainer.settings.steps) as tick:
        if training_state.vector_step:
            tick(training_state.vector_step * n_envs)
            trainer.refill_replay_buffer(training_state.steps_fraction)
        while share < 1.0:
            training_state.vector_step += 1
            share = training_state.share
            trainer.train_step(training_state.steps_fraction, share)
            tick(n_envs)
            if training_state.due(share):
                evaluation = training_state.evaluate(evaluator)
                if checkpoint is not None:
                    save_checkpoint(training_state, checkpoint)
                report(evaluation)


class _Trainer:
    """Simulations, replay buffer and learner."""

    def __init__(
        self,
        world: str,
        settings: UncertaintyTrainingSettings,
        device: torch.device,
        demonstrator: Policy | None = None,
    ) -> None:
        self.settings, self.device, self.demonstrator = settings, device, demonstrator
        sample = make_world(world, 1)
        shape, space = tuple(sample.observation_space.shape or ()), sample.action_space
        kind, needed = LEARNERS[settings.algorithm]
        if not isinstance(space, needed):
            raise InvalidParameter(
                f"{settings.algorithm} needs actions of a {needed.__name__} space; {world} has {space}."
            )
        self.learner = kind(shape, space, settings, device)
        self.replay_buffer = SequenceReplayBuffer(
            min(settings.buffer_size, settings.steps) // settings.n_envs + 1,
            settings.members,
            settings.n_envs,
            shape,
            space.shape or (),
            stacked=len(shape) == 3,
            device=device,
            generator=self.learner.generator,
        )
        self.start = int(getattr(space, "start", 0))
        self.graph: torch.cuda.CUDAGraph | None = None

    def start_simulations(self, envs: SyncSimulations | SubprocessSimulations, vector_step: int) -> None:
        """Start the simulations; a resumed run starts new episodes."""
        self.envs = envs
        self.observations: Array = envs.reset(FIRST_SEED + self.settings.seed * 1_000_003 + vector_step)
        if self.demonstrator is not None:
            lanes = np.arange(len(self.observations))
            self.demonstrator_state = self.demonstrator.start(lanes, np.zeros_like(lanes))

    def refill_replay_buffer(self, steps_fraction: float) -> None:
        """Fill an empty replay buffer with episodes of the current policy."""
        n_steps = max(
            self.settings.learning_starts // self.settings.n_envs, self.replay_buffer.capacity // REFILL_DIVISOR
        )
        for _ in range(min(n_steps + 1, self.replay_buffer.capacity)):
            self._store(self._act(steps_fraction))

    def train_step(self, steps_fraction: float, share: float) -> None:
        """Choose actions, take gradient steps while the simulations run, and store the transitions.

        Args:
            steps_fraction: Fraction of the steps taken, which sets the exploration.
            share: Fraction of the training done, which sets the learning rate.
        """
        learning = self.replay_buffer.size * self.settings.n_envs >= self.settings.learning_starts
        chosen = self._act(steps_fraction if learning else -1.0)
        if learning:
            self.learner.set_learning_rate(share)
            self._learn()
        self._store(chosen)

    def _act(self, steps_fraction: float) -> Array:
        """Choose actions and send them to the simulations."""
        settings, seen = self.settings, self.observations
        with torch.no_grad():
            lanes = torch.as_tensor(seen.reshape(settings.members, settings.n_envs, *seen.shape[1:])).to(self.device)
            chosen: Array = self.learner.explore(lanes, steps_fraction).flatten(0, 1).cpu().numpy()
        if steps_fraction < 0.0 and self.demonstrator is not None:
            chosen = self._demonstrated_actions(chosen)
        self.envs.send(chosen + self.start)
        return chosen

    def _demonstrated_actions(self, random: Array) -> Array:
        """Return the demonstrator's actions, some of them replaced by random ones."""
        assert self.demonstrator is not None
        demonstrated, self.demonstrator_state = self.demonstrator.act(self.observations, self.demonstrator_state)
        left = (
            torch.rand(len(random), generator=self.learner.generator, device=self.device).cpu().numpy()
            < RANDOM_ACTION_SHARE
        )
        left = left.reshape(-1, *[1] * (random.ndim - 1))
        chosen: Array = np.where(left, random, demonstrated - self.start).astype(random.dtype)
        self.demonstrator_state = self.demonstrator.record_actions(self.demonstrator_state, chosen + self.start)
        return chosen

    def _store(self, chosen: Array) -> None:
        """Receive the transitions and store them."""
        before = self.observations
        self.observations, rewards, ended, truncated = self.envs.receive()
        self.replay_buffer.add(before, chosen, rewards, ended, truncated)

    def _learn(self) -> None:
        """Take the gradient steps of one vector step; on a GPU they are one captured graph."""
        if self.device.type != "cuda":
            for _ in range(self.settings.gradient_steps):
                self._update()
            return
        if self.graph is None:
            self.graph = capture(self._update, times=self.settings.gradient_steps, generator=self.learner.generator)
        self.graph.replay()

    def _update(self) -> None:
        settings = self.settings
        self.learner.update(self.replay_buffer.sample(settings.batch_size, settings.n_step, settings.discount))
