"""Training loop of TQC, SAC and TD3."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gymnasium.spaces import Box

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.checkpoint import load_checkpoint, save_checkpoint
from offnominal.agents.training.demonstrations import add_demonstrations, demonstrated_actions, imitate
from offnominal.agents.training.learners import LEARNERS, Learner
from offnominal.agents.training.replay_buffer import ReplayBuffer
from offnominal.agents.training.settings import FIRST_SEED, TrainingSettings, check_effort
from offnominal.core.cuda_graph import capture
from offnominal.core.device import choose_device
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_vector
from offnominal.worlds.checks import continuous_action_space
from offnominal.worlds.vector_env import WorldVectorEnv

FINAL_RATE = 0.05
UPDATES_PER_GRAPH = 8
"""Most updates of a graph."""


@dataclass(frozen=True)
class Evaluation:
    """Result of one evaluation during a training.

    Args:
        steps: Number of transitions so far.
        seconds: Time so far.
        mean_return: Mean return of the evaluation episodes.
        success: Fraction of successful episodes.
    """

    steps: int
    seconds: float
    mean_return: float
    success: float


PolicyEvaluator = Callable[[NetworkPolicy], tuple[float, float]]
"""Function that returns the mean return and the success rate of a policy."""


def learn(
    world: str,
    settings: TrainingSettings,
    evaluator: PolicyEvaluator,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    checkpoint: Path | None = None,
    demonstrations: Sequence[Episode] = (),
    demonstrator: Policy | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[NetworkPolicy, list[Evaluation]]:
    """Train a policy.

    Args:
        world: Id of the world.
        settings: Settings of the training.
        evaluator: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes; None for no limit.
        checkpoint: File to which the training is saved at each evaluation and from which it resumes if it exists.
        demonstrations: Episodes that pre-fill the replay buffer and that the actor clones.
        demonstrator: Policy of the demonstrations: the actor clones its actions without the noise of the
            demonstrations, or starts from its weights if it is a network of the actor's shape.
        report: Called after each evaluation.

    Returns:
        The best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    if settings.hindsight or settings.held_actions:
        raise InvalidParameter("hindsight and held_actions are settings of populations; use `offnominal train-seeds`.")
    place = choose_device(device)
    if settings.steps < settings.n_envs:
        raise InvalidParameter(f"{settings.steps} steps are fewer than n_envs, {settings.n_envs}; choose more steps.")
    torch.manual_seed(settings.seed)
    if place.type == "cuda":
        torch.set_float32_matmul_precision("high")
    envs = make_vector(world, settings.n_envs)
    space = continuous_action_space(envs.world)
    inputs, outputs = len(envs.world.card.observation), len(envs.world.card.action)
    learner = LEARNERS[settings.algorithm](inputs, outputs, settings, place)
    replay_buffer = ReplayBuffer(min(settings.buffer_size, settings.steps), inputs, outputs, place)
    warm = checkpoint is not None and checkpoint.exists()
    if checkpoint is not None and warm:
        load_checkpoint(learner, checkpoint)
    add_demonstrations(replay_buffer, demonstrations, space)
    evaluation_run = _Evaluations(learner, space, evaluator, evaluations, checkpoint, report)
    if demonstrations:
        learner.demonstrated = demonstrated_actions(demonstrations, demonstrator, space, place)
    if learner.demonstrated is not None and not warm:
        _standardize(learner, replay_buffer)
        imitate(learner, learner.demonstrated, demonstrator)
        evaluation_run.evaluate(0)
    take_gradient_steps = GradientSteps(
        learner, replay_buffer, settings, critic_warmup=settings.critic_warmup if demonstrations and not warm else 0
    )
    informed = warm or bool(demonstrations)
    collector = _Collector(envs, learner, replay_buffer, settings, warm=informed)
    total = settings.steps // settings.n_envs
    start = time.perf_counter()
    with progress(f"Training {settings.algorithm} on {world}", total=settings.steps) as tick:
        for vector_step in range(1, total + 1):
            collector.choose()
            passed = (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0
            share = min(max(vector_step / total, passed), 1.0)
            if replay_buffer.size >= settings.learning_starts:
                if not informed:
                    _standardize(learner, replay_buffer)
                    informed = True
                take_gradient_steps(share)
            collector.step()
            tick(settings.n_envs)
            if evaluation_run.due(share):
                evaluation_run.evaluate(vector_step * settings.n_envs)
            if share == 1.0:
                break
    return evaluation_run.best(), evaluation_run.curve


def _standardize(learner: Learner, replay_buffer: ReplayBuffer) -> None:
    """Standardise the observations as in the replay buffer, if the settings say so."""
    if learner.settings.standardize_observations:
        learner.standardize.fit(replay_buffer.observations())


class _Evaluations:
    """Evaluates the policy at equal distances, reports and keeps the best one, and writes the checkpoint."""

    def __init__(
        self,
        learner: Learner,
        space: Box,
        evaluator: PolicyEvaluator,
        count: int,
        checkpoint: Path | None,
        report: Callable[[Evaluation], None],
    ) -> None:
        self.learner, self.space, self.evaluator = learner, space, evaluator
        self.count, self.checkpoint, self.report = count, checkpoint, report
        self.curve: list[Evaluation] = []
        self._policies: list[NetworkPolicy] = []
        self._next, self._start = 1, time.perf_counter()

    def due(self, share: float) -> bool:
        """Whether the next evaluation is due after a fraction of the training."""
        if share * self.count < self._next:
            return False
        self._next = int(share * self.count) + 1
        return True

    def evaluate(self, steps: int) -> None:
        """Evaluate the current policy."""
        policy = greedy(self.learner, self.space)
        mean, success = self.evaluator(policy)
        self.curve.append(Evaluation(steps, time.perf_counter() - self._start, mean, success))
        self._policies.append(policy)
        self.report(self.curve[-1])
        if self.checkpoint is not None:
            save_checkpoint(self.learner, self.checkpoint)

    def best(self) -> NetworkPolicy:
        """Return the policy with the largest mean return."""
        return self._policies[int(np.argmax([evaluation.mean_return for evaluation in self.curve]))]


class _Collector:
    """Steps the simulations and stores the transitions."""

    def __init__(
        self,
        envs: WorldVectorEnv,
        learner: Learner,
        replay_buffer: ReplayBuffer,
        settings: TrainingSettings,
        *,
        warm: bool,
    ) -> None:
        self.envs, self.learner, self.replay_buffer, self.settings, self.warm = (
            envs,
            learner,
            replay_buffer,
            settings,
            warm,
        )
        space = continuous_action_space(envs.world)
        self.middle = (space.high + space.low) / 2.0
        self.reach = (space.high - space.low) / 2.0
        self.generator = np.random.default_rng(settings.seed)
        self.observations, _ = envs.reset(seed=FIRST_SEED + settings.seed * 1_000_003)
        self.actions: Array = np.zeros((envs.num_envs, len(self.reach)), np.float32)

    def choose(self) -> None:
        """Choose the next actions; waits for pending updates on a GPU."""
        if self.replay_buffer.size < self.settings.learning_starts and not self.warm:
            self.actions = self.generator.uniform(-1.0, 1.0, self.actions.shape).astype(np.float32)
            return
        with torch.no_grad():
            observations = torch.as_tensor(self.observations).to(self.learner.device)
            self.actions = self.learner.explore(observations).cpu().numpy()

    def step(self) -> None:
        """Execute the actions and store the transitions; a time limit is not a terminal state."""
        before = self.observations
        after, rewards, terminated, truncated, infos = self.envs.step(self.middle + self.reach * self.actions)
        self.observations = after
        last = after.copy()
        for row in np.flatnonzero(terminated | truncated):
            last[row] = infos["final_obs"][row]
        self.replay_buffer.add(before, self.actions, rewards, last, terminated)


class GradientSteps:
    """Gradient steps; on a GPU several of them are captured into one graph and replayed."""

    def __init__(
        self, learner: Learner, replay_buffer: ReplayBuffer, settings: TrainingSettings, *, critic_warmup: int = 0
    ) -> None:
        self.learner, self.replay_buffer, self.settings, self.critic_warmup = (
            learner,
            replay_buffer,
            settings,
            critic_warmup,
        )
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, share: float) -> None:
        """Take the gradient steps of one vector step, with the schedules at this fraction of the training."""
        learning_rate = self.settings.learning_rate * (
            max(1.0 - share, FINAL_RATE) if self.settings.anneal_learning_rate else 1.0
        )
        cloning_weight = self.settings.cloning_weight * (1.0 - share)
        self.learner.set_schedule(learning_rate, cloning_weight, actor=self.critic_warmup <= 0)
        self.critic_warmup -= self.settings.gradient_steps
        if self.learner.device.type != "cuda":
            for _ in range(self.settings.gradient_steps):
                self._update()
            return
        if self.graph is None:
            self.graph = self._capture()
        for _ in range(self.settings.gradient_steps // updates_per_graph(self.settings.gradient_steps)):
            self.graph.replay()

    def _update(self) -> None:
        self.learner.update(self.replay_buffer.sample(self.settings.batch_size))

    def _capture(self) -> torch.cuda.CUDAGraph:
        self.learner.compile()
        return capture(self._update, times=updates_per_graph(self.settings.gradient_steps))


def updates_per_graph(gradient_steps: int) -> int:
    """Return how many updates a graph has, so that whole replays are the gradient steps of one vector step.

    Example:
        >>> [updates_per_graph(steps) for steps in (1, 8, 12, 16)]
        [1, 8, 4, 8]
    """
    return math.gcd(gradient_steps, UPDATES_PER_GRAPH)


def greedy(learner: Learner, space: Box) -> NetworkPolicy:
    """Return the learner's greedy policy, which runs without torch."""
    layers = [(weight.cpu().numpy().copy(), bias.cpu().numpy().copy()) for weight, bias in learner.layers()]
    return NetworkPolicy(layers, space)
