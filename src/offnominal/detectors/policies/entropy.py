"""The policy is undecided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.checks import one_of, positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.policies.policy_detector import ObservationDetector, ObservationName
from offnominal.detectors.policies.policy_source import PolicySource

Of = Literal["values", "votes"]


class Entropy(ObservationDetector):
    """Entropy of the choice, in nats: of a softmax over the mean values, or of the members' votes.

    Only for choices. Where many choices are equally good a policy is undecided without anything being wrong.

    Args:
        policy: Whom to ask; see :class:`ObservationDetector`.
        of: ``"values"``: a softmax over the mean of the predictions; ``"votes"``: the share of members or passes that
            would choose each.
        temperature: By which values are divided before the softmax.
        passes: How many predictions; as the policy has it if None.
        view: ``"next_observation"`` or ``"observation"``: what was seen after a transition, or before it.

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
                f"the policy acts in {self.policy_.space}; entropy is that of choices (Discrete). "
                "Use PolicyUncertainty for numbers."
            )

    def _anomaly_scores(self, observations: Array) -> FloatArray:
        if self.of == "votes":
            passes = self.policy_.outputs(observations, *self._streams(observations), passes=self.passes)
            votes = passes.argmax(axis=2)
            return _entropy(np.stack([(votes == choice).mean(axis=0) for choice in range(passes.shape[2])], axis=1))
        scaled = self.predicted(observations)[0] / self.temperature
        weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return _entropy(weights / weights.sum(axis=1, keepdims=True))

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {**super().get_params(), "of": self.of, "temperature": self.temperature}


def _entropy(shares: FloatArray) -> FloatArray:
    """Return the entropy of each row of shares; nothing counts nothing."""
    logs = np.log(np.where(shares > 0.0, shares, 1.0))
    total: FloatArray = -(shares * logs).sum(axis=1)
    return total
