"""DeepSVDD with the error of the public code of the paper: the hypersphere is never trained."""

from __future__ import annotations

from torch import Tensor

from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import code_width
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.deep_svdd import DeepSVDD, HypersphereNetwork
from offnominal.detectors.training import TrainingHistory


class OriginSVDD(DeepSVDD):
    """Distance from the origin of the code of an autoencoder.

    The public code scores with the encoder as it was before the hypersphere was trained, and with a centre of zeros.
    This holds for tables, and for images where one class is left out; where one is left in, its scores were corrected.
    """

    def _network(self, shape: Shape) -> HypersphereNetwork:
        layers = self._architecture(bias=True)
        return HypersphereNetwork(shape, code_width(self.latent, shape), layers, layers)

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        self._prepare(self._sphere(), rows, validation, random)
        return TrainingHistory()
