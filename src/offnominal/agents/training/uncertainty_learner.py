"""Base class of the learners of policies with uncertainty estimates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from gymnasium.spaces import Box, Discrete
from torch import Tensor

from offnominal.agents.training.checkpoint import State, load_modules_state_dict, modules_state_dict
from offnominal.agents.training.sequence_replay_buffer import NStepBatch
from offnominal.agents.training.uncertainty_settings import UncertaintyTrainingSettings
from offnominal.agents.uncertainty.batched_network import BatchedNetwork, DropoutMasks, normalise_images
from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.policy import UncertainPolicy

FINAL_RATE = 0.05
ADAM_EPS, ADAM_EPS_IMAGES = 1e-8, 1.5e-4
"""Epsilon of Adam: larger with image observations, whose gradients are small and noisy."""


class UncertaintyLearner(ABC):
    """Members that are trained together, each on its own transitions.

    Args:
        observation_shape: Shape of an observation.
        space: Action space.
        settings: Settings of the training.
        device: Device of the networks.
    """

    def __init__(
        self,
        observation_shape: tuple[int, ...],
        space: Box | Discrete,
        settings: UncertaintyTrainingSettings,
        device: torch.device,
    ) -> None:
        self.observation_shape, self.space, self.settings, self.device = observation_shape, space, settings, device
        ensemble = settings.uncertainty == "ensemble"
        self.members = settings.members
        self.probability = 0.0 if ensemble else settings.probability
        self.passes = settings.members if ensemble else settings.passes
        self.generator = torch.Generator(device=device).manual_seed(settings.seed)
        self.dropout_masks = None if ensemble else DropoutMasks(settings.uncertainty, self.probability, self.generator)
        self.learning_rate = torch.tensor(settings.learning_rate, device=device)
        self._build()

    @abstractmethod
    def _build(self) -> None:
        """Create the networks and optimizers."""

    @abstractmethod
    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Return actions for (members, rows, ...) observations, for collecting data.

        Args:
            observations: (members, rows, ...).
            share: Fraction of the steps taken; negative before the first gradient step.
        """

    @abstractmethod
    def update(self, batch: NStepBatch) -> None:
        """Take one gradient step of every member."""

    @abstractmethod
    def policy(self) -> UncertainPolicy:
        """Return the current policy."""

    def set_learning_rate(self, share: float) -> None:
        """Set the learning rate for a fraction of the training."""
        self.learning_rate.fill_(self.settings.learning_rate * max(1.0 - share, FINAL_RATE))

    def forward(self, network: BatchedNetwork, observations: Tensor, *, dropout_masks: bool) -> Tensor:
        """Return (members, batch, outputs); convolutions compute in half precision on a GPU."""
        if observations.dtype == torch.uint8:
            kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
            observations = normalise_images(observations, kind)
        return network(observations, self.dropout_masks if dropout_masks else None)  # type: ignore[no-any-return]

    def state_dict(self) -> State:
        """Return the state of networks, optimizers and random generator."""
        return {**modules_state_dict(self), "draw": self.generator.get_state()}

    def load_state_dict(self, state: State) -> None:
        """Restore a state."""
        load_modules_state_dict(self, state)
        self.generator.set_state(state["draw"].cpu())

    def moved(self, network: BatchedNetwork) -> BatchedNetwork:
        """Return a network on the device."""
        return network.to(self.device)

    def adam(self, network: BatchedNetwork) -> torch.optim.Optimizer:
        """Return Adam; its rate is a tensor, so that it follows the schedule."""
        cuda = self.device.type == "cuda"
        least = ADAM_EPS_IMAGES if network.convolutions else ADAM_EPS
        return torch.optim.Adam(network.parameters(), lr=self.learning_rate, eps=least, fused=True, capturable=cuda)

    def step(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        """Take one optimizer step. Members share no weights, so the sum of their losses trains each separately."""
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def update_target(self, target: BatchedNetwork, source: BatchedNetwork) -> None:
        """Update a target: a weighted mean with its source."""
        target.flat.lerp_(source.flat, self.settings.polyak)

    def exported(self, network: BatchedNetwork) -> Any:
        """Return the members in the form that a policy uses."""
        weights = network.flat.detach().cpu().numpy().copy()
        if not network.convolutions:
            return DenseNetworks(weights, network.sizes)
        from offnominal.agents.uncertainty.conv_networks import ConvNetworks

        return ConvNetworks(weights, network.inputs, network.sizes[len(network.convolutions) + 1 :])
