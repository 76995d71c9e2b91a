"""Training loop of a population: all seeds of a world at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.checkpoint import State, load_checkpoint, save_checkpoint
from offnominal.agents.training.loop import Evaluation
from offnominal.agents.training.populations.evaluations import Evaluator, PopulationEvaluations, Report
from offnominal.agents.training.populations.off_policy_training import OffPolicyTraining
from offnominal.agents.training.populations.on_policy_training import OnPolicyTraining
from offnominal.agents.training.populations.simulations import PopulationSimulations
from offnominal.agents.training.ppo_settings import PopulationSettings, PPOSettings
from offnominal.agents.training.settings import TrainingSettings, check_effort
from offnominal.core.checks import number_in
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter

CHECKPOINT_SECONDS = 120.0
LONGEST = 10**9
"""Most seconds between checkpoints."""


def learn_population(
    world: str,
    settings: PopulationSettings,
    seeds: Sequence[int],
    evaluator: Evaluator,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    workers: int = 0,
    compiled: bool = True,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: Report = lambda seed, curve, best: None,
    **options: Any,
) -> list[tuple[NetworkPolicy, list[Evaluation]]]:
    """Train one policy per seed, all at once and without demonstrations.

    A training that resumes from its checkpoint has the numbers of one that was not interrupted: on the CPU bit for bit,
    unless it has a time limit.

    Args:
        world: Id of the world.
        settings: Settings of every training; its seed is not used.
        seeds: Seeds of the trainings. A training does not depend on the others, except for rounding.
        evaluator: Evaluates a policy on nominal episodes, in another process if the training is not to wait.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes, including earlier runs of the same checkpoint; None for no limit. The learning
            rate then ends with the time.
        workers: Number of processes for the simulations; 0 for this one.
        compiled: Whether losses are compiled, which takes half a minute, on a GPU.
        checkpoint: File to which the training is saved and from which it resumes if it exists.
        checkpoint_seconds: Seconds between two checkpoints.
        report: Called after each evaluation with seed, learning curve and best policy; also after a resume.
        **options: Options of the world.

    Returns:
        For each seed the best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    number_in("checkpoint_seconds", checkpoint_seconds, 0.0, LONGEST)
    if isinstance(settings, TrainingSettings) and settings.demonstrator != "none":
        raise InvalidParameter("a population learns without demonstrations; train with a demonstrator singly.")
    place = choose_device(device)
    if place.type == "cuda":
        torch.set_float32_matmul_precision("high")
    simulations = PopulationSimulations(world, seeds, settings.n_envs, workers, options)
    with closing(simulations):
        kind: Any = OnPolicyTraining if isinstance(settings, PPOSettings) else OffPolicyTraining
        training = kind(simulations, settings, seeds, place, compiled=compiled)
        watch = PopulationEvaluations(simulations.space, seeds, evaluator, evaluations, report)
        given = {"world": world, "seeds": [*seeds], "evaluations": evaluations, "settings": settings.to_dict()}
        run = _Run(training, watch, given, minutes)
        if checkpoint is not None and checkpoint.exists():
            load_checkpoint(run, checkpoint)
        saved = time.perf_counter()
        while run.share < 1.0:
            run.advance()
            if checkpoint is not None and (run.share == 1.0 or time.perf_counter() - saved >= checkpoint_seconds):
                save_checkpoint(run, checkpoint)
                saved = time.perf_counter()
        return watch.best()


class _Run:
    """A training with its evaluations and its progress, as saved in checkpoints."""

    def __init__(
        self,
        training: OffPolicyTraining | OnPolicyTraining,
        evaluations: PopulationEvaluations,
        given: State,
        minutes: float | None,
    ) -> None:
        self.training, self.evaluations, self.given, self.minutes = training, evaluations, given, minutes
        self.settings = training.settings
        self.device = training.population.device
        self.total = max(1, self.settings.steps // self.settings.n_envs)
        self.vector_step = 0
        self.share = 0.0
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Elapsed time, including earlier runs."""
        return time.perf_counter() - self._start

    def advance(self) -> None:
        """Take one vector step, and evaluate if it is time."""
        self.vector_step += 1
        passed = self.seconds / (60.0 * self.minutes) if self.minutes else 0.0
        self.share = min(max(self.vector_step / self.total, passed), 1.0)
        self.training.advance(self.share)
        self.evaluations.collect()
        if self.evaluations.due(self.share):
            policies = self.training.population.policies(self.evaluations.space)
            self.evaluations.start(policies, self.vector_step * self.settings.n_envs, self.seconds)
        if self.share == 1.0:
            self.evaluations.collect(wait=True)

    def state_dict(self) -> State:
        """Return the state; that of a training which is over has only its evaluations."""
        return {
            "given": self.given,
            "vector_step": self.vector_step,
            "share": self.share,
            "seconds": self.seconds,
            "evaluations": self.evaluations.state(),
            "training": None if self.share == 1.0 else self.training.state(),
        }

    def load_state_dict(self, state: State) -> None:
        """Restore a state of the same training."""
        if state["given"] != self.given:
            different = sorted(name for name, value in self.given.items() if state["given"].get(name) != value)
            raise InvalidParameter(f"{', '.join(different)} differ.")
        self.vector_step, self.share = state["vector_step"], state["share"]
        if state["training"] is not None:
            self.training.restore(state["training"])
        self.evaluations.restore(state["evaluations"])
        self._start = time.perf_counter() - state["seconds"]
