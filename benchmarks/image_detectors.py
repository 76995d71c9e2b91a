"""Image detectors: learning and scoring beside a loop over single frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import torch

import offnominal as off
from benchmarks.measure import rates
from offnominal.detectors import Step, make_detector
from offnominal.detectors.images import PredictionDetector
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset, read_episodes
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.training import GradientStep

WORLD = "MJC-HalfCheetah-v0"
NAMES = ("PredAE", "LDM", "LRDM", "PredNet", "RSSM-PPM")
EPISODES, STEPS = 2, 8
FEWER = {"PredNet": (1, 2)}
"""Episodes and transitions of a gradient step, where these would take minutes."""

WINDOW, TURNS = 0.1, 2
Row = dict[str, Any]


@cache
def recorded_episodes() -> list[off.Episode]:
    recorded = off.collect(WORLD, off.expert(WORLD), EPISODES, max_steps=STEPS, frames=True)
    return [episode.images() for episode in recorded]


@cache
def untrained(name: str) -> PredictionDetector[Any]:
    """Return a detector of the published size; random weights take as long to evaluate."""
    detector = make_detector(name, n_epochs=0, device="cpu").fit(recorded_episodes())
    assert isinstance(detector, PredictionDetector)
    return detector


def learning() -> list[Row]:
    """Gradient steps of the published networks on images of 128 × 128, on one CPU thread: 2 episodes of 8 transitions
    in one step (PredNet: 1 of 2), beside a step for every transition.
    """
    torch.set_num_threads(1)
    return [row(name, training(name, batched=True), training(name, batched=False), "learned") for name in NAMES]


def scoring() -> list[Row]:
    """`score` of 2 episodes of 8 transitions of 128 × 128 pixels, on one CPU thread, beside `update` with one
    transition of one episode after the other.
    """
    torch.set_num_threads(1)
    return [row(name, scored(name), scored_online(name), "scored") for name in NAMES]


def row(name: str, ours: Callable[[], int], single: Callable[[], int], what: str) -> Row:
    found = rates({"ours": ours, "single": single}, window=WINDOW, turns=TURNS)
    together, alone = (found[each].per_cpu_second for each in ("ours", "single"))
    return {
        "detector": name,
        "weights, million": sum(each.numel() for each in untrained(name).network_.parameters()) / 1e6,
        f"ours, frames {what}/CPU-s": together,
        "peer": "frame by frame",
        f"peer, frames {what}/CPU-s": alone,
        "ratio": together / alone,
        "one frame, CPU-ms": 1e3 / alone,
    }


def training(name: str, *, batched: bool) -> Callable[[], int]:
    """Return a function that takes one gradient step and returns the number of transitions in it."""
    detector = untrained(name)
    frames, actions, _ = read_episodes(recorded_episodes())
    dataset = FrameDataset.of(frames, actions, detector.scaling_, detector.device_)
    loss = detector._loss(dataset, RandomNumbers(0, detector.device_))
    step = GradientStep(torch.optim.AdamW(detector.network_.parameters(), lr=detector.learning_rate, fused=True))
    episodes, n_steps = FEWER.get(name, (EPISODES, STEPS)) if batched else (1, 1)
    first, steps = torch.tensor(dataset.starts[:episodes]), torch.full((episodes,), n_steps)
    calls = count()

    def work() -> int:
        batch = FrameBatch(first + next(calls) % (STEPS - n_steps + 1), steps, True)
        step(loss(batch))
        return int(batch.steps.sum())

    return work


def scored(name: str) -> Callable[[], int]:
    detector = untrained(name)
    return lambda: sum(map(len, detector.score(recorded_episodes())))


def scored_online(name: str) -> Callable[[], int]:
    """Return a function that scores the next transition online and returns 1."""
    detector, episode, turn = untrained(name), recorded_episodes()[0], count()
    state = [detector.start(1)]

    def work() -> int:
        t = np.array([next(turn) % STEPS])
        step = Step(episode.observations[t], episode.actions[t], episode.observations[t + 1])
        state[0], scores = detector.update(state[0], step)
        return len(scores)

    return work


SECTIONS = {"Image detectors learn": learning, "Image detectors score": scoring}
