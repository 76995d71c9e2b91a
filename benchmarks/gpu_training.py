"""Training of small networks on a GPU: updates replayed from CUDA graphs beside PyTorch's own launches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from offnominal.core.episode import Episode
from offnominal.detectors import make_detector
from offnominal.detectors.transitions import network_detector

N_EPISODES, LENGTH, OBSERVATION, ACTION, EPOCHS, TURNS = 40, 500, 18, 6, 4, 3
NETWORKS: dict[str, dict[str, Any]] = {
    "MLP-DM": {},
    "PE-DM": {},
    "PE-DM (min)": {"aggregation": "min"},
    "LSTM-DM": {},
    "RIQN": {},
}
Row = dict[str, Any]


def episodes(seed: int) -> list[Episode]:
    """Return episodes of a linear system with noise, as long as those of a running robot."""
    rng = np.random.default_rng(seed)
    matrix = np.random.default_rng(0).normal(size=(OBSERVATION + ACTION, OBSERVATION)) / 5.0
    made = []
    for number in range(N_EPISODES):
        length = LENGTH - 25 * (number % 8)
        actions = rng.uniform(-1.0, 1.0, (length, ACTION))
        observations = [rng.normal(size=OBSERVATION)]
        for action in actions:
            observations.append(
                np.tanh(np.concatenate([observations[-1], action]) @ matrix) + 0.05 * rng.normal(size=OBSERVATION)
            )
        made.append(Episode(np.array(observations), actions, np.zeros(length), np.zeros(length, bool)))
    return made


@contextmanager
def launched_one_by_one() -> Iterator[None]:
    """Train without CUDA graphs within the block."""
    with patch.object(network_detector, "replayed_on_gpu", lambda update, random: update):
        yield


def trained(kind: str, device: str, nominal: list[Episode]) -> tuple[float, Any]:
    """Return the seconds of an epoch and the detector."""
    torch.cuda.synchronize()
    begun = time.perf_counter()
    name, parameters = kind.partition(" ")[0], NETWORKS[kind]
    detector = make_detector(name, n_epochs=EPOCHS, device=device, **parameters).fit(nominal)
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / EPOCHS, detector


def scoring_seconds(detector: Any, given: list[Episode]) -> float:
    """Return the seconds of scoring, the best of some turns."""
    best = np.inf
    for _ in range(TURNS):
        begun = time.perf_counter()
        detector.score(given)
        best = min(best, time.perf_counter() - begun)
    return float(best)


def training() -> list[Row]:
    """Train on 16,500 transitions of 40 episodes with the default networks and batch sizes, on a GPU and on all CPU
    threads: wall seconds of an epoch, capture of the graphs included, the best of three trainings of four epochs.
    PyTorch launches the kernels one by one; the scores of both trainings on a GPU are compared bit by bit.
    """
    if not torch.cuda.is_available():
        raise SystemExit("There is no GPU here.")
    nominal, given = episodes(1), episodes(2)
    rows = []
    for kind in NETWORKS:
        ours, launched, cpu = [], [], []
        for _ in range(TURNS):
            ours.append(trained(kind, "cuda", nominal))
            with launched_one_by_one():
                launched.append(trained(kind, "cuda", nominal))
            cpu.append(trained(kind, "cpu", nominal))
        scores = [np.concatenate(runs[-1][1].score(given)) for runs in (ours, launched)]
        best = [min(seconds for seconds, _ in runs) for runs in (ours, launched, cpu)]
        rows.append(
            {
                "network": kind,
                "CUDA graphs": f"{best[0]:.3f} s",
                "PyTorch, launched one by one": f"{best[1]:.3f} s",
                "ratio": f"{best[1] / best[0]:.1f}",
                "PyTorch, CPU": f"{best[2]:.3f} s",
                "same scores": "yes" if np.array_equal(*scores) else f"up to {np.ptp(scores[0] - scores[1]):.1e}",
                "scoring, GPU": f"{1e3 * scoring_seconds(ours[-1][1], given):.0f} ms",
                "scoring, CPU": f"{1e3 * scoring_seconds(cpu[-1][1], given):.0f} ms",
            }
        )
    return rows


SECTIONS = {"network training on a GPU": training}
