"""Uncertainty of the policy: disagreement of ensemble members or dropout passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.checks import one_of
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.policies.policy_detector import ObservationDetector, ObservationName
from offnominal.detectors.policies.policy_source import PolicySource

if TYPE_CHECKING:
    from torch import Tensor

Over = Literal["greedy", "mean", "max"]
OVER: tuple[Over, ...] = ("greedy", "mean", "max")


class PolicyUncertainty(ObservationDetector):
    """Standard deviation of the policy's predictions over the members of an ensemble or over dropout masks.

    Args:
        policy: An :class:`~offnominal.agents.UncertainPolicy`, its file, the name of a shipped policy, or None for the
            shipped ensemble that is compatible with the episodes.
        over: Reduction over the outputs. Discrete actions: the standard deviation of the value of the ``"greedy"``
            action, or the ``"mean"`` or ``"max"`` over all actions. Continuous actions: ``"max"`` over the dimensions
            of the action, otherwise their mean.
        passes: Number of predictions per observation; that of the policy if None.
        view: Whether to score the ``"next_observation"`` or the ``"observation"`` of each transition.

    Example:
        >>> import offnominal as off
        >>> policy = off.expert("OOD-CartPole-v0")
        >>> detector = PolicyUncertainty().fit(off.collect("OOD-CartPole-v0", policy, 5))
        >>> heavy = off.Fault("dynamics/gravity", 98.0, "start")
        >>> (scores,) = detector.score(off.collect("OOD-CartPole-v0", policy, 1, faults=heavy))
        >>> bool((scores >= 0.0).all())
        True
    """

    def __init__(
        self,
        policy: PolicySource = None,
        *,
        over: Over = "greedy",
        passes: int | None = None,
        view: ObservationName = "next_observation",
    ) -> None:
        super().__init__(policy, passes=passes, view=view)
        self.over: Over = one_of("over", over, OVER)

    def _anomaly_scores(self, observations: Array) -> FloatArray:
        mean, spread = self.predicted(observations)
        if self.over == "greedy" and isinstance(self.policy_.space, Discrete):
            spread = np.take_along_axis(spread, mean.argmax(axis=1)[:, None], axis=1)
        scores: FloatArray = spread.max(axis=1) if self.over == "max" else spread.mean(axis=1)
        return scores

    def _torch_scores(self, observations: Tensor) -> Tensor:
        mean, spread = self._torch_predicted(observations)
        if self.over == "greedy" and isinstance(self.policy_.space, Discrete):
            spread = spread.gather(1, mean.argmax(1, keepdim=True))
        return spread.amax(1) if self.over == "max" else spread.mean(1)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {**super().get_params(), "over": self.over}
