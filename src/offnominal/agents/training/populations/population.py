"""Agents of several seeds that learn at once: what all algorithms have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from gymnasium.spaces import Box
from torch import Tensor, nn

from offnominal.agents.network import NetworkPolicy
from offnominal.core.cuda_graph import capture
from offnominal.core.errors import InvalidParameter


class Population(ABC):
    """Agents of the same settings, each with weights and random numbers of its own.

    A learner of a small network leaves a GPU idle. Five of them stacked take little longer than one.

    Args:
        seeds: Seed of the random numbers of each agent. Those of an agent do not depend on the other agents.
        device: Device of the tensors.
        learning_rate: Initial learning rate.

    Attributes:
        draws: Random numbers of the agents.
        learning_rate: Learning rate, which a captured graph reads at every replay.
    """

    def __init__(self, seeds: Sequence[int], device: torch.device, learning_rate: float) -> None:
        self.device = device
        self.draws = CounterDraws(seeds, device)
        self.learning_rate = torch.tensor(learning_rate, device=device)

    @abstractmethod
    def standardize(self, observations: Tensor) -> None:
        """Take mean and standard deviation of the observations from (agents, rows, channels)."""

    @abstractmethod
    def policies(self, space: Box) -> list[NetworkPolicy]:
        """Return the greedy policy of each agent, which runs without torch."""

    @abstractmethod
    def compile(self) -> None:
        """Compile the losses into few kernels."""

    def tensors(self) -> dict[str, Tensor]:
        """Return every tensor that training changes, by name."""
        found = {"draws": self.draws.counter}
        for name, part in vars(self).items():
            if isinstance(part, torch.optim.Optimizer):
                found |= _optimizer_tensors(name, part)
            elif isinstance(part, nn.Module):
                found |= {f"{name}.{key}": value for key, value in part.state_dict().items()}
            elif isinstance(part, Tensor):
                found[name] = part.detach()
        return found

    @torch.no_grad()
    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Set the tensors to those of a state, in place: a captured graph has their addresses."""
        tensors = self.tensors()
        if tensors.keys() != state.keys():
            raise InvalidParameter(
                f"the state has other tensors: {sorted(tensors.keys() ^ state.keys())} are only on one side."
            )
        for name, tensor in tensors.items():
            if tensor.shape != state[name].shape:
                raise InvalidParameter(
                    f"{name} of the state has shape {tuple(state[name].shape)}; expected {tuple(tensor.shape)}."
                )
            tensor.copy_(state[name])

    def capture(self, function: Callable[[], None], *more: Tensor) -> torch.cuda.CUDAGraph:
        """Return a graph of a function; what it changed while it was captured is undone.

        Args:
            function: Function to capture.
            *more: Other tensors that it changes.
        """
        changed = [*self.tensors().values(), *more]
        kept = [tensor.clone() for tensor in changed]
        graph = capture(function)
        with torch.no_grad():
            for tensor, value in zip(changed, kept, strict=True):
                tensor.copy_(value)
        return graph


def step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Take one optimizer step on a loss."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def _optimizer_tensors(name: str, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the tensors of an optimizer's state."""
    states: list[dict[str, Any]] = [optimizer.state[each] for each in optimizer.param_groups[0]["params"]]
    return {f"{name}.{index}.{key}": value for index, state in enumerate(states) for key, value in state.items()}


GOLDEN = 0x9E3779B97F4A7C15 - 2**64
FIRST, SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64
"""Constants of SplitMix64 (Steele et al., 2014), as signed integers."""
BITS = 24
"""Bits of a number in single precision."""


class CounterDraws:
    """A stream of random numbers per agent; a captured graph draws new ones at every replay.

    Args:
        seeds: Seed of each agent.
        device: Device of the numbers.

    Example:
        >>> both, alone = (CounterDraws(seeds, torch.device("cpu")) for seeds in ([3, 7], [7]))
        >>> bool((both.uniform(5)[1] == alone.uniform(5)[0]).all())
        True
    """

    def __init__(self, seeds: Sequence[int], device: torch.device) -> None:
        self.keys = mixed(torch.tensor([seed + 1 for seed in seeds], device=device) * GOLDEN)
        self.counter = torch.zeros((), dtype=torch.int64, device=device)

    def uniform(self, *shape: int) -> Tensor:
        """Return (agents, *shape) numbers uniform on [0, 1)."""
        return _fraction(_shifted(self._words(shape), 64 - BITS))

    def normal(self, *shape: int) -> Tensor:
        """Return (agents, *shape) standard normal numbers, by the transform of Box and Muller."""
        words = self._words(shape)
        radius = _fraction(_shifted(words, 64 - BITS)) + 0.5 * 2.0**-BITS
        turn = _fraction(words & (2**BITS - 1))
        return (-2.0 * radius.log()).sqrt() * (2.0 * math.pi * turn).cos()

    def _words(self, shape: tuple[int, ...]) -> Tensor:
        """Return (agents, *shape) random words."""
        self.counter += 1
        keys = mixed(self.keys + self.counter * GOLDEN)
        numbers = torch.arange(1, math.prod(shape) + 1, device=keys.device)
        return mixed(keys[:, None] + numbers * GOLDEN).view(-1, *shape)


def mixed(words: Tensor) -> Tensor:
    """Return the words with their bits mixed, as SplitMix64 does."""
    words = (words ^ _shifted(words, 30)) * FIRST
    words = (words ^ _shifted(words, 27)) * SECOND
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, count: int) -> Tensor:
    """Return the words shifted to the right, with zeros on the left."""
    return words.bitwise_right_shift(count).bitwise_and(2 ** (64 - count) - 1)


def _fraction(words: Tensor) -> Tensor:
    """Return the fractions of one that small words count."""
    return words.float().mul(2.0**-BITS)
