"""PredNet: stacked convolutional LSTMs predict the next frame; the anomaly score is the prediction error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.prediction_detector import SequencePredictionDetector
from offnominal.detectors.images.prediction.predictive_coding import PredictiveCoding
from offnominal.detectors.parameters import Range


@dataclass(kw_only=True, eq=False)
class PredNet(SequencePredictionDetector[PredictiveCoding]):
    """Error of a predictive coding network that predicts the next frame from all frames so far.

    The anomaly score is the mean over pixels of the squared error, with black at 0 and white at 1. The network does not
    use the actions.

    Args:
        channels: Channels of the second level; each higher level has twice as many. The first level has the three
            colours.
        layers: Number of levels, including the pixel level; height and width must be divisible by 2 ** (layers - 1).

    Note:
        :class:`SequencePredictionDetector` has the other arguments.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = PredNet(channels=2, layers=3, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"layers": Range(1, 20)}
    NETWORK: ClassVar[type[PredictiveCoding]] = PredictiveCoding

    channels: int = 48
    layers: int = 4
    sequence_length: int = 10
    n_epochs: int = 100
    batch_size: int = 16
    weight_decay: float = 0.0

    def _network(self, shape: Shape, action: int) -> PredictiveCoding:
        divisor = 1 << (self.layers - 1)
        if shape[1] % divisor or shape[2] % divisor:
            raise InvalidParameter(
                f"the images have {shape[1]} × {shape[2]} pixels; PredNet with {self.layers} layers needs sides "
                f"divisible by {divisor}. Record images of such a size, or give fewer layers."
            )
        return self.NETWORK(shape, channels=self.channels, layers=self.layers)
