"""Anomaly scores of episodes of frames, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray, Frames
from offnominal.detectors.images.image_scaling import ImageScaling, scale_pixels
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.sequence_network import padded

MAX_PIXELS = 2**22
"""Pixels that are scored at the same time: 256 frames of 128 × 128."""

MAX_EPISODES, MAX_BYTES = 64, 2**28
"""Number and size of the episodes that are in memory at the same time."""


class FrameScorer:
    """Scores episodes with a trained network.

    Args:
        network: Network in evaluation mode.
        scaling: Scaling of its inputs.
        device: Device of the network.
    """

    def __init__(self, network: FrameNetwork, scaling: ImageScaling, device: torch.device) -> None:
        self.network = network
        self.scaling = scaling
        self.device = device

    def score_episodes(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return the anomaly scores of each episode; episodes are read in groups that fit into memory."""
        return [scores for group in episode_groups(episodes) for scores in self.score_group(group)]

    @torch.inference_mode()
    def score_group(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return the anomaly scores of episodes that are processed in parallel."""
        lengths = [len(episode) for episode in episodes]
        scores = [np.empty(length) for length in lengths]
        state = torch.zeros(len(episodes), self.network.state_size, device=self.device)
        order = sorted(range(len(episodes)), key=lambda i: -lengths[i])
        begin, max_frames = 0, MAX_PIXELS // int(np.prod(self.scaling.shape[1:]))
        while order:
            end = min(begin + max(1, max_frames // len(order)), lengths[order[0]])
            running = [episodes[i] for i in order]
            frames = padded([episode.observations[begin : end + 1] for episode in running])
            actions = padded([self.scaling.actions(episode.actions[begin:end]) for episode in running])
            scored, state = self.score_steps(frames, actions, state)
            for i, row in zip(order, scored, strict=True):
                part = slice(begin, min(end, lengths[i]))
                scores[i][part] = row[: part.stop - part.start]
            begin, order = end, [i for i in order if lengths[i] > end]
            state = state[: len(order)]
        return scores

    @torch.inference_mode()
    def score_steps(self, frames: Frames, actions: SinglePrecision, state: Tensor) -> tuple[Array, Tensor]:
        """Return anomaly scores (n, time) of consecutive transitions, and the state after them.

        Args:
            frames: (n, time + 1, 3, H, W) uint8.
            actions: (n, time, width), normalised.
            state: (n, state_size), on any device.
        """
        # The device transposes: a host takes longer than the network does.
        channels_last = torch.from_numpy(frames).to(self.device).movedim(2, -1).contiguous()
        pixels = scale_pixels(channels_last.movedim(-1, 2), *self.network.pixel_range)
        inputs = torch.from_numpy(np.asarray(actions, np.float32)).to(self.device)
        with deterministic_kernels(self.device):
            scores, state = self.network.anomaly_scores(pixels, inputs, state.to(self.device))
        return scores.cpu().numpy(), state


def episode_groups(episodes: Sequence[Episode]) -> Iterator[list[Episode]]:
    """Yield groups of consecutive episodes that fit into memory together; each episode is read once."""
    group: list[Episode] = []
    for episode in episodes:
        group.append(episode)
        if len(group) >= MAX_EPISODES or sum(member.observations.nbytes for member in group) >= MAX_BYTES:
            yield group
            group = []
    if group:
        yield group
