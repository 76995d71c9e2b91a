"""Entropy of the policy's actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.checks import one_of, positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.policies.policy_detector import ObservationDetector, ObservationName
from offnominal.detectors.policies.policy_source import PolicySource

if TYPE_CHECKING:
    from torch import Tensor

Of = Literal["values", "votes"]


class Entropy(ObservationDetector):
    """Entropy of the action distribution, in nats.

    For discrete actions only. The entropy is also high in nominal states in which several actions are equally good.

    Args:
        policy: Policy to use; see :class:`ObservationDetector`.
        of: Distribution over actions: ``"values"`` for a softmax over the mean predictions, ``"votes"`` for the
            fraction of members or passes whose greedy action it is.
        temperature: Temperature of the softmax.
        passes: Number of predictions per observation; that of the policy if None.
        view: Whether to score the ``"next_observation"`` or the ``"observation"`` of each transition.

    Example:
        >>> import offnominal as off
        >>> nominal = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 5)
        >>> Entropy().fit(nominal).score(nominal)[0].max() <= np.log(2) + 1e-12
        np.True_
    """

    def __init__(
        self,
        policy: PolicySource = None,
        *,
        of: Of = "values",
        temperature: float = 1.0,
        passes: int | None = None,
        view: ObservationName = "next_observation",
    ) -> None:
        super().__init__(policy, passes=passes, view=view)
        self.of: Of = one_of("of", of, ("values", "votes"))
        self.temperature = positive_number("temperature", temperature)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        super()._fit(episodes, validation, seed)
        if not isinstance(self.policy_.space, Discrete):
            raise UnsupportedEnvironment(
                f"the policy acts in {self.policy_.space}; Entropy needs discrete actions. "
                "Use PolicyUncertainty for continuous actions."
            )

    def _anomaly_scores(self, observations: Array) -> FloatArray:
        if self.of == "votes":
            passes = self.policy_.outputs(observations, *self._streams(observations), passes=self.passes)
            votes = passes.argmax(axis=2)
            return _entropy(np.stack([(votes == action).mean(axis=0) for action in range(passes.shape[2])], axis=1))
        scaled = self.predicted(observations)[0] / self.temperature
        weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return _entropy(weights / weights.sum(axis=1, keepdims=True))

    def _torch_scores(self, observations: Tensor) -> Tensor:
        import torch

        outputs = self._torch_outputs(observations)
        if self.of == "votes":
            votes = outputs.argmax(2)[..., None] == torch.arange(outputs.shape[2])
            probabilities = votes.double().mean(0)
        else:
            probabilities = (outputs.mean(0) / self.temperature).softmax(1)
        return -(probabilities * torch.where(probabilities > 0.0, probabilities, 1.0).log()).sum(1)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {**super().get_params(), "of": self.of, "temperature": self.temperature}


def _entropy(probabilities: FloatArray) -> FloatArray:
    """Return the entropy of each row of probabilities, with 0 log 0 = 0."""
    logs = np.log(np.where(probabilities > 0.0, probabilities, 1.0))
    total: FloatArray = -(probabilities * logs).sum(axis=1)
    return total
