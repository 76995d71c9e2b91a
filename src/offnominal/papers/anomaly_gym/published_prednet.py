"""PredNet with the errors of the public code of Anomaly-Gym, to measure their effect on published results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.detectors.images.prediction.frame_network import squared_image_error
from offnominal.detectors.images.prediction.predictive_coding import PredictiveCoding
from offnominal.detectors.images.prediction.prednet import PredNet


class PublishedCoding(PredictiveCoding):
    """Predictive coding of pixels from -1 to 1 with predictions that cannot be below zero.

    The arguments are those of :class:`~offnominal.detectors.images.prediction.predictive_coding.PredictiveCoding`.
    """

    pixel_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def _prediction(self, level: int, output: Tensor) -> Tensor:
        predicted: Tensor = self.predicts[level](output)
        return predicted.clamp(min=0.0)

    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the error of the frame before each transition, and the next state."""
        first = self._prediction(0, self.unpacked(state)[0][0])
        predicted, state = self(frames[:, :-1], state)
        late = torch.cat([first[:, None], predicted[:, :-1]], dim=1)
        return squared_image_error(late, frames[:, :-1]), state


@dataclass(kw_only=True, eq=False)
class PublishedPredNet(PredNet):
    """PredNet as in the public code of Anomaly-Gym.

    * Pixels are from -1 to 1, but predictions are not below zero: a dark pixel has a large error, however well it
      was foreseen.
    * The score of a transition is the error of the frame before it: it is one step late. That of the first transition
      is the error of a prediction from nothing.

    In the public code the network also forgets all but the last nine frames; here it keeps its state. The arguments
    are those of :class:`~offnominal.detectors.images.prediction.prednet.PredNet`.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = PublishedPredNet(channels=2, layers=3, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    NETWORK: ClassVar[type[PredictiveCoding]] = PublishedCoding
