"""The training loop of agents with uncertainty: every member lives in simulations of its own."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

from offnominal.agents.learning.actor_critic import DDPG
from offnominal.agents.learning.crowd import simulations
from offnominal.agents.learning.loop import Evaluation, choose_device
from offnominal.agents.learning.member_learner import MemberLearner
from offnominal.agents.learning.q_learner import DQN
from offnominal.agents.learning.ring import Ring
from offnominal.agents.learning.settings import FIRST_SEED
from offnominal.agents.learning.uncertain_settings import UncertainSettings
from offnominal.agents.uncertain.policy import UncertainPolicy
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_world

Judge = Callable[[UncertainPolicy], tuple[float, float]]
"""Returns the mean return and the success rate of a policy."""
LEARNERS: dict[str, tuple[type[MemberLearner], type[Box] | type[Discrete]]] = {
    "dqn": (DQN, Discrete),
    "ddpg": (DDPG, Box),
}


def learn_uncertain(
    world: str,
    settings: UncertainSettings,
    judge: Judge,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    workers: int | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[UncertainPolicy, list[Evaluation]]:
    """Train an agent with uncertainty and return the best policy seen, with its learning curve.

    Args:
        world: Id of the world.
        settings: What to train and how.
        judge: Evaluates a policy on nominal episodes.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: How often to judge on the way.
        minutes: Stop after this long even if steps are left.
        workers: Processes that simulate; None for one per processor where pictures are seen, and none elsewhere.
        report: Called after each evaluation.
    """
    place = choose_device(device)
    if settings.steps < settings.rows:
        raise InvalidParameter(f"{settings.steps} steps are fewer than the {settings.rows} rows stepped together.")
    school = _School(world, settings, place, workers)
    total = settings.steps // settings.rows
    due = set(np.linspace(0, total, evaluations + 1)[1:].astype(int).tolist())
    start, best, curve = time.perf_counter(), None, []
    with progress(f"Training {settings.algorithm} on {world}", total=settings.steps) as tick:
        for moment in range(1, total + 1):
            share = max(moment / total, (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0)
            school.live(share)
            tick(settings.rows)
            if moment in due or share >= 1.0:
                policy = school.learner.policy()
                mean, success = judge(policy)
                evaluation = Evaluation(moment * settings.rows, time.perf_counter() - start, mean, success)
                curve.append(evaluation)
                report(evaluation)
                # Of equals the later one has learned for longer.
                if best is None or mean >= best[0]:
                    best = (mean, policy)
            if share >= 1.0:
                break
    school.envs.close()
    assert best is not None
    return best[1], curve


class _School:
    """Simulations, what was lived through in them, and who learns from it."""

    def __init__(self, world: str, settings: UncertainSettings, device: torch.device, workers: int | None) -> None:
        self.settings, self.device = settings, device
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
        self.envs = simulations(world, settings.members * settings.rows, workers)
        self.observations: Array = self.envs.reset(FIRST_SEED + settings.seed * 1_000_003)

    def live(self, share: float) -> None:
        """Choose, learn while the choice is carried out, and remember what came of it."""
        settings, before = self.settings, self.observations
        learning = self.ring.size * settings.rows >= settings.starts
        with torch.no_grad():
            lanes = before.reshape(settings.members, settings.rows, *before.shape[1:])
            seen = torch.as_tensor(lanes).to(self.device)
            chosen = self.learner.explore(seen, share if learning else -1.0).flatten(0, 1).cpu().numpy()
        self.envs.send(chosen + self.start)
        if learning:
            self.learner.set_rate(share)
            for _ in range(settings.updates):
                self.learner.update(self.ring.sample(settings.batch, settings.ahead, settings.discount))
        self.observations, rewards, ended, cut = self.envs.receive()
        self.ring.add(before, chosen, rewards, ended, cut)
