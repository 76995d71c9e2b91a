"""DeepSVDD with the errors of the public code of the paper: the hypersphere is never trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import code_width
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.deep_svdd import DeepSVDD, HypersphereNetwork
from offnominal.detectors.training import TrainingHistory


class OriginSVDD(DeepSVDD):
    """Distance from the origin of the code of an autoencoder.

    The public code scores with the encoder as it was before the hypersphere was trained, and with a centre of zeros.
    This holds for tables, and for images where one class is left out; where one is left in, its scores were corrected.
    For images the training of the autoencoder is that of the public code too: it stops by the loss of the last training
    batch instead of validation images, and keeps the last weights.
    """

    def _network(self, shape: Shape) -> HypersphereNetwork:
        layers = self._architecture(bias=True)
        network = HypersphereNetwork(shape, code_width(self.latent, shape), layers, layers)
        if len(shape) > 1:
            network.apply(_initialise)
        return network

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        if rows.ndim == 2:
            self._prepare(self._sphere(), rows, validation, random)
        else:
            self._train_to_last_weights(rows, random)
        return TrainingHistory()

    def _train_to_last_weights(self, rows: Tensor, random: RandomNumbers) -> None:
        sphere = self._sphere()
        descent = self._pretraining(sphere)
        latest: list[Tensor] = [rows[: self.batch_size]]
        weights: dict[str, Tensor] = {}

        def loss(some: Tensor) -> Tensor:
            images = torch.sigmoid(sphere.decoder.mean(sphere.encoder(some)))
            return ((images - some) ** 2).flatten(1).sum(1).mean()

        def step(batch: Tensor, _: RandomNumbers) -> None:
            # A replayed step does not come here, but writes further batches into the same memory.
            latest[0] = batch
            descent(loss(batch))

        def check(_: RandomNumbers) -> float:
            weights.update({name: value.clone() for name, value in sphere.state_dict().items()})
            return float(loss(latest[0]))

        self._run_training(step, rows, random, check=check, max_iter=self.pretrain_iter)
        sphere.load_state_dict(weights)


def _initialise(module: nn.Module) -> None:
    """Draw weights as Flux does: uniformly after Glorot, without biases."""
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
