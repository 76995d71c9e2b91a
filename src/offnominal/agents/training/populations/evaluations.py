"""Evaluations of the agents of a population during their training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import astuple
from typing import NamedTuple

import torch
from gymnasium.spaces import Box

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.loop import Evaluation

Evaluator = Callable[[NetworkPolicy], "Future[tuple[float, float]]"]
"""Function that starts the evaluation of a policy: its mean return and success rate."""
Report = Callable[[int, list[Evaluation], NetworkPolicy], None]
"""Function that gets the seed of an agent, its learning curve and its best policy."""


class _Pending(NamedTuple):
    agent: int
    steps: int
    seconds: float
    policy: NetworkPolicy
    result: Future[tuple[float, float]]


class PopulationEvaluations:
    """Evaluates the policies at equal distances without waiting, reports, and keeps the best of each agent.

    Args:
        space: Space of the actions.
        seeds: Seed of each agent.
        evaluator: Evaluates a policy, in another process if the training is not to wait.
        count: Number of evaluations.
        report: Called after each evaluation.
    """

    def __init__(self, space: Box, seeds: Sequence[int], evaluator: Evaluator, count: int, report: Report) -> None:
        self.space, self.seeds, self.evaluator, self.count, self.report = space, seeds, evaluator, count, report
        self.curves: list[list[Evaluation]] = [[] for _ in seeds]
        self._best: list[NetworkPolicy | None] = [None for _ in seeds]
        self._pending: list[_Pending] = []
        self._next = 1

    def due(self, share: float) -> bool:
        """Whether the next evaluation is due after a fraction of the training."""
        if share * self.count < self._next:
            return False
        self._next = int(share * self.count) + 1
        return True

    def start(self, policies: Sequence[NetworkPolicy], steps: int, seconds: float) -> None:
        """Start the evaluation of the policies of all agents."""
        for agent, policy in enumerate(policies):
            self._pending.append(_Pending(agent, steps, seconds, policy, self.evaluator(policy)))

    def collect(self, *, wait: bool = False) -> None:
        """Report the evaluations that are done, in their order; with `wait` all of them."""
        while self._pending and (wait or self._pending[0].result.done()):
            agent, steps, seconds, policy, result = self._pending.pop(0)
            curve = self.curves[agent]
            curve.append(Evaluation(steps, seconds, *result.result()))
            if curve[-1].mean_return > max((each.mean_return for each in curve[:-1]), default=float("-inf")):
                self._best[agent] = policy
            self._report(agent)

    def best(self) -> list[tuple[NetworkPolicy, list[Evaluation]]]:
        """Return the policy of each agent with the largest mean return, and its learning curve."""
        self.collect(wait=True)
        return [(policy, curve) for policy, curve in zip(self._best, self.curves, strict=True) if policy is not None]

    def state(self) -> State:
        """Return the state, with the policies whose evaluation is not over."""
        return {
            "next": self._next,
            "curves": [[astuple(each) for each in curve] for curve in self.curves],
            "best": [None if policy is None else _policy_state(policy) for policy in self._best],
            "pending": [[each.agent, each.steps, each.seconds, _policy_state(each.policy)] for each in self._pending],
        }

    def restore(self, state: State) -> None:
        """Restore a state, start the evaluations that were not over, and report what is known."""
        self._next = state["next"]
        self.curves = [[Evaluation(*each) for each in curve] for curve in state["curves"]]
        self._best = [None if each is None else _policy_of(each, self.space) for each in state["best"]]
        for agent, steps, seconds, kept in state["pending"]:
            policy = _policy_of(kept, self.space)
            self._pending.append(_Pending(agent, steps, seconds, policy, self.evaluator(policy)))
        for agent in range(len(self.seeds)):
            self._report(agent)

    def _report(self, agent: int) -> None:
        policy = self._best[agent]
        if policy is not None:
            self.report(self.seeds[agent], self.curves[agent], policy)


def _policy_state(policy: NetworkPolicy) -> State:
    """Return the state of a policy."""
    layers = [[torch.from_numpy(part) for part in layer] for layer in policy.layers]
    return {"layers": layers, "activation": policy.activation, "squash": policy.squash}


def _policy_of(state: State, space: Box) -> NetworkPolicy:
    """Return the policy of a state."""
    layers = [(weight.cpu().numpy(), bias.cpu().numpy()) for weight, bias in state["layers"]]
    return NetworkPolicy(layers, space, activation=state["activation"], squash=state["squash"])
