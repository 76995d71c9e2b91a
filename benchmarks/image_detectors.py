"""Image detectors: learning and scoring beside a loop over single frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import count
from typing import Any

import numpy as np
import torch

import offnominal as off
from benchmarks.measure import rates
from offnominal.detectors import Step, make_detector
from offnominal.detectors.images import ImageNetwork
from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset, read
from offnominal.detectors.images.sequence_loss import SequenceLoss
from offnominal.detectors.random_numbers import RandomNumbers

WORLD = "MJC-HalfCheetah-v0"
NAMES = ("PredAE", "LDM", "LRDM", "PredNet", "RSSM-PPM")
EPISODES, STEPS = 2, 8
FEWER = {"PredNet": (1, 2)}
"""Episodes and transitions of a gradient step, where these would take minutes."""

WINDOW, TURNS = 0.1, 2
Row = dict[str, Any]


@cache
def films() -> list[off.Episode]:
    recorded = off.collect(WORLD, off.expert(WORLD), EPISODES, max_steps=STEPS, frames=True)
    return [episode.images() for episode in recorded]


@cache
def untrained(name: str) -> ImageNetwork[Any]:
    """Return a detector of the published size; random weights take as long to evaluate."""
    detector = make_detector(name, n_epochs=0, device="cpu").fit(films())
    assert isinstance(detector, ImageNetwork)
    return detector


def learning() -> list[Row]:
    """Gradient steps of the published networks on pictures of 128 × 128, on one CPU thread: 2 episodes of 8 transitions
    in one step (PredNet: 1 of 2), beside a step for every transition.
    """
    torch.set_num_threads(1)
    return [row(name, teaching(name, together=True), teaching(name, together=False), "learned") for name in NAMES]


def scoring() -> list[Row]:
    """`score` of 2 episodes of 8 transitions of 128 × 128 pixels, on one CPU thread, beside `update` with one
    transition of one episode after the other.
    """
    torch.set_num_threads(1)
    return [row(name, scored(name), outcomes(name), "scored") for name in NAMES]


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


def teaching(name: str, *, together: bool) -> Callable[[], int]:
    """Return what makes the next gradient step."""
    detector = untrained(name)
    parts, actions, _ = read(films())
    footage = FrameDataset.of(parts, actions, detector.scaling_, detector.device_)
    random = RandomNumbers(0, detector.device_)
    lessons, optimizer = SequenceLoss(footage, partial(detector._frame_losses, random=random)), detector._optimizer()
    episodes, steps = FEWER.get(name, (EPISODES, STEPS)) if together else (1, 1)
    first, each = torch.tensor(footage.starts[:episodes]), torch.full((episodes,), steps)
    turn = count()

    def work() -> int:
        piece = FrameBatch(first + next(turn) % (STEPS - steps + 1), each, True)
        optimizer.zero_grad(set_to_none=True)
        lessons.loss(piece).backward()
        optimizer.step()
        return int(piece.steps.sum())

    return work


def scored(name: str) -> Callable[[], int]:
    detector = untrained(name)
    return lambda: sum(map(len, detector.score(films())))


def outcomes(name: str) -> Callable[[], int]:
    """Return what gives a detector the next transition."""
    detector, episode, turn = untrained(name), films()[0], count()
    state = [detector.start(1)]

    def work() -> int:
        t = np.array([next(turn) % STEPS])
        step = Step(episode.observations[t], episode.actions[t], episode.observations[t + 1])
        state[0], scores = detector.update(state[0], step)
        return len(scores)

    return work


SECTIONS = {"Image detectors learn": learning, "Image detectors score": scoring}
