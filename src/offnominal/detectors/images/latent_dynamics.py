"""Latent dynamics: what a picture is in a few numbers, and how an action moves these on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_scaling import Shape

HIDDEN = (512, 128)


class LatentDynamics(nn.Module):
    """Encoder, perceptron, decoder; and a GRU whose output the perceptron sees beside the present, if it has one.

    Args:
        shape: Of the pictures.
        action: Numbers per action.
        channels: Of encoder and decoder.
        latent: Numbers that stand for a picture.
        recurrent_size: Width of the GRU; 0 for none.
        layers: Of the GRU.
    """

    def __init__(
        self, shape: Shape, action: int, *, channels: int, latent: int, recurrent_size: int = 0, layers: int = 1
    ) -> None:
        super().__init__()
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
        """Return the pictures after frames (n, time, 3, H, W) and actions, and the state (n, layers × memory) then."""
        inputs = torch.cat([self.encoder(frames), actions], dim=-1)
        if self.gru is not None:
            remembered, state = self._remembering(self.gru, inputs, state)
            inputs = torch.cat([inputs, remembered], dim=-1)
        return self.decoder(self.dynamics(inputs)), state

    @staticmethod
    def _remembering(gru: nn.GRU, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        before = state.view(len(state), gru.num_layers, -1).transpose(0, 1).contiguous()
        with torch.autocast(inputs.device.type, enabled=False):
            outputs, after = gru(inputs.float(), before)
        return outputs, after.transpose(0, 1).flatten(1)
