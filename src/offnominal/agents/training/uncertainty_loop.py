"""The training loop of agents with uncertainty: every member lives in simulations of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

from offnominal.agents.policy import Policy
from offnominal.agents.training.checkpoint import load_checkpoint, save_checkpoint
from offnominal.agents.training.cuda_graph import capture
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
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_world

LEARNERS: dict[str, tuple[type[UncertaintyLearner], type[Box] | type[Discrete]]] = {
    "dqn": (DQN, Discrete),
    "ddpg": (DDPG, Box),
}
RANDOM_ACTION_SHARE = 0.05
"""Share of the actions that are left to chance while a teacher acts."""
REFILL_DIVISOR = 8
"""After a restart this part of the replay is filled before anything is learned from it."""


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
    """Train an agent with uncertainty and return the best policy seen, with its learning curve.

    A run that goes on from a checkpoint has its networks, optimizers, random numbers, curve and best policy, and the
    time it took counts. The replay is not kept: first the policy as it is fills an eighth of a new one in steps that do
    not count, and then learning goes on.

    Args:
        world: Id of the world.
        settings: What to train and how.
        evaluator: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: How often to judge on the way.
        minutes: Stop after this long even if steps are left.
        workers: Processes that simulate; None for one per processor where pictures are seen, and none elsewhere.
        checkpoint: File that the training is saved to at each evaluation, and continued from if it exists.
        options: Of the world.
        demonstrator: Who acts before learning begins. It is not told when an episode ends and another begins.
        report: Called after each evaluation.
    """
    check_effort(minutes, evaluations)
    if workers is not None:
        integer_in("workers", workers, 0, 1024)
    place = choose_device(device)
    if settings.steps < settings.n_envs:
        raise InvalidParameter(f"{settings.steps} steps are fewer than the {settings.n_envs} rows stepped together.")
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
    """Live through the moments that are left, and judge and save on the way."""
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
    """Simulations, what was lived through in them, and who learns from it."""

    def __init__(
        self,
        world: str,
        settings: UncertaintyTrainingSettings,
        device: torch.device,
        demonstrator: Policy | None = None,
    ) -> None:
        self.settings, self.device, self.demonstrator = settings, device, demonstrator
        sample = make_world(world, 1)
        seen, space = tuple(sample.observation_space.shape or ()), sample.action_space
        kind, needed = LEARNERS[settings.algorithm]
        if not isinstance(space, needed):
            raise InvalidParameter(
                f"{settings.algorithm} needs actions of a {needed.__name__} space; {world} has {space}."
            )
        self.learner = kind(seen, space, settings, device)
        self.replay_buffer = SequenceReplayBuffer(
            min(settings.buffer_size, settings.steps) // settings.n_envs + 1,
            settings.members,
            settings.n_envs,
            seen,
            space.shape or (),
            stacked=len(seen) == 3,
            device=device,
            generator=self.learner.generator,
        )
        self.start = int(getattr(space, "start", 0))
        self.graph: torch.cuda.CUDAGraph | None = None

    def start_simulations(self, envs: SyncSimulations | SubprocessSimulations, vector_step: int) -> None:
        """Start the simulations; those of a run that goes on are new ones."""
        self.envs = envs
        self.observations: Array = envs.reset(FIRST_SEED + self.settings.seed * 1_000_003 + vector_step)
        if self.demonstrator is not None:
            lanes = np.arange(len(self.observations))
            self.demonstrator_state = self.demonstrator.start(lanes, np.zeros_like(lanes))

    def refill_replay_buffer(self, steps_fraction: float) -> None:
        """Put episodes of the policy as it is into an empty replay."""
        wanted = max(
            self.settings.learning_starts // self.settings.n_envs, self.replay_buffer.capacity // REFILL_DIVISOR
        )
        for _ in range(min(wanted + 1, self.replay_buffer.capacity)):
            self._store(self._act(steps_fraction))

    def train_step(self, steps_fraction: float, share: float) -> None:
        """Choose, learn while the choice is carried out, and remember what came of it.

        Args:
            steps_fraction: How many of the steps were taken, which decides how much is left to chance.
            share: How much of the training is over, which decides the learning rate.
        """
        learning = self.replay_buffer.size * self.settings.n_envs >= self.settings.learning_starts
        chosen = self._act(steps_fraction if learning else -1.0)
        if learning:
            self.learner.set_learning_rate(share)
            self._learn()
        self._store(chosen)

    def _act(self, steps_fraction: float) -> Array:
        """Choose and begin to carry it out."""
        settings, seen = self.settings, self.observations
        with torch.no_grad():
            lanes = torch.as_tensor(seen.reshape(settings.members, settings.n_envs, *seen.shape[1:])).to(self.device)
            chosen: Array = self.learner.explore(lanes, steps_fraction).flatten(0, 1).cpu().numpy()
        if steps_fraction < 0.0 and self.demonstrator is not None:
            chosen = self._demonstrated_actions(chosen)
        self.envs.send(chosen + self.start)
        return chosen

    def _demonstrated_actions(self, random: Array) -> Array:
        """Return what the teacher does, with some actions left to chance."""
        assert self.demonstrator is not None
        wanted, self.demonstrator_state = self.demonstrator.act(self.observations, self.demonstrator_state)
        left = (
            torch.rand(len(random), generator=self.learner.generator, device=self.device).cpu().numpy()
            < RANDOM_ACTION_SHARE
        )
        left = left.reshape(-1, *[1] * (random.ndim - 1))
        chosen: Array = np.where(left, random, wanted - self.start).astype(random.dtype)
        self.demonstrator_state = self.demonstrator.record_actions(self.demonstrator_state, chosen + self.start)
        return chosen

    def _store(self, chosen: Array) -> None:
        """Wait for what comes of it and keep it."""
        before = self.observations
        self.observations, rewards, ended, truncated = self.envs.receive()
        self.replay_buffer.add(before, chosen, rewards, ended, truncated)

    def _learn(self) -> None:
        """Take the updates of one moment; on a GPU they are one captured graph."""
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
