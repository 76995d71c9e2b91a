"""The policy expects little."""

from __future__ import annotations

from offnominal.core.types import Array, FloatArray
from offnominal.detectors.policy.policy_detector import MomentDetector, values_of


class QValue(MomentDetector):
    """How little the policy expects from here on: minus the value of the action it would choose.

    For arguments see :class:`MomentDetector`.

    Example:
        >>> import offnominal as off
        >>> nominal = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 5)
        >>> QValue().fit(nominal).score(nominal)[0].max() < 0.0
        np.True_
    """

    def _strangeness(self, observations: Array) -> FloatArray:
        return -values_of(self.policy_, self.predicted(observations)[0], observations)
