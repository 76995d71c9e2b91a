"""PE-DM beside the procedure it was published with: member after member, and the nearest of freshly drawn particles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import Tensor, nn

import offnominal as off
from benchmarks.measure import rates
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.transitions import PEDM, losses
from offnominal.detectors.transitions.modules import Ensemble
from offnominal.detectors.transitions.pe_dm import NARROW, PARTICLES, SMALL, Aggregation

WORLD = "MJC-HalfCheetah-v0"
LEARNED, SCORED = 50, 10
AT_ONCE = 64
PEER = "loop over members"
AGGREGATIONS: tuple[Aggregation, ...] = ("min", "likelihood")
Row = dict[str, Any]


class Member(nn.Module):
    """One network of an ensemble, alone."""

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise([inputs, *hidden]):
            layers += [nn.Linear(fan_in, fan_out), nn.LeakyReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(hidden[-1], 2 * outputs))
        self.highest = nn.Parameter(torch.full((outputs,), Ensemble.HIGHEST))
        self.lowest = nn.Parameter(torch.full((outputs,), Ensemble.LOWEST))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        mean, raw = self.layers(inputs).chunk(2, dim=-1)
        below = self.highest - nn.functional.softplus(self.highest - raw)
        return mean, self.lowest + nn.functional.softplus(below - self.lowest)

    def loss(self, inputs: Tensor, targets: Tensor) -> Tensor:
        mean, log_variance = self(inputs)
        penalty = SMALL * log_variance.square().mean() + NARROW * (self.highest - self.lowest).sum()
        return losses.gaussian(mean, log_variance, targets).mean() + penalty

    @torch.no_grad()
    def take(self, ensemble: Ensemble, number: int) -> None:
        """Take the weights of a member of ours."""
        linear = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        for layer, weight, bias in zip(linear, ensemble.weights, ensemble.biases, strict=True):
            layer.weight.copy_(weight[number].T)
            layer.bias.copy_(bias[number, 0])
        self.highest.copy_(ensemble.highest[number, 0])
        self.lowest.copy_(ensemble.lowest[number, 0])


class Looped:
    """The published procedure, on inputs and targets that are scaled already."""

    def __init__(self, detector: PEDM, episodes: Sequence[off.Episode]) -> None:
        observations, actions, after = transitions(episodes)
        self.inputs = torch.from_numpy(detector.scaling_.inputs(observations, actions))
        self.targets = torch.from_numpy(detector.scaling_.changes(observations, after).astype(np.float32))
        self.detector = detector
        self.members = self._members()

    def _members(self) -> list[Member]:
        sizes = self.inputs.shape[1], self.targets.shape[1], self.detector.hidden
        return [Member(*sizes) for _ in range(self.detector.n_members)]

    def take_weights(self) -> None:
        for number, member in enumerate(self.members):
            member.take(self.detector.network_, number)

    def fit(self) -> int:
        members, rows = self._members(), len(self.inputs)
        weights = [weight for member in members for weight in member.parameters()]
        optimizer = torch.optim.AdamW(weights, lr=self.detector.learning_rate, weight_decay=self.detector.weight_decay)
        for first in range(0, rows, self.detector.batch_size):
            drawn = torch.randint(rows, (len(members), min(self.detector.batch_size, rows - first)))
            optimizer.zero_grad()
            loss = [m.loss(self.inputs[i], self.targets[i]) for m, i in zip(members, drawn, strict=True)]
            torch.stack(loss).sum().backward()
            optimizer.step()
        return rows

    @torch.no_grad()
    def score(self) -> FloatArray:
        parts = zip(self.inputs.split(AT_ONCE), self.targets.split(AT_ONCE), strict=True)
        return np.concatenate([self._nearest(*part).numpy() for part in parts]).astype(np.float64)

    def _nearest(self, inputs: Tensor, targets: Tensor) -> Tensor:
        nearest = torch.full((len(inputs),), torch.inf)
        for member in self.members:
            mean, log_variance = member(inputs)
            drawn = mean + torch.exp(0.5 * log_variance) * torch.randn(PARTICLES, *mean.shape)
            nearest = torch.minimum(nearest, (drawn - targets).square().mean(dim=-1).amin(dim=0))
        return nearest


def speed() -> list[Row]:
    """PE-DM, five members of 512-256-128, on HalfCheetah and one CPU thread. Fitting is one epoch over 50 episodes in
    batches of 128, from random weights (the loop gets its rows scaled, and checks nothing). The loop scores by the
    nearest of 1,000 particles per member and transition, drawn anew; `min` is the same rule with fixed particles,
    `likelihood` a closed form.
    """
    torch.set_num_threads(1)
    episodes = off.collect(WORLD, off.expert(WORLD), LEARNED)
    some = episodes[:SCORED]
    ours = {name: PEDM(n_epochs=0, aggregation=name, device="cpu").fit(episodes) for name in AGGREGATIONS}
    learner, scorer = (Looped(ours["min"], part) for part in (episodes, some))

    def fit() -> int:
        PEDM(n_epochs=1, device="cpu").fit(episodes, validation=some[:1])
        return len(learner.inputs)

    def scoring(detector: PEDM) -> Callable[[], int]:
        return lambda: sum(map(len, detector.score(some)))

    measured = rates(
        {
            "fit": fit,
            "fit, loop": learner.fit,
            "score, min": scoring(ours["min"]),
            "score, likelihood": scoring(ours["likelihood"]),
            "score, loop": lambda: len(scorer.score()),
        }
    )
    speeds = {name: rate.per_cpu_second for name, rate in measured.items()}
    return [
        row("fit", speeds["fit"], speeds["fit, loop"], "ratio >= 1.5"),
        row("score, min", speeds["score, min"], speeds["score, loop"], "ratio >= 10"),
        row("score, likelihood", speeds["score, likelihood"], speeds["score, loop"], "ratio >= 10"),
    ]


def row(task: str, ours: float, theirs: float, bar: str) -> Row:
    return {
        "task": task,
        "ours, transitions/CPU-s": round(ours),
        "peer": PEER,
        "peer, transitions/CPU-s": round(theirs),
        "ratio": ours / theirs,
        "bar": bar,
    }


def agreement() -> list[Row]:
    """The same trained ensemble (50 episodes, five epochs) scores 2,000 transitions of HalfCheetah, half of them with
    noise on the observations: our scores beside the nearest of drawn particles, and two draws beside each other.
    """
    torch.set_num_threads(1)
    policy = off.expert(WORLD)
    ensemble = PEDM(n_epochs=5, device="cpu").fit(off.collect(WORLD, policy, LEARNED))
    fault = off.Fault("observation/noise", 0.1, schedule=100)
    episodes = off.collect(WORLD, policy, SCORED, faults=fault, seed=1000)
    peer = Looped(ensemble, episodes)
    peer.take_weights()
    drawn = peer.score()
    found = {f"ours, {name}": scored(ensemble, name, episodes) for name in AGGREGATIONS}
    return [compared(name, values, drawn) for name, values in {**found, "drawn again": peer.score()}.items()]


def scored(ensemble: PEDM, aggregation: Aggregation, episodes: Sequence[off.Episode]) -> FloatArray:
    other = PEDM(**{**ensemble.get_params(), "aggregation": aggregation})
    other.load_state_dict(ensemble.state_dict())
    return np.concatenate(other.score(episodes))


def compared(name: str, values: FloatArray, drawn: FloatArray) -> Row:
    apart = np.abs(values - drawn) / drawn
    same_unit = "likelihood" not in name
    return {
        "score": name,
        "peer": "nearest of 5 x 1,000 drawn particles",
        "rank correlation": float(spearmanr(values, drawn).statistic),
        "relative difference, median": float(np.median(apart)) if same_unit else None,
        "largest": float(apart.max()) if same_unit else None,
    }


SECTIONS = {"PE-DM": speed, "PE-DM's score beside drawn particles": agreement}
