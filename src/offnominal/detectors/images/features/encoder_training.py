"""How the encoder learns: two views of one moment should look alike, and different moments should not."""

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

ALIKE, SPREAD, APART = 25.0, 25.0, 1.0
SHIFT = 1 / 64


@dataclass(frozen=True, slots=True)
class NominalFrames:
    """Nominal pictures in the order they were taken.

    Args:
        frames: (n, 3, height, width), bytes.
        later: (n,): the number of the picture that was taken next; the last of an episode has itself.
    """

    frames: Tensor
    later: IntArray

    @classmethod
    def of(
        cls, episodes: Sequence[Episode], limit: int, draw: np.random.Generator, place: torch.device
    ) -> NominalFrames:
        """Take whole episodes, in a random order, until there are enough pictures."""
        chosen: list[Tensor] = []
        later: list[IntArray] = []
        count = 0
        for number in draw.permutation(len(episodes)):
            if count >= limit:
                break
            seen = episodes[int(number)].observations[: limit - count]
            chosen.append(torch.from_numpy(np.ascontiguousarray(seen)).to(place))
            later.append(count + np.minimum(np.arange(1, len(seen) + 1), len(seen) - 1))
            count += len(seen)
        return cls(torch.cat(chosen), np.concatenate(later))

    def __len__(self) -> int:
        return len(self.frames)

    def views(self, n: int, draw: np.random.Generator) -> Tensor:
        """Return two views each of n random moments, (2 n, 3, height, width): all first ones, then all second ones."""
        first = draw.choice(len(self), n, replace=False)
        second = np.where(draw.random(n) < 0.5, self.later[first], first)
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
    """Train an encoder in place and return the loss of every gradient step.

    The objective is VICReg (Bardes et al., 2022). The two views are a picture and itself or the next one of its
    episode, each shifted by up to 1/64 of its side. What views differ in is what the encoder learns not to see, so they
    differ in little: another place, another light or noise also are what a fault looks like.

    Args:
        encoder: On the device of the pictures.
        nominal_frames: What it learns from.
        n_epochs: Passes over the pictures.
        max_updates: Gradient steps at most.
        batch_size: Pictures per step.
        learning_rate: Largest learning rate; it rises for a tenth of the steps and falls to zero along a cosine.
        draw: Decides everything random.
    """
    together = min(batch_size, len(nominal_frames))
    steps = min(max_updates, n_epochs * max(1, len(nominal_frames) // together))
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=learning_rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps + 1, pct_start=0.1)
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
            lambda _: [nominal_frames.views(together, draw)],
            n_epochs=steps,
            title="Training the encoder",
        )
    return history.training_curve()


def vicreg(first: Tensor, second: Tensor) -> Tensor:
    """Return the loss of two views of n moments, (n, width) each.

    Views of a moment are drawn together, every channel is kept from collapsing by a floor under its standard deviation,
    and no two channels may say the same.
    """
    alike = functional.mse_loss(first, second)
    spread, apart = zip(*(_variety(view) for view in (first, second)), strict=True)
    return ALIKE * alike + SPREAD * torch.stack(spread).mean() + APART * torch.stack(apart).sum()


def _variety(view: Tensor) -> tuple[Tensor, Tensor]:
    centred = view - view.mean(dim=0)
    n, width = view.shape
    covariance = centred.T @ centred / max(1, n - 1)
    deviation = torch.sqrt(covariance.diagonal() + 1e-4)
    between = covariance.square().sum() - covariance.diagonal().square().sum()
    return functional.relu(1.0 - deviation).mean(), between / width


def _view(frames: Tensor, index: IntArray, draw: np.random.Generator) -> Tensor:
    """Return pictures from 0 to 1, each shifted at random; what a shift uncovers repeats the border."""
    place, (height, width) = frames.device, frames.shape[-2:]
    images = frames[torch.from_numpy(index).to(place)]
    furthest = max(1, round(SHIFT * max(height, width)))
    down, right = (torch.from_numpy(each) for each in draw.integers(-furthest, furthest + 1, (2, len(index))))
    rows = (torch.arange(height) + down[:, None]).clamp(0, height - 1).to(place)
    columns = (torch.arange(width) + right[:, None]).clamp(0, width - 1).to(place)
    which = torch.arange(len(index), device=place)[:, None, None]
    moved: Tensor = images.permute(0, 2, 3, 1)[which, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
    return moved.float() / 255.0
