"""The training loop: many simulations feed one learner."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gymnasium.spaces import Box

from offnominal.agents.learning.captured import capture
from offnominal.agents.learning.checkpoint import restore, save
from offnominal.agents.learning.learners import LEARNERS, Learner
from offnominal.agents.learning.lessons import become, imitate, remember
from offnominal.agents.learning.replay import Replay
from offnominal.agents.learning.settings import FIRST_SEED, LearningSettings, check_effort
from offnominal.agents.network import NetworkPolicy
from offnominal.core.device import choose_device
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_vector
from offnominal.worlds.checks import numeric_actions
from offnominal.worlds.vector import VectorWorld

FINAL_RATE = 0.05
GRAPHED = 8


@dataclass(frozen=True)
class Evaluation:
    """How well a policy does after some training."""

    steps: int
    seconds: float
    mean_return: float
    success: float


Judge = Callable[[NetworkPolicy], tuple[float, float]]
"""Returns the mean return and the success rate of a policy."""


def learn(
    world: str,
    settings: LearningSettings,
    judge: Judge,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    checkpoint: Path | None = None,
    lessons: Sequence[Episode] = (),
    student: NetworkPolicy | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[NetworkPolicy, list[Evaluation]]:
    """Train a policy and return the best one seen, with its learning curve.

    Args:
        world: Id of the world.
        settings: What to train and how.
        judge: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: How often to judge on the way.
        minutes: Stop after this long even if steps are left.
        checkpoint: File that the learner is saved to at each evaluation, and continued from if it exists.
        lessons: Episodes of a teacher, which the replay begins with and the actor imitates.
        student: A policy to begin as; without one the actor imitates the lessons.
        report: Called after each evaluation.
    """
    check_effort(minutes, evaluations)
    place = choose_device(device)
    if settings.steps < settings.rows:
        raise InvalidParameter(f"{settings.steps} steps are fewer than the {settings.rows} rows stepped together.")
    torch.manual_seed(settings.seed)
    if place.type == "cuda":
        torch.set_float32_matmul_precision("high")
    envs = make_vector(world, settings.rows)
    space = numeric_actions(envs.world)
    inputs, outputs = len(envs.world.card.observation), len(envs.world.card.action)
    learner = LEARNERS[settings.algorithm](inputs, outputs, settings, place)
    warm = checkpoint is not None and checkpoint.exists()
    if checkpoint is not None and warm:
        restore(learner, checkpoint)
    replay = Replay(min(settings.buffer, settings.steps), inputs, outputs, place)
    taught = bool(lessons)
    if taught:
        remember(replay, lessons, space)
        if not warm and not (student is not None and become(learner, student)):
            imitate(learner, replay)
    descend = Descent(learner, replay, settings, listen=settings.listen if taught and not warm else 0)
    start = time.perf_counter()
    best: tuple[float, NetworkPolicy] | None = None
    curve: list[Evaluation] = []
    total = settings.steps // settings.rows
    due = np.linspace(0, total, evaluations + 1)[1:].astype(int)
    collector = _Collector(envs, learner, replay, settings, warm=warm or taught)
    with progress(f"Training {settings.algorithm} on {world}", total=settings.steps) as tick:
        for vector_step in range(1, total + 1):
            collector.choose()
            share = max(vector_step / total, (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0)
            if replay.size >= settings.starts:
                descend(share)
            collector.step()
            tick(settings.rows)
            late = share >= 1.0
            if vector_step in due or late:
                policy = greedy(learner, space)
                mean, success = judge(policy)
                evaluation = Evaluation(vector_step * settings.rows, time.perf_counter() - start, mean, success)
                curve.append(evaluation)
                report(evaluation)
                if checkpoint is not None:
                    save(learner, checkpoint)
                if best is None or mean > best[0]:
                    best = (mean, policy)
            if late:
                break
    assert best is not None
    return best[1], curve


class _Collector:
    """Steps the simulations and keeps what happens."""

    def __init__(
        self, envs: VectorWorld, learner: Learner, replay: Replay, settings: LearningSettings, *, warm: bool
    ) -> None:
        self.envs, self.learner, self.replay, self.settings, self.warm = envs, learner, replay, settings, warm
        space = numeric_actions(envs.world)
        self.middle = (space.high + space.low) / 2.0
        self.reach = (space.high - space.low) / 2.0
        self.draw = np.random.default_rng(settings.seed)
        self.observations, _ = envs.reset(seed=FIRST_SEED + settings.seed * 1_000_003)
        self.actions: Array = np.zeros((envs.num_envs, len(self.reach)), np.float32)

    def choose(self) -> None:
        """Choose the next actions; waits for the updates under way."""
        if self.replay.size < self.settings.starts and not self.warm:
            self.actions = self.draw.uniform(-1.0, 1.0, self.actions.shape).astype(np.float32)
            return
        with torch.no_grad():
            seen = torch.as_tensor(self.observations).to(self.learner.device)
            self.actions = self.learner.explore(seen).cpu().numpy()

    def step(self) -> None:
        """Execute them and keep the transitions; a time limit is no end of the world."""
        before = self.observations
        after, rewards, terminated, truncated, infos = self.envs.step(self.middle + self.reach * self.actions)
        self.observations = after
        last = after.copy()
        for row in np.flatnonzero(terminated | truncated):
            last[row] = infos["final_obs"][row]
        self.replay.add(before, self.actions, rewards, last, terminated)


class Descent:
    """Gradient steps; on a GPU several of them are captured into one graph and replayed."""

    def __init__(self, learner: Learner, replay: Replay, settings: LearningSettings, *, listen: int = 0) -> None:
        self.learner, self.replay, self.settings, self.listen = learner, replay, settings, listen
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, share: float) -> None:
        """Take the updates of one vector step, with the rate that belongs to this share of the training."""
        rate = self.settings.rate * (max(1.0 - share, FINAL_RATE) if self.settings.anneal else 1.0)
        self.learner.set_rate(rate, actor=self.listen <= 0)
        self.listen -= self.settings.updates
        if self.learner.device.type != "cuda":
            for _ in range(self.settings.updates):
                self._update()
            return
        if self.graph is None:
            self.graph = self._capture()
        for _ in range(max(1, self.settings.updates // GRAPHED)):
            self.graph.replay()

    def _update(self) -> None:
        self.learner.update(self.replay.sample(self.settings.batch))

    def _capture(self) -> torch.cuda.CUDAGraph:
        self.learner.compile()
        return capture(self._update, times=GRAPHED)


def greedy(learner: Learner, space: Box) -> NetworkPolicy:
    """Return the learner's greedy policy, which runs without torch."""
    layers = [(weight.cpu().numpy().copy(), bias.cpu().numpy().copy()) for weight, bias in learner.steady.layers()]
    return NetworkPolicy(layers, space)
