"""The training loop of agents with uncertainty: every member lives in simulations of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

from offnominal.agents.learning.actor_critic import DDPG
from offnominal.agents.learning.captured import capture
from offnominal.agents.learning.checkpoint import restore, save
from offnominal.agents.learning.course import Course, Judge
from offnominal.agents.learning.crowd import Alone, Crowd, simulations
from offnominal.agents.learning.loop import Evaluation
from offnominal.agents.learning.member_learner import MemberLearner
from offnominal.agents.learning.q_learner import DQN
from offnominal.agents.learning.ring import Ring
from offnominal.agents.learning.settings import FIRST_SEED, check_effort
from offnominal.agents.learning.uncertain_settings import UncertainSettings
from offnominal.agents.policy import Policy
from offnominal.agents.uncertain.policy import UncertainPolicy
from offnominal.core.checks import integer_in
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_world

LEARNERS: dict[str, tuple[type[MemberLearner], type[Box] | type[Discrete]]] = {
    "dqn": (DQN, Discrete),
    "ddpg": (DDPG, Box),
}
STUMBLED = 0.05
"""Share of the actions that are left to chance while a teacher acts."""
REFILLED = 8
"""After a restart this part of the replay is filled before anything is learned from it."""


def learn_uncertain(
    world: str,
    settings: UncertainSettings,
    judge: Judge,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    workers: int | None = None,
    checkpoint: Path | None = None,
    options: Mapping[str, Any] | None = None,
    teacher: Policy | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[UncertainPolicy, list[Evaluation]]:
    """Train an agent with uncertainty and return the best policy seen, with its learning curve.

    A run that goes on from a checkpoint has its networks, optimizers, random numbers, curve and best policy, and the
    time it took counts. The replay is not kept: first the policy as it is fills an eighth of a new one in steps that do
    not count, and then learning goes on.

    Args:
        world: Id of the world.
        settings: What to train and how.
        judge: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: How often to judge on the way.
        minutes: Stop after this long even if steps are left.
        workers: Processes that simulate; None for one per processor where pictures are seen, and none elsewhere.
        checkpoint: File that the training is saved to at each evaluation, and continued from if it exists.
        options: Of the world.
        teacher: Who acts before learning begins. It is not told when an episode ends and another begins.
        report: Called after each evaluation.
    """
    check_effort(minutes, evaluations)
    if workers is not None:
        integer_in("workers", workers, 0, 1024)
    place = choose_device(device)
    if settings.steps < settings.rows:
        raise InvalidParameter(f"{settings.steps} steps are fewer than the {settings.rows} rows stepped together.")
    school = _School(world, settings, place, teacher)
    course = Course(school.learner, evaluations, minutes)
    if checkpoint is not None and checkpoint.exists():
        restore(course, checkpoint)
    if course.share < 1.0:
        school.open(simulations(world, settings.members * settings.rows, workers, **(options or {})), course.moment)
        try:
            _attend(school, course, f"Training {settings.algorithm} on {world}", judge, checkpoint, report)
        finally:
            school.envs.close()
    assert course.best is not None
    return course.best[1], course.curve


def _attend(
    school: _School,
    course: Course,
    title: str,
    judge: Judge,
    checkpoint: Path | None,
    report: Callable[[Evaluation], None],
) -> None:
    """Live through the moments that are left, and judge and save on the way."""
    rows, share = school.settings.rows, 0.0
    with progress(title, total=school.settings.steps) as tick:
        if course.moment:
            tick(course.moment * rows)
            school.refill(course.lived)
        while share < 1.0:
            course.moment += 1
            share = course.share
            school.live(course.lived, share)
            tick(rows)
            if course.due(share):
                evaluation = course.evaluate(judge)
                if checkpoint is not None:
                    save(course, checkpoint)
                report(evaluation)


class _School:
    """Simulations, what was lived through in them, and who learns from it."""

    def __init__(
        self, world: str, settings: UncertainSettings, device: torch.device, teacher: Policy | None = None
    ) -> None:
        self.settings, self.device, self.teacher = settings, device, teacher
        sample = make_world(world, 1)
        seen, space = tuple(sample.observation_space.shape or ()), sample.action_space
        kind, needed = LEARNERS[settings.algorithm]
        if not isinstance(space, needed):
            raise InvalidParameter(
                f"{settings.algorithm} needs actions of a {needed.__name__} space; {world} has {space}."
            )
        self.learner = kind(seen, space, settings, device)
        self.ring = Ring(
            min(settings.buffer, settings.steps) // settings.rows + 1,
            settings.members,
            settings.rows,
            seen,
            space.shape or (),
            stacked=len(seen) == 3,
            device=device,
            draw=self.learner.draw,
        )
        self.start = int(getattr(space, "start", 0))
        self.graph: torch.cuda.CUDAGraph | None = None

    def open(self, envs: Alone | Crowd, moment: int) -> None:
        """Start the simulations; those of a run that goes on are new ones."""
        self.envs = envs
        self.observations: Array = envs.reset(FIRST_SEED + self.settings.seed * 1_000_003 + moment)
        if self.teacher is not None:
            lanes = np.arange(len(self.observations))
            self.lesson = self.teacher.start(lanes, np.zeros_like(lanes))

    def refill(self, lived: float) -> None:
        """Put episodes of the policy as it is into an empty replay."""
        wanted = max(self.settings.starts // self.settings.rows, self.ring.moments // REFILLED)
        for _ in range(min(wanted + 1, self.ring.moments)):
            self._remember(self._act(lived))

    def live(self, lived: float, share: float) -> None:
        """Choose, learn while the choice is carried out, and remember what came of it.

        Args:
            lived: How many of the steps were taken, which decides how much is left to chance.
            share: How much of the training is over, which decides the learning rate.
        """
        learning = self.ring.size * self.settings.rows >= self.settings.starts
        chosen = self._act(lived if learning else -1.0)
        if learning:
            self.learner.set_rate(share)
            self._learn()
        self._remember(chosen)

    def _act(self, lived: float) -> Array:
        """Choose and begin to carry it out."""
        settings, seen = self.settings, self.observations
        with torch.no_grad():
            lanes = torch.as_tensor(seen.reshape(settings.members, settings.rows, *seen.shape[1:])).to(self.device)
            chosen: Array = self.learner.explore(lanes, lived).flatten(0, 1).cpu().numpy()
        if lived < 0.0 and self.teacher is not None:
            chosen = self._shown(chosen)
        self.envs.send(chosen + self.start)
        return chosen

    def _shown(self, random: Array) -> Array:
        """Return what the teacher does, with some actions left to chance."""
        assert self.teacher is not None
        wanted, self.lesson = self.teacher.act(self.observations, self.lesson)
        left = torch.rand(len(random), generator=self.learner.draw, device=self.device).cpu().numpy() < STUMBLED
        left = left.reshape(-1, *[1] * (random.ndim - 1))
        chosen: Array = np.where(left, random, wanted - self.start).astype(random.dtype)
        self.lesson = self.teacher.did(self.lesson, chosen + self.start)
        return chosen

    def _remember(self, chosen: Array) -> None:
        """Wait for what comes of it and keep it."""
        before = self.observations
        self.observations, rewards, ended, cut = self.envs.receive()
        self.ring.add(before, chosen, rewards, ended, cut)

    def _learn(self) -> None:
        """Take the updates of one moment; on a GPU they are one captured graph."""
        if self.device.type != "cuda":
            for _ in range(self.settings.updates):
                self._update()
            return
        if self.graph is None:
            self.graph = capture(self._update, times=self.settings.updates, draw=self.learner.draw)
        self.graph.replay()

    def _update(self) -> None:
        settings = self.settings
        self.learner.update(self.ring.sample(settings.batch, settings.ahead, settings.discount))
