"""RSSM-PPM: a world model decodes the next frame from its prior and its posterior; the score is their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector
from offnominal.detectors.images.prediction.world_model import ScoreName, WorldModel
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class RSSMPPM(PredictionDetector[WorldModel]):
    """Difference between the prior and the posterior of a world model at the next frame.

    A recurrent state-space model carries a state from frame to frame. The prior is its belief about the state before it
    gets the next frame, the posterior its belief afterwards. Scores use the means of both, so they are deterministic:

    * ``"pixels"``: mean absolute difference between the images decoded from prior and posterior, with black at -0.5 and
      white at 0.5.
    * ``"divergence"``: Kullback-Leibler divergence of the posterior from the prior.

    Args:
        score_name: ``"pixels"`` or ``"divergence"``.
        channels: Channels of the first convolution; the encoder has 1, 2, 4 and 8 times this number.
        stochastic: Size of the stochastic part of the state.
        deterministic: Size of the deterministic part of the state.
        hidden: Width of the layer before the recurrent cell.
        belief: Width of the hidden layers of prior and posterior.
        embedding: Size of the embedding of a frame.
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
        >>> detector = RSSMPPM(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    score_name: ScoreName = "pixels"
    channels: int = 32
    stochastic: int = 50
    deterministic: int = 200
    hidden: int = 400
    belief: int = 100
    embedding: int = 200
    sequence_length: int = 50
    batch_size: int = 50
    learning_rate: float = 6e-4
    weight_decay: float = 0.0
    max_grad_norm: float | None = 100.0

    def _network(self, shape: Shape, action: int) -> WorldModel:
        return WorldModel(
            shape,
            action,
            channels=self.channels,
            stochastic=self.stochastic,
            deterministic=self.deterministic,
            hidden=self.hidden,
            belief=self.belief,
            embedding=self.embedding,
            score_name=self.score_name,
        )

    def _batches(
        self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.sequence_batches(episodes, self.batch_size, self.sequence_length, random)
