"""Exploration with actions that are held for several steps."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch

from offnominal.agents.training.checkpoint import State
from offnominal.core.types import Array


class HeldActions:
    """Holds single channels of actions at one of their limits for some steps.

    Noise that is independent at every step averages out; a held action moves a body somewhere else. The rate increases
    from zero in the first row of an agent to `rate` in the last.

    Args:
        seeds: Seed of each agent.
        rows: Simulations of each agent.
        width: Width of an action.
        rate: Largest probability per step that a channel starts to be held.
        steps: Largest number of steps for which it is held.

    Example:
        >>> actions = HeldActions([0], rows=3, width=2, rate=1.0, steps=9)(np.zeros((1, 3, 2), np.float32))
        >>> actions[0, 0].tolist(), np.abs(actions[0, 2]).tolist()
        ([0.0, 0.0], [1.0, 1.0])
    """

    def __init__(self, seeds: Sequence[int], *, rows: int, width: int, rate: float, steps: int) -> None:
        self.generators = [np.random.default_rng([seed, 1]) for seed in seeds]
        self.rates = rate * np.linspace(0.0, 1.0, rows)[:, None]
        self.steps = steps
        self.left = np.zeros((len(seeds), rows, width), np.int64)
        self.limits = np.zeros((len(seeds), rows, width), np.float32)

    def __call__(self, actions: Array) -> Array:
        """Return the actions of the next step, (agents, rows, width), with held channels in their place."""
        for generator, left, limits in zip(self.generators, self.left, self.limits, strict=True):
            starts = (generator.random(left.shape) < self.rates) & (left == 0)
            lengths = generator.integers(1, self.steps + 1, left.shape)
            signs = generator.integers(0, 2, left.shape) * 2 - 1
            left[starts], limits[starts] = lengths[starts], signs[starts]
        held = np.where(self.left > 0, self.limits, actions)
        np.maximum(self.left - 1, 0, out=self.left)
        return held

    def state(self) -> State:
        """Return the state."""
        return {
            "generators": generator_states(self.generators),
            "left": torch.from_numpy(self.left),
            "limits": torch.from_numpy(self.limits),
        }

    def restore(self, state: State) -> None:
        """Restore a state."""
        restore_generators(self.generators, state["generators"])
        self.left[:], self.limits[:] = state["left"].cpu().numpy(), state["limits"].cpu().numpy()


def generator_states(generators: Sequence[np.random.Generator]) -> list[str]:
    """Return the states of generators as text."""
    return [json.dumps(generator.bit_generator.state) for generator in generators]


def restore_generators(generators: Sequence[np.random.Generator], states: Sequence[str]) -> None:
    """Restore the states of generators.

    Example:
        >>> first, second = (np.random.default_rng(seed) for seed in (0, 1))
        >>> restore_generators([second], generator_states([first]))
        >>> first.random() == second.random()
        True
    """
    for generator, state in zip(generators, states, strict=True):
        generator.bit_generator.state = json.loads(state)
