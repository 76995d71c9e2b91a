"""Progress of the training of a policy with uncertainty estimates, as saved in checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from time import perf_counter

import numpy as np
import torch

from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.loop import Evaluation
from offnominal.agents.training.uncertainty_learner import UncertaintyLearner
from offnominal.agents.uncertainty.files import from_tensors, to_tensors
from offnominal.agents.uncertainty.policy import UncertainPolicy
from offnominal.core.errors import InvalidParameter

PolicyEvaluator = Callable[[UncertainPolicy], tuple[float, float]]
"""Function that returns the mean return and the success rate of a policy."""


class TrainingState:
    """Number of vector steps, elapsed time, learning curve and best policy.

    Args:
        learner: Learner that is trained.
        evaluations: Number of evaluations, evenly spaced.
        minutes: Time limit in minutes, including earlier runs of the same checkpoint.
    """

    def __init__(self, learner: UncertaintyLearner, evaluations: int, minutes: float | None) -> None:
        self.learner, self.minutes = learner, minutes
        self.total = learner.settings.steps // learner.settings.n_envs
        self.vector_step = 0
        self.curve: list[Evaluation] = []
        self.best: tuple[float, UncertainPolicy] | None = None
        self._evaluation_points = np.linspace(0, self.total, evaluations + 1)[1:].astype(int) / self.total
        self._evaluations_done = 0
        self._start = perf_counter()

    @property
    def device(self) -> torch.device:
        """Device of the learner."""
        return self.learner.device

    @property
    def seconds(self) -> float:
        """Elapsed time, including earlier runs."""
        return perf_counter() - self._start

    @property
    def steps_fraction(self) -> float:
        """Fraction of the steps taken."""
        return self.vector_step / self.total

    @property
    def share(self) -> float:
        """Fraction of the training done: the larger of the fractions of steps and time."""
        return max(self.steps_fraction, self.seconds / (60.0 * self.minutes) if self.minutes else 0.0)

    def due(self, share: float) -> bool:
        """Return whether an evaluation is due at a fraction of the training; each is due once."""
        before, self._evaluations_done = (
            self._evaluations_done,
            int(np.searchsorted(self._evaluation_points, share, side="right")),
        )
        return self._evaluations_done > before or share >= 1.0

    def evaluate(self, evaluator: PolicyEvaluator) -> Evaluation:
        """Evaluate the current policy, and keep it if no earlier one was better."""
        policy = self.learner.policy()
        mean, success = evaluator(policy)
        steps = self.vector_step * self.learner.settings.n_envs
        self.curve.append(Evaluation(steps, self.seconds, float(mean), float(success)))
        if self.best is None or mean >= self.best[0]:
            self.best = (mean, policy)
        return self.curve[-1]

    def state_dict(self) -> State:
        """Return the state without the replay buffer, which is too large with images."""
        assert self.best is not None
        mean, policy = self.best
        return {
            "settings": self._settings(),
            "learner": self.learner.state_dict(),
            "moment": self.vector_step,
            "seconds": self.seconds,
            "curve": [astuple(evaluation) for evaluation in self.curve],
            "best": (mean, {name: torch.as_tensor(tensor) for name, tensor in to_tensors(policy).items()}),
        }

    def load_state_dict(self, state: State) -> None:
        """Restore a state of the same settings; only the number of steps may differ."""
        if state["settings"] != self._settings():
            raise InvalidParameter("the settings differ.")
        self.learner.load_state_dict(state["learner"])
        self.vector_step = state["moment"]
        self.curve = [Evaluation(*values) for values in state["curve"]]
        self._start = perf_counter() - state["seconds"]
        self.due(self.share)
        mean, tensors = state["best"]
        now = self.learner.policy()
        policy = from_tensors(
            {name: tensor.cpu().numpy() for name, tensor in tensors.items()},
            now.space,
            kind=now.kind,
            probability=now.probability,
            passes=now.passes,
            discount=now.discount,
        )
        self.best = (mean, policy)

    def _settings(self) -> State:
        return {name: value for name, value in self.learner.settings.to_dict().items() if name != "steps"}
