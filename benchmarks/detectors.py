"""Detectors beside the way they are usually computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import offnominal as off
from benchmarks.measure import rates
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.networks import PEDM, losses
from offnominal.detectors.networks.modules import Ensemble

WORLD = "MJC-HalfCheetah-v0"
EPISODES = 10
PARTICLES = 1_000
Row = dict[str, Any]


class Member(nn.Module):
    """One network of an ensemble, alone."""

    def __init__(self, inputs: int, outputs: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for fan_in, fan_out in zip((inputs, *hidden), hidden, strict=False):
            layers += [nn.Linear(fan_in, fan_out), nn.LeakyReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(hidden[-1], 2 * outputs))
        self.highest = nn.Parameter(torch.full((outputs,), Ensemble.HIGHEST))
        self.lowest = nn.Parameter(torch.full((outputs,), Ensemble.LOWEST))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        mean, raw = self.layers(inputs).chunk(2, dim=-1)
        below = self.highest - nn.functional.softplus(self.highest - raw)
        return mean, self.lowest + nn.functional.softplus(below - self.lowest)


class Looped:
    """PE-DM as published: member after member, and the nearest of freshly drawn particles."""

    def __init__(self, detector: PEDM, inputs: Tensor, targets: Tensor) -> None:
        self.inputs, self.targets, self.batch = inputs, targets, detector.batch
        sizes = inputs.shape[1], targets.shape[1], tuple(detector.hidden)
        self.members = [Member(*sizes) for _ in range(detector.members)]
        self.optimizers = [torch.optim.AdamW(member.parameters(), lr=detector.rate) for member in self.members]

    def learn(self) -> int:
        for member, optimizer in zip(self.members, self.optimizers, strict=True):
            index = torch.randint(len(self.inputs), (self.batch,))
            mean, log_variance = member(self.inputs[index])
            loss = losses.gaussian(mean, log_variance, self.targets[index]).mean()
            loss = loss + 1e-4 * log_variance.square().mean() + 1e-3 * (member.highest - member.lowest).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return self.batch

    @torch.no_grad()
    def score(self, rows: int) -> FloatArray:
        nearest = torch.full((rows,), torch.inf)
        for member in self.members:
            mean, log_variance = member(self.inputs[:rows])
            drawn = mean + torch.exp(0.5 * log_variance) * torch.randn(PARTICLES, *mean.shape)
            errors = (drawn - self.targets[:rows]).square().mean(dim=-1)
            nearest = torch.minimum(nearest, errors.amin(dim=0))
        return np.asarray(nearest, np.float64)


class Batched:
    """Our PE-DM on the same transitions."""

    def __init__(self, detector: PEDM, episodes: list[off.Episode]) -> None:
        self.detector, self.rows = detector, detector._rows(episodes)
        self.draw = detector._batches(episodes, self.rows)
        self.waiting: list[Tensor] = []
        self.optimizer = torch.optim.AdamW(detector.network_.parameters(), lr=detector.rate, fused=True)
        self.transitions = transitions(episodes)

    def learn(self) -> int:
        self.waiting = self.waiting or self.draw()
        index = self.waiting.pop()
        loss = self.detector._loss(self.rows.take(index))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return index.shape[1]

    def score(self, rows: int) -> FloatArray:
        return self.detector._measure(*(part[:rows] for part in self.transitions))


def ensembles() -> list[Row]:
    """PE-DM, five members of 512-256-128, on transitions of HalfCheetah and one CPU thread, beside the procedure it was
    published with: a loop over members, and 1,000 particles drawn per member and transition.
    """
    torch.set_num_threads(1)
    episodes = off.collect(WORLD, off.expert(WORLD), EPISODES)
    detectors = {name: PEDM(epochs=0, aggregation=name).fit(episodes) for name in ("likelihood", "min")}
    ours = {name: Batched(detector, episodes) for name, detector in detectors.items()}
    rows = ours["min"].rows
    peer = Looped(detectors["min"], rows.inputs, rows.targets)
    return [
        compared("transitions learned from", ours["min"].learn, peer.learn),
        compared("transitions scored, min", scoring(ours["min"], 512), scoring(peer, 64)),
        compared("transitions scored, likelihood", scoring(ours["likelihood"], 512), scoring(peer, 64)),
        compared("transitions scored one by one, min", scoring(ours["min"], 1), scoring(peer, 1)),
        compared("transitions scored one by one, likelihood", scoring(ours["likelihood"], 1), scoring(peer, 1)),
    ]


def scoring(contender: Looped | Batched, rows: int) -> Callable[[], int]:
    return lambda: len(contender.score(rows))


def compared(task: str, ours: Callable[[], int], theirs: Callable[[], int]) -> Row:
    measured = rates({"ours": ours, "theirs": theirs})
    mine, other = measured["ours"].per_cpu_second, measured["theirs"].per_cpu_second
    return {
        "task": task,
        "ours, per CPU-s": round(mine),
        "peer": "loop over members, drawn particles",
        "peer, per CPU-s": round(other),
        "ratio": mine / other,
    }


SECTIONS = {"PE-DM": ensembles}
