"""Negative action value of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.types import Array, FloatArray
from offnominal.detectors.policies.policy_detector import ObservationDetector, values_of

if TYPE_CHECKING:
    from torch import Tensor


class QValue(ObservationDetector):
    """Negative value of the policy's own action.

    For the arguments, see :class:`ObservationDetector`.

    Example:
        >>> import offnominal as off
        >>> nominal = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 5)
        >>> QValue().fit(nominal).score(nominal)[0].max() < 0.0
        np.True_
    """

    def _anomaly_scores(self, observations: Array) -> FloatArray:
        return -values_of(self.policy_, self.predicted(observations)[0], observations)

    def _torch_scores(self, observations: Tensor) -> Tensor:
        return -self._torch_values(self._torch_predicted(observations)[0], observations)
