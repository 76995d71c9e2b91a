"""Measured evidence of the causes of differences: our number before and after one thing was made as published."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.published_numbers import GROUPS, WORLDS, published_by_group, published_by_world
from offnominal.papers.measured_evidence import Evidence, nearest_explanation
from offnominal.studies.published_comparison import NEAR, Cause

EXPERIMENTS: dict[str, tuple[Cause, str]] = {
    "public-code": ("defect", "as in the public code"),
    "public-code-strengths": ("defect", "as in the public code, with its strengths"),
    "exceptions": ("defect", "as in the public code, with its strengths and a random observation after an exception"),
    "image-public-code": ("defect", "as in the public code, with its strengths and number of updates"),
    "training": ("scale", "with 100 episodes and the published training"),
    "image-training": ("scale", "with the published number of updates"),
    "strengths": ("setting", "with the published strengths"),
    "retrained": ("setting", "as in the public code, with its strengths and policies trained as published"),
    "neutral": ("setting", "as in the public code, without effect of the faults that have no published strength"),
    "policy-scripted": ("setting", "as in the public code, with its strengths and our hand-written controller"),
    "policy-sac": ("setting", "as in the public code, with its strengths and our SAC policy"),
    "policy-td3": ("setting", "as in the public code, with its strengths and our TD3 policy"),
}
"""Cause that each experiment shows, and what was changed."""
EXPERT = "public-code-strengths"
"""Our expert with the errors and strengths that experiments on policies have too."""
NEUTRAL = "neutral"
"""As :data:`EXPERT`, without any effect of the faults of sensors and actions that have no published strength."""
UNKNOWN_STRENGTHS = "with strengths from none to ours for the faults that have no published one"
POLICY = "policy-"
"""How the names of experiments on policies begin; the policy follows."""
_IMAGE_PREDICTORS = ("LRDM", "LDM", "AE-Pred", "RSSM-PPM")
NO_ERRORS = {
    "MJC": ("MLP-DM", "LSTM-DM", *_IMAGE_PREDICTORS),
    **dict.fromkeys(("CAR", "URM", "URR"), _IMAGE_PREDICTORS),
}
"""Detectors in families of worlds in which the public code has other settings, but no error that touches them."""


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


Key = tuple[str, str, str, str, str]
"""World, group of worlds or alarm; level (empty for all), detector, metric, and kind of fault (empty for all)."""
Experiments = dict[Key, list[Evidence]]
"""Experiments by the number that they are about."""


@cache
def evidence() -> Experiments:
    """Return all experiments with our expert by the number that they are about; see :func:`unknown_strengths`, too."""
    return evidence_of(row for row in evidence_rows() if not row["experiment"].startswith((POLICY, NEUTRAL)))


@cache
def unknown_strengths() -> Experiments:
    """Return what the strengths that are not published make of our numbers, by the number."""
    return spans(evidence_rows())


def spans(rows: Sequence[Mapping[str, str]]) -> Experiments:
    """Return what the strengths that are not published make of our numbers.

    Args:
        rows: Evidence: with these faults at our strengths, and without any effect of them.
    """
    ends = {
        name: {(row["scale"], key_of(row)): row for row in rows if row["experiment"] == name}
        for name in (EXPERT, NEUTRAL)
    }
    found: Experiments = {}
    for place in ends[EXPERT].keys() & ends[NEUTRAL].keys():
        ours, none = (ends[name][place] for name in (EXPERT, NEUTRAL))
        both = np.array([float(ours["after"]), float(none["after"])])
        span = Evidence("setting", UNKNOWN_STRENGTHS, float(ours["before"]), Estimate(both[1], both), span=True)
        found.setdefault(place[1], []).append(span)
    return found


@cache
def policy_evidence() -> Experiments:
    """Return the experiments with other policies by the number that they are about; see :func:`nearer_policies`."""
    return nearer_policies(evidence_rows())


def nearer_policies(rows: Sequence[Mapping[str, str]], worlds: Mapping[str, str] | None = None) -> Experiments:
    """Return the evidence of policies in worlds that they come nearer to than our expert does, on average.

    They must also gain less towards the published numbers of any other world: a policy with lower numbers everywhere
    gains as much where it has nothing to do with the published one. In a group of worlds they count only if they do in
    one of these worlds. Numbers of alarms are means over all worlds, for which there is no such comparison; they have
    no evidence of policies.

    Args:
        rows: Evidence: that of policies, and that of our expert with the same errors and strengths.
        worlds: The world whose published numbers count for each world; its own if None.
    """
    after = {(row["experiment"], key_of(row)): float(row["after"]) for row in rows}
    places = {*WORLDS, *GROUPS}
    policies = [row for row in rows if row["experiment"].startswith(POLICY) and row["world"] in places]
    nearer = set()
    for experiment, world in {(row["experiment"], row["world"]) for row in policies}:
        found = {key: value for (name, key), value in after.items() if (name, key[0]) == (experiment, world)}
        pairs = {key: (after[EXPERT, key], value) for key, value in found.items() if (EXPERT, key) in after}
        gains = {other: _gain(pairs, other) for other in (GROUPS if world in GROUPS else WORLDS)}
        own = gains.pop(world if worlds is None else worlds[world])
        if own > max(0.0, *gains.values()):
            nearer.add((experiment, world))
    accepted = {
        (experiment, place)
        for experiment, place in nearer
        if any((experiment, world) in nearer for world in GROUPS.get(place, (place,)))
    }
    return evidence_of(row for row in policies if (row["experiment"], row["world"]) in accepted)


def _gain(pairs: Mapping[Key, tuple[float, float]], world: str) -> float:
    """Return by how much policies are nearer to the published numbers of a world than our expert, on average."""
    known = published_numbers()
    others = [(known.get((world, *key[1:])), expert, policy) for key, (expert, policy) in pairs.items()]
    gains = [abs(expert - value) - abs(policy - value) for value, expert, policy in others if value is not None]
    return sum(gains) / len(gains) if gains else 0.0


@cache
def published_numbers() -> dict[Key, float]:
    """Return the published numbers of Tables 12, 13 and 3 by the key of their evidence."""
    groups = {
        (group, level, name, "auroc", kind): value for (group, kind, level, name), value in published_by_group().items()
    }
    return {(*key, ""): value for key, value in published_by_world().items()} | groups


def evidence_rows() -> list[Mapping[str, str]]:
    """Return the rows of the file with all experiments; see ``tools/renew_anomaly_gym_evidence.py``."""
    return list(_rows("evidence.csv"))


def evidence_of(rows: Iterable[Mapping[str, str]]) -> Experiments:
    """Return the experiments of some rows of the evidence by the number that they are about."""
    found: defaultdict[Key, list[Evidence]] = defaultdict(list)
    for row in rows:
        cause, change = EXPERIMENTS[row["experiment"]]
        if cause == "defect" and row["detector"] in NO_ERRORS.get(row["world"].partition("-")[0], ()):
            cause = "setting"
        found[key_of(row)].append(Evidence(cause, change, float(row["before"]), _after(row)))
    return dict(found)


def key_of(row: Mapping[str, str]) -> Key:
    """Return the number that a row of the evidence is about."""
    return row["world"], row["level"], row["detector"], row["metric"], row["kind"]


def explanation(
    key: Key,
    ours: float | None,
    published: float | None,
    near: float = NEAR,
    *,
    policies: Mapping[Key, Sequence[Evidence]] | None = None,
    unknown: Mapping[Key, Sequence[Evidence]] | None = None,
) -> Evidence | None:
    """Return the experiment that comes nearest to a published number, or None if none explains the difference.

    Another policy counts only where nothing else explains the difference, and only if it comes nearer than our expert
    does in every experiment. Strengths that are not published count last. Where the published number is in the interval
    of an experiment without being near, the cause is chance.

    Args:
        key: The number.
        ours: Our value.
        published: The published value.
        near: Largest difference that is near.
        policies: Experiments with other policies; :func:`policy_evidence` if None.
        unknown: Spans of strengths that are not published; :func:`unknown_strengths` if None.
    """
    if ours is None or published is None:
        return None
    known = evidence().get(key, [])
    nearest = min((each.distance(published) for each in known), default=float("inf"))
    others = (policy_evidence() if policies is None else policies).get(key, ())
    closer = [each for each in others if each.distance(published) < nearest]
    last = (unknown_strengths() if unknown is None else unknown).get(key, ())
    tried = (nearest_explanation(each, ours, published, near) for each in (known, closer, last))
    found = next((each for each in tried if each is not None), None)
    return found if found is None or found.distance(published) <= near else replace(found, cause="chance")


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


def _after(row: Mapping[str, str]) -> Estimate:
    """Return our number with the change; without draws it has no interval."""
    return Estimate(float(row["after"]), np.array([float(row[name]) for name in ("low", "high") if row[name]]))


def _rows(file: str) -> csv.DictReader[str]:
    text = files("offnominal.papers.anomaly_gym").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
