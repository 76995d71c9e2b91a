"""What the learners of agents with uncertainty have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from gymnasium.spaces import Box, Discrete
from torch import Tensor

from offnominal.agents.learning.checkpoint import State, parts_state, restore_parts
from offnominal.agents.learning.ring import Lived
from offnominal.agents.learning.uncertain_settings import UncertainSettings
from offnominal.agents.uncertain.dense import DenseMembers
from offnominal.agents.uncertain.member_network import Gaps, MemberNetwork, centred
from offnominal.agents.uncertain.policy import UncertainPolicy

FINAL_RATE = 0.05
LEAST, LEAST_OF_PICTURES = 1e-8, 1.5e-4
"""What Adam divides by at least: more where pictures are seen, whose gradients are small and noisy."""


class MemberLearner(ABC):
    """Members that learn side by side, each from its own transitions.

    Args:
        seen: Shape of an observation.
        space: Action space.
        settings: What to learn and how.
        device: Where.
    """

    def __init__(
        self, seen: tuple[int, ...], space: Box | Discrete, settings: UncertainSettings, device: torch.device
    ) -> None:
        self.seen, self.space, self.settings, self.device = seen, space, settings, device
        ensemble = settings.uncertainty == "ensemble"
        self.members = settings.members
        self.probability = 0.0 if ensemble else settings.probability
        self.passes = settings.members if ensemble else settings.passes
        self.draw = torch.Generator(device=device).manual_seed(settings.seed)
        self.gaps = None if ensemble else Gaps(settings.uncertainty, self.probability, self.draw)
        self.rate = torch.tensor(settings.rate, device=device)
        self._build()

    @abstractmethod
    def _build(self) -> None:
        """Make the networks and what trains them."""

    @abstractmethod
    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Return actions for (members, rows, ...) observations, for collecting data.

        Args:
            observations: What is seen.
            share: How many of the steps were taken; negative before learning begins.
        """

    @abstractmethod
    def update(self, lived: Lived) -> None:
        """Take one gradient step of every member."""

    @abstractmethod
    def policy(self) -> UncertainPolicy:
        """Return the policy as it is now."""

    def set_rate(self, share: float) -> None:
        """Set the learning rate that belongs to a share of the training."""
        self.rate.fill_(self.settings.rate * max(1.0 - share, FINAL_RATE))

    def forward(self, network: MemberNetwork, observations: Tensor, *, gaps: bool) -> Tensor:
        """Return (members, batch, outputs); pictures are filtered in half precision on a GPU."""
        if observations.dtype == torch.uint8:
            kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
            observations = centred(observations, kind)
        return network(observations, self.gaps if gaps else None)  # type: ignore[no-any-return]

    def state(self) -> State:
        """Return everything that is learned, optimizers and the place in the random numbers included."""
        return {**parts_state(self), "draw": self.draw.get_state()}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        restore_parts(self, state)
        self.draw.set_state(state["draw"].cpu())

    def moved(self, network: MemberNetwork) -> MemberNetwork:
        """Return a network on the device."""
        return network.to(self.device)

    def adam(self, network: MemberNetwork) -> torch.optim.Optimizer:
        """Return Adam; its rate is a tensor so that it follows the schedule."""
        cuda = self.device.type == "cuda"
        least = LEAST_OF_PICTURES if network.filters else LEAST
        return torch.optim.Adam(network.parameters(), lr=self.rate, eps=least, fused=True, capturable=cuda)

    def step(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        """Descend a loss. Members do not share a weight, so the sum of their losses trains each alone."""
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def follow(self, target: MemberNetwork, source: MemberNetwork) -> None:
        """Move a target towards its source."""
        target.flat.lerp_(source.flat, self.settings.polyak)

    def exported(self, network: MemberNetwork) -> Any:
        """Return the members as the policy holds them."""
        weights = network.flat.detach().cpu().numpy().copy()
        if not network.filters:
            return DenseMembers(weights, network.sizes)
        from offnominal.agents.uncertain.pictures import PictureMembers

        return PictureMembers(weights, network.inputs, network.sizes[len(network.filters) + 1 :])
