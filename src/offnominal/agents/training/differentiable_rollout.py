"""Differentiable rollouts: gradients of the return through the simulator by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.catalogue import has_threads, make_world
from offnominal.worlds.world import World

EPSILON = 1e-5
BATCH_SIZE = 2048


class DifferentiableRollout:
    """Simulates episodes of a world and differentiates their returns.

    The Jacobian of a transition is a finite difference between simulations of slightly different states and actions.
    The world must have positions and velocities as its whole state and observe some of them.

    Args:
        world: Id of the world.
        n: Number of episodes.
        gradient_interval: Number of transitions between two whose Jacobians are computed; the others are interpolated.
        max_state_gradient: Bound on the gradient of an episode's return by its state that is passed on to earlier
            transitions. Without it, the gradient of a failed episode could dominate all others.
        final_reward_weight: Additional weight of the last reward, for worlds in which the final state matters. The last
            action has no gradient then, because it cannot affect the final state.
        threads: Number of threads of the simulation, if it has any.

    Example:
        >>> rollout = DifferentiableRollout("MJC-CartpoleSwingup-v0", 4)
        >>> push = torch.zeros(1, requires_grad=True)
        >>> rollout(lambda observations: push.expand(4, 1), np.arange(4)).sum().backward()
        >>> push.grad.shape
        torch.Size([1])
    """

    def __init__(
        self,
        world: str,
        n: int,
        *,
        gradient_interval: int = 1,
        max_state_gradient: float = np.inf,
        final_reward_weight: float = 0.0,
        threads: int | None = None,
    ) -> None:
        options = {"threads": threads} if has_threads(world) else {}
        self.world, self.probe = (make_world(world, size, **options) for size in (n, BATCH_SIZE))
        self.gradient_interval, self.max_state_gradient, self.final_reward_weight = (
            gradient_interval,
            max_state_gradient,
            final_reward_weight,
        )
        self.limit = self.world.card.max_steps
        rows = np.arange(BATCH_SIZE)
        self.probe.reset(rows, rows, np.zeros_like(rows))
        self.observed = _observed(self.probe)
        self.width = sum(part.shape[1] for part in _mechanics(self.probe))

    def __call__(self, act: Callable[[Tensor], Tensor], seeds: IntArray) -> Tensor:
        """Return the return of each episode, differentiable with respect to the actions of `act`."""
        rows = np.arange(self.world.n)
        self.world.reset(rows, seeds, np.zeros_like(rows))
        state = torch.from_numpy(_state(self.world))
        total = torch.zeros(self.world.n, dtype=torch.float64)
        path = _Trajectory(self)
        for t in range(self.limit):
            actions = act(state[:, self.observed].float()).double()
            if self.final_reward_weight and t == self.limit - 1:
                actions = actions.detach()
            after: Tensor = _Transition.apply(state, actions, path)  # type: ignore[no-untyped-call]
            state, reward = after[:, :-1], after[:, -1]
            total = total + reward
        return total + self.final_reward_weight * reward

    def jacobians(self, states: FloatArray, actions: FloatArray, after: FloatArray, moving: IntArray) -> FloatArray:
        """Return the Jacobians of transitions by the moving parts of the state and by the actions.

        Args:
            states: (m, width): states before the transitions.
            actions: (m, actions): actions.
            after: (m, width + 1): states after the transitions, and rewards.
            moving: Indices of the parts of the state that ever change.
        """
        before = np.hstack([states, actions])
        columns = np.concatenate([moving, self.width + np.arange(actions.shape[1])])
        # Inwards, because there is no gradient beyond the bounds of an action.
        epsilons = np.where((columns >= self.width) & (before[:, columns] > 0.0), -EPSILON, EPSILON)
        perturbed = np.repeat(before[:, None], len(columns), axis=1)
        perturbed[:, np.arange(len(columns)), columns] += epsilons
        outcomes = self._outcomes(perturbed.reshape(-1, before.shape[1])).reshape(*perturbed.shape[:2], -1)
        change: FloatArray = (outcomes - after[:, None]) / epsilons[:, :, None]
        return change

    def _outcomes(self, before: FloatArray) -> FloatArray:
        found = np.empty((len(before), self.width + 1))
        actions = np.zeros((BATCH_SIZE, before.shape[1] - self.width))
        for first in range(0, len(before), BATCH_SIZE):
            part = before[first : first + BATCH_SIZE]
            rows = np.arange(len(part))
            positions, velocities = _mechanics(self.probe)
            positions[rows], velocities[rows] = np.split(part[:, : self.width], [positions.shape[1]], axis=1)
            actions[rows] = part[:, self.width :]
            self.probe.step(actions, rows)
            found[first : first + BATCH_SIZE] = _outcome(self.probe)[rows]
        return found


class _Trajectory:
    """Transitions of a rollout, and their Jacobians, computed on first use."""

    def __init__(self, rollout: DifferentiableRollout) -> None:
        self.rollout = rollout
        self.states: list[FloatArray] = []
        self.actions: list[FloatArray] = []
        self.after: list[FloatArray] = []
        self._knots: FloatArray | None = None
        self._moving: IntArray = np.empty(0, np.int64)

    def step(self, states: FloatArray, actions: FloatArray) -> FloatArray:
        world = self.rollout.world
        world.step(actions)
        self.states.append(states)
        self.actions.append(actions)
        self.after.append(_outcome(world))
        return self.after[-1]

    def back(self, t: int, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients by state and action of transition t, given the gradient by its outcome."""
        jacobians = self._jacobian(t)
        change = np.einsum("nio,no->ni", jacobians, gradient)
        size = np.linalg.norm(change[:, : len(self._moving)], axis=1, keepdims=True)
        change *= np.minimum(1.0, self.rollout.max_state_gradient / np.maximum(size, 1e-300))
        by_state = np.zeros_like(self.states[t])
        by_state[:, self._moving] = change[:, : len(self._moving)]
        return by_state, change[:, len(self._moving) :]

    def _jacobian(self, t: int) -> FloatArray:
        """Return the Jacobian of transition t, interpolated between the computed ones."""
        last, gradient_interval = len(self.states) - 1, self.rollout.gradient_interval
        if self._knots is None:
            self._knots = self._computed(sorted({*range(0, last, gradient_interval), last}))
        index = t // gradient_interval
        begin, end = index * gradient_interval, min(index * gradient_interval + gradient_interval, last)
        share = (t - begin) / max(end - begin, 1)
        nearest: FloatArray = self._knots[index]
        return nearest if share == 0.0 else (1.0 - share) * nearest + share * self._knots[index + 1]

    def _computed(self, knots: list[int]) -> FloatArray:
        states, actions, after = (
            np.concatenate([values[t] for t in knots]) for values in (self.states, self.actions, self.after)
        )
        self._moving = np.flatnonzero((np.stack(self.states) != self.states[0]).any(axis=(0, 1)))
        jacobians = self.rollout.jacobians(states, actions, after, self._moving)
        return jacobians.reshape(len(knots), -1, *jacobians.shape[1:])


class _Transition(torch.autograd.Function):
    """One transition of all episodes: (state, action) to (state, reward)."""

    @staticmethod
    def forward(ctx: Any, state: Tensor, action: Tensor, path: _Trajectory) -> Tensor:
        ctx.path, ctx.t = path, len(path.states)
        return torch.from_numpy(path.step(state.numpy(), action.numpy()))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        by_state, by_action = ctx.path.back(ctx.t, gradients[0].numpy())
        return torch.from_numpy(by_state), torch.from_numpy(by_action), None


def _mechanics(world: World) -> tuple[FloatArray, FloatArray]:
    """Return the positions and velocities of a world's rows, which are its whole state."""
    try:
        return world._qpos, world._qvel  # type: ignore[attr-defined]
    except AttributeError:
        raise InvalidParameter(
            f"{world.card.id} has no positions and velocities; only a mechanical world is differentiable."
        ) from None


def _state(world: World) -> FloatArray:
    return np.hstack(_mechanics(world)).astype(np.float64)


def _outcome(world: World) -> FloatArray:
    return np.hstack([_state(world), world.rewards[:, None]])


def _observed(world: World) -> IntArray:
    """Return the indices of the state that are observed."""
    generator = np.random.default_rng(0)
    for _ in range(3):
        world.step(generator.uniform(-1.0, 1.0, (world.n, *world.action_shape)))
    equal = (_state(world).astype(np.float32)[:, None, :] == world.observations[:, :, None]).all(axis=0)
    if not equal.any(axis=1).all():
        raise InvalidParameter(
            f"{world.card.id} observes more than its positions and velocities; it is not differentiable."
        )
    columns: IntArray = equal.argmax(axis=1)
    return columns
