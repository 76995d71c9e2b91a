"""Agents with uncertainty: all members in one call beside a loop over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from torch import nn

import offnominal as off
from benchmarks.measure import rates
from offnominal.agents import NetworkPolicy, UncertainPolicy
from offnominal.core.types import Array, FloatArray

WORLD = "OOD-CartPole-v0"
BATCHES = (1, 64, 1024)
Row = dict[str, Any]
Spread = Callable[[Array], FloatArray]


def of_greedy(values: Array) -> FloatArray:
    """Return the standard deviation of the best choice's value over members, given (members, n, choices)."""
    best = values.mean(axis=0).argmax(axis=1)
    return np.asarray(values.std(axis=0)[np.arange(len(best)), best], np.float64)


def together(policy: UncertainPolicy) -> Spread:
    def spread(rows: Array) -> FloatArray:
        mean, deviation = policy.predict(rows)
        return np.take_along_axis(deviation, mean.argmax(axis=1)[:, None], axis=1)[:, 0]

    return spread


def one_by_one(policy: UncertainPolicy) -> Spread:
    """Ask the members one after the other, in the same arithmetic."""
    space = Box(-1, 1, (policy.network.outputs,))
    parts = [[(weight[k], bias[k]) for weight, bias in policy.network.layers()] for k in range(policy.passes)]
    alone = [NetworkPolicy(layers, space, squash=False) for layers in parts]
    return lambda rows: of_greedy(np.stack([each.act(rows, None)[0] for each in alone]))


def modules(policy: UncertainPolicy) -> Spread:
    """Ask members that are modules of torch, one after the other."""
    members = []
    for k in range(policy.passes):
        layers: list[nn.Module] = []
        for weight, bias in policy.network.layers():
            linear = nn.Linear(*weight.shape[1:])
            linear.weight.data, linear.bias.data = torch.tensor(weight[k].T), torch.tensor(bias[k])
            layers += [linear, nn.ReLU()]
        members.append(nn.Sequential(*layers[:-1]))

    @torch.no_grad()
    def spread(rows: Array) -> FloatArray:
        seen = torch.from_numpy(rows)
        return of_greedy(torch.stack([member(seen) for member in members]).numpy())

    return spread


def speed() -> list[Row]:
    """The shipped ensemble of five for CartPole (4-64-64-2) estimates its uncertainty: the standard deviation of the
    greedy action's value, for a batch of observations. One call for all members, beside a loop over them: our own
    network, and modules of torch, on one CPU thread. All three give the same numbers. One call saves what surrounds the
    arithmetic, and in large batches arithmetic is nearly all there is: there the bar is missed.
    """
    torch.set_num_threads(1)
    policy = off.expert(WORLD)
    assert isinstance(policy, UncertainPolicy)
    episodes = off.collect(WORLD, policy, 6)
    seen = np.concatenate([episode.observations for episode in episodes])
    asked = {"ours": together(policy), "loop": one_by_one(policy), "torch": modules(policy)}
    rows = []
    for batch in BATCHES:
        part = np.ascontiguousarray(seen[:batch], np.float32)
        for name in ("loop", "torch"):
            np.testing.assert_allclose(asked[name](part), asked["ours"](part), rtol=1e-2, atol=1e-3)
        measured = rates({name: _asking(spread, part) for name, spread in asked.items()})
        rates_of = {name: rate.per_cpu_second for name, rate in measured.items()}
        rows += [
            {
                "batch": batch,
                "ours, rows/CPU-s": round(rates_of["ours"]),
                "peer": peer,
                "peer, rows/CPU-s": round(rates_of[name]),
                "ratio": rates_of["ours"] / rates_of[name],
                "bar": "ratio >= 3",
            }
            for name, peer in (("loop", "loop over our networks"), ("torch", "loop over torch modules"))
        ]
    return rows


def _asking(spread: Spread, rows: Array) -> Callable[[], int]:
    return lambda: len(spread(rows))


SECTIONS = {"Uncertainty of an ensemble": speed}
