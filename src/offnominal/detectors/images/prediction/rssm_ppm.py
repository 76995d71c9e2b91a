"""RSSM-PPM: a world model decodes the next frame from its prior and its posterior; the score is their difference."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.prediction_detector import SequencePredictionDetector
from offnominal.detectors.images.prediction.world_model import ScoreName, WorldModel


@dataclass(kw_only=True, eq=False)
class RSSMPPM(SequencePredictionDetector[WorldModel]):
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

    Note:
        :class:`SequencePredictionDetector` has the other arguments.

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
