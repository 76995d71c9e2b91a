"""PredNet: stacked convolutional LSTMs predict the next frame; the anomaly score is the prediction error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector
from offnominal.detectors.images.prediction.predictive_coding import PredictiveCoding
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class PredNet(PredictionDetector[PredictiveCoding]):
    """Error of a predictive coding network that predicts the next frame from all frames so far.

    The anomaly score is the mean over pixels of the squared error, with black at 0 and white at 1. The network does not
    use the actions.

    Args:
        channels: Channels of the second level; each higher level has twice as many. The first level has the three
            colours.
        layers: Number of levels, including the pixel level; height and width must be divisible by 2 ** (layers - 1).
        sequence_length: Transitions of an episode per update; the recurrent state is carried to the next update.
        n_epochs: Number of epochs at most. Zero keeps the random initial weights: the untrained twin.
        min_updates: Number of updates of an epoch at least; an epoch repeats the episodes until it is reached.
        patience: Number of epochs without a smaller validation loss after which training stops.
        batch_size: Episodes per update.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        max_grad_norm: Largest norm of the gradient; None for no clipping.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Precision of training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for bfloat16 on a GPU only.

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

    def _batches(
        self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.sequence_batches(episodes, self.batch_size, self.sequence_length, random)
