"""Latent dynamics: encode a frame, predict the next latent vector from it and the action, decode the next frame."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_network import FrameNetwork, squared_image_error

HIDDEN = (512, 128)


class LatentDynamics(FrameNetwork):
    """Convolutional encoder, multilayer perceptron and decoder, optionally with a GRU over the episode so far.

    Args:
        shape: Image shape.
        action: Width of an action.
        channels: Channels of the first convolution of the encoder and of the last one of the decoder.
        latent: Size of the latent vector.
        recurrent_size: Hidden size of the GRU; 0 for no GRU.
        layers: Number of layers of the GRU.
    """

    def __init__(
        self, shape: Shape, action: int, *, channels: int, latent: int, recurrent_size: int = 0, layers: int = 1
    ) -> None:
        super().__init__()
        self.state_size = layers * recurrent_size
        self.encoder = ConvEncoder(shape, channels=channels, outputs=latent)
        self.gru = nn.GRU(latent + action, recurrent_size, layers, batch_first=True) if recurrent_size else None
        wide, narrow = HIDDEN
        self.dynamics = nn.Sequential(
            nn.Linear(latent + action + recurrent_size, wide),
            nn.ReLU(),
            nn.Linear(wide, narrow),
            nn.ReLU(),
            nn.Linear(narrow, latent),
            nn.ReLU(),
        )
        self.decoder = ConvDecoder(shape, channels=channels, inputs=latent)

    def forward(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the prediction of the frame after each of frames (n, time, 3, H, W), and the next state."""
        inputs = torch.cat([self.encoder(frames), actions], dim=-1)
        if self.gru is not None:
            outputs, state = self._recurrent_outputs(self.gru, inputs, state)
            inputs = torch.cat([inputs, outputs], dim=-1)
        return self.decoder(self.dynamics(inputs)), state

    @staticmethod
    def _recurrent_outputs(gru: nn.GRU, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        hidden = state.view(len(state), gru.num_layers, -1).transpose(0, 1).contiguous()
        with torch.autocast(inputs.device.type, enabled=False):
            outputs, hidden = gru(inputs.float(), hidden)
        return outputs, hidden.transpose(0, 1).flatten(1)

    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean squared error of each predicted frame, and the next state."""
        predicted, state = self(frames[:, :-1], actions, state)
        return squared_image_error(predicted, frames[:, 1:]), state
