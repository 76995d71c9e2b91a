"""Experiments on differences: our numbers before and after one thing was made as published."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.published_numbers import GROUPS, IMAGE_DETECTORS, METRIC_NAMES, PAPER, WORLDS
from offnominal.papers.causes import Experiment
from offnominal.papers.protocol import protocol

EXPERIMENTS = {
    "public-code": "as in the public code",
    "public-code-strengths": "as in the public code, with its strengths",
    "exceptions": "as in the public code, with its strengths and a random observation after an exception",
    "image-public-code": "as in the public code, with its strengths and number of updates",
    "training": "with 100 episodes and the published training",
    "image-training": "with the published number of updates",
    "strengths": "with the published strengths",
    "retrained": "as in the public code, with its strengths and policies trained as published",
    "neutral": "as in the public code, without effect of the faults that have no published strength",
    "policy-scripted": "as in the public code, with its strengths and our hand-written controller",
    "policy-sac": "as in the public code, with its strengths and our SAC policy",
    "policy-td3": "as in the public code, with its strengths and our TD3 policy",
}
"""What each experiment changed."""
POLICY = "policy-"
"""How the names of experiments on policies begin; the policy follows."""
Key = tuple[str, str, str, str, str]
"""World, group of worlds or alarm; level (empty for all), detector, metric, and kind of fault (empty for all)."""


@dataclass(frozen=True, slots=True)
class StrengthScore:
    """The normalised score of our expert under a published fault parameter.

    Args:
        score: Mean over episodes.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    score: float
    low: float
    high: float


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, of several scales the most powerful; see ``tools/renew_anomaly_gym_evidence.py``."""
    rows = sorted(_rows("evidence.csv"), key=lambda row: protocol(PAPER).scales.index(row["scale"]))
    return tuple({(row["experiment"], key_of(row)): experiment_of(row) for row in rows}.values())


def key_of(row: Mapping[str, str]) -> Key:
    """Return the number that a row of the evidence is about."""
    return row["world"], row["level"], row["detector"], row["metric"], row["kind"]


def experiment_of(row: Mapping[str, str]) -> Experiment:
    """Return the experiment of a row of the evidence."""
    return Experiment(row["experiment"], *place_of(row), _estimate(row, "before"), _estimate(row, "after"))


def place_of(row: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the published table that a row of the evidence is about, and the labels of the value in it."""
    place, level, detector, metric, kind = (row[name] for name in ("world", "level", "detector", "metric", "kind"))
    if place in WORLDS:
        labels = {"world": place, "level": level, "detector": detector, "metric": METRIC_NAMES[metric]}
        return "13" if detector in IMAGE_DETECTORS else "12", labels
    if place in GROUPS:
        return "3", {"level": level, "detector": detector, "worlds": place, "faults": kind}
    return "4", {"alarm": place, "detector": detector, "number": metric}


@cache
def published_strength_scores() -> dict[tuple[str, str, str], StrengthScore]:
    """Return our scores under the published parameters by world, anomaly and level."""
    return {
        (row["world"], row["anomaly"], row["level"]): StrengthScore(
            *(float(row[name]) for name in ("score", "low", "high"))
        )
        for row in _rows("published_strength_scores.csv")
    }


@cache
def policy_scores() -> dict[tuple[str, str], Estimate]:
    """Return the mean normalised score over strong faults with random onsets by world and policy."""
    return {
        (row["world"], row["policy"]): Estimate(float(row["score"]), np.array([float(row["low"]), float(row["high"])]))
        for row in _rows("policy_scores.csv")
    }


@cache
def published_success_rates() -> dict[str, float]:
    """Return the success rates of our experts by world where the public code has another test of success."""
    return {row["world"]: float(row["success"]) for row in _rows("published_success_rates.csv")}


def _estimate(row: Mapping[str, str], name: str) -> Estimate:
    """Return a number of an experiment; without draws it has no interval."""
    ends = [float(row[end]) for end in (f"{name}_low", f"{name}_high") if row[end]]
    return Estimate(float(row[name]), np.array(ends))


def _rows(file: str) -> csv.DictReader[str]:
    text = files("offnominal.papers.anomaly_gym").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
