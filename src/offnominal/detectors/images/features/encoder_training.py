"""Self-supervised training of the encoder: views of the same moment get similar features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.images.features.encoder_backbone import EncoderBackbone
from offnominal.detectors.training import GradientStep, train

INVARIANCE, VARIANCE, COVARIANCE = 25.0, 25.0, 1.0
"""Weights of the three terms of VICReg."""

MAX_SHIFT = 1 / 64
"""Largest shift of a view, as a fraction of the longer side."""


@dataclass(frozen=True, slots=True)
class NominalFrames:
    """Nominal frames in temporal order.

    Args:
        frames: (n, 3, H, W) uint8.
        next_index: (n,): index of the next frame of the episode; the last frame has its own index.
    """

    frames: Tensor
    next_index: IntArray

    @classmethod
    def of(
        cls, episodes: Sequence[Episode], limit: int, draw: np.random.Generator, device: torch.device
    ) -> NominalFrames:
        """Return the frames of whole episodes in random order, up to a limit."""
        chosen: list[Tensor] = []
        next_index: list[IntArray] = []
        count = 0
        for number in draw.permutation(len(episodes)):
            if count >= limit:
                break
            frames = episodes[int(number)].observations[: limit - count]
            chosen.append(torch.from_numpy(np.ascontiguousarray(frames)).to(device))
            next_index.append(count + np.minimum(np.arange(1, len(frames) + 1), len(frames) - 1))
            count += len(frames)
        return cls(torch.cat(chosen), np.concatenate(next_index))

    def __len__(self) -> int:
        return len(self.frames)

    def views(self, n: int, draw: np.random.Generator) -> Tensor:
        """Return two views of n random moments, (2 n, 3, H, W): all first views, then all second views."""
        first = draw.choice(len(self), n, replace=False)
        second = np.where(draw.random(n) < 0.5, self.next_index[first], first)
        return torch.cat([_view(self.frames, index, draw) for index in (first, second)])


def train_encoder(
    encoder: EncoderBackbone,
    nominal_frames: NominalFrames,
    *,
    n_epochs: int,
    max_updates: int,
    batch_size: int,
    learning_rate: float,
    draw: np.random.Generator,
) -> FloatArray:
    """Train an encoder in place and return the loss of every update.

    The objective is VICReg (Bardes et al., 2022). The two views are a frame and either the same frame or the next one,
    each shifted by up to 1/64 of its side. The encoder becomes invariant to the differences between views, so these are
    small: larger shifts, other lighting or noise would hide faults.

    Args:
        encoder: Encoder on the device of the frames.
        nominal_frames: Training frames.
        n_epochs: Number of passes over the frames.
        max_updates: Number of updates at most.
        batch_size: Frames per update.
        learning_rate: Largest learning rate; it rises during a tenth of the updates and falls to zero along a cosine.
        draw: Source of all random numbers.
    """
    n = min(batch_size, len(nominal_frames))
    n_updates = min(max_updates, n_epochs * max(1, len(nominal_frames) // n))
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=learning_rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=n_updates + 1, pct_start=0.1)
    step = GradientStep(optimizer, schedule=schedule)
    device = nominal_frames.frames.device

    def loss(views: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
            embedded = encoder.features(encoder.standardised(views)).embedded.float()
        return vicreg(*embedded.chunk(2))

    with deterministic_kernels(device):
        history = train(
            encoder,
            lambda views: step(loss(views)),
            lambda _: [nominal_frames.views(n, draw)],
            n_epochs=n_updates,
            title="Training the encoder",
        )
    return history.training_curve()


def vicreg(first: Tensor, second: Tensor) -> Tensor:
    """Return the VICReg loss of two views of n moments, (n, width) each.

    It is the weighted sum of the squared distance between views, a hinge loss on the standard deviation of every
    feature, and the squared covariances between features.
    """
    invariance = functional.mse_loss(first, second)
    variance, covariance = zip(*(_variance_and_covariance(view) for view in (first, second)), strict=True)
    return (
        INVARIANCE * invariance + VARIANCE * torch.stack(variance).mean() + COVARIANCE * torch.stack(covariance).sum()
    )


def _variance_and_covariance(view: Tensor) -> tuple[Tensor, Tensor]:
    centred = view - view.mean(dim=0)
    n, width = view.shape
    covariance = centred.T @ centred / max(1, n - 1)
    deviation = torch.sqrt(covariance.diagonal() + 1e-4)
    off_diagonal = covariance.square().sum() - covariance.diagonal().square().sum()
    return functional.relu(1.0 - deviation).mean(), off_diagonal / width


def _view(frames: Tensor, index: IntArray, draw: np.random.Generator) -> Tensor:
    """Return images in [0, 1] with random shifts; the border is repeated."""
    device, (height, width) = frames.device, frames.shape[-2:]
    images = frames[torch.from_numpy(index).to(device)]
    max_shift = max(1, round(MAX_SHIFT * max(height, width)))
    down, right = (torch.from_numpy(shift) for shift in draw.integers(-max_shift, max_shift + 1, (2, len(index))))
    rows = (torch.arange(height) + down[:, None]).clamp(0, height - 1).to(device)
    columns = (torch.arange(width) + right[:, None]).clamp(0, width - 1).to(device)
    which = torch.arange(len(index), device=device)[:, None, None]
    moved: Tensor = images.permute(0, 2, 3, 1)[which, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
    return moved.float() / 255.0
