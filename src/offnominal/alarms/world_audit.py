"""Audit of the guarantees of alarms on the scores of detectors in a world."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any

from offnominal.agents.experts import expert
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import alarms as registry
from offnominal.alarms.guarantee_audit import GuaranteeAudit, audit_guarantee
from offnominal.alarms.simulation import simulate_scores
from offnominal.core.checks import positive_integer
from offnominal.core.config import Config
from offnominal.core.episode import Episode
from offnominal.core.policy import Policy
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import Detector
from offnominal.detectors.transitions.on_transitions import OnTransitions
from offnominal.rollouts.collection import collect
from offnominal.worlds.world_source import WorldSource, open_world

SEED = 110_000_000
BATCH = 200
"""Episodes that are scored together."""


@dataclass(frozen=True)
class WorldAudit(Config):
    """Result of the audit of one alarm on the scores of one detector in one world.

    Args:
        world: Id of the world.
        detector: Name of the detector.
        alarm: Name of the alarm.
        audit: False alarms of the alarm.
    """

    world: str
    detector: str
    alarm: str
    audit: GuaranteeAudit

    def row(self) -> dict[str, Any]:
        """Return the result as a flat row of a table."""
        found, guarantee = self.audit, self.audit.guarantee
        return {
            "world": self.world,
            "detector": self.detector,
            "alarm": self.alarm,
            "guarantee": guarantee.level,
            "confidence": guarantee.confidence,
            "rate": found.rate,
            "error": found.error,
            "low": found.interval[0],
            "high": found.interval[1],
            "lowest": min(found.rates),
            "highest": max(found.rates),
            "p": found.p,
            "verdict": found.verdict,
            "calibrations": len(found.rates),
            "calibration": found.calibration,
            "episodes": found.episodes,
        }


def alarms_at(names: Sequence[str], levels: Sequence[float] = (0.05,)) -> list[tuple[str, Alarm]]:
    """Return each alarm with its name: one per level if it has an argument `alpha`, else one.

    Args:
        names: Ids, or ``"package.module:Class"``.
        levels: Values of `alpha`.

    Example:
        >>> [alarm for _, alarm in alarms_at(["Maximum", "EpisodeMaximum"], [0.05, 0.1])]
        [Maximum(), EpisodeMaximum(alpha=0.05, confidence=None), EpisodeMaximum(alpha=0.1, confidence=None)]
    """
    built: list[tuple[str, Alarm]] = []
    for name in names:
        has_level = "alpha" in inspect.signature(registry.load(name)).parameters
        options: list[dict[str, float]] = [{"alpha": level} for level in levels] if has_level else [{}]
        built += [(name, registry.build(name, each)) for each in options]
    return built


def audit_world(
    world: WorldSource,
    detectors: Mapping[str, Detector],
    alarms: Sequence[tuple[str, Alarm]],
    *,
    policy: Policy | Callable[[Array], Array] | None = None,
    name: str = "",
    episodes: int = 2000,
    calibrations: int = 20,
    calibration: int = 100,
    training: int = 100,
    max_steps: int | None = None,
    n_tests: int | None = None,
    seed: int = SEED,
) -> Iterator[WorldAudit]:
    """Fit detectors in a world, calibrate alarms many times on their scores, and count false alarms in new episodes.

    The episodes are of the expert of the world, or of another policy. Training, calibration and test episodes are
    disjoint. All detectors and alarms use the same episodes, so their numbers are comparable but not independent.

    Args:
        world: Id of a world, or an environment of your own as for :func:`~offnominal.rollouts.collect`.
        detectors: Detectors to fit, by name.
        alarms: Alarms with their names, as from :func:`alarms_at`.
        policy: Policy that acts; the expert of the world if None.
        name: Name of the world in the results; its id if empty.
        episodes: Number of new nominal episodes.
        calibrations: Number of calibrations of each alarm.
        calibration: Nominal episodes of each calibration.
        training: Nominal episodes to fit the detectors.
        max_steps: Time limit of the episodes; the world's own if None.
        n_tests: Number of guarantees that are tested together; if None, those of this call.
        seed: Seed of the first episode; detectors are fitted with seed 0.

    Yields:
        The result of each detector and alarm, as soon as it is computed.

    Example:
        >>> from offnominal.detectors import make_detector
        >>> (result,) = audit_world(
        ...     "SAP-Goal0-v0", {"Mahalanobis": make_detector("Mahalanobis")}, alarms_at(["EpisodeMaximum"])
        ... )
        >>> result.audit.verdict
        'kept'
    """
    for _, alarm in alarms:
        deepcopy(alarm).fit(simulate_scores(positive_integer("calibration", calibration), steps=2))
    if n_tests is None:
        n_tests = len(detectors) * sum(alarm.guarantee.level is not None for _, alarm in alarms)
    ranked = positive_integer("calibrations", calibrations) * calibration
    total = positive_integer("training", training) + ranked + positive_integer("episodes", episodes)
    if not name or policy is None:
        with open_world(world, 1) as sample:
            name, policy = name or sample.card.id, expert(sample.card.id) if policy is None else policy
    nominal = collect(world, policy, total, seed=seed, max_steps=max_steps)
    for detector_name, detector in detectors.items():
        scores = _scores(deepcopy(detector).fit(nominal[:training]), nominal[training:])
        for alarm_name, alarm in alarms:
            found = audit_guarantee(
                alarm, scores[:ranked], scores[ranked:], calibrations=calibrations, n_tests=max(n_tests, 1)
            )
            yield WorldAudit(name, detector_name, alarm_name, found)


def require_suitable(
    world: WorldSource,
    detectors: Mapping[str, Detector],
    policy: Policy | Callable[[Array], Array],
    *,
    training: int = 100,
    seed: int = SEED,
) -> None:
    """Raise the error of a detector that cannot be fitted to the episodes of a world, before an audit begins.

    A detector with a network is fitted without its training, so that this takes little time.

    Args:
        world: As for :func:`audit_world`.
        detectors: Detectors by name.
        policy: Policy that acts.
        training: Nominal episodes to fit the detectors, the same as in the audit.
        seed: Seed of the first episode.

    Raises:
        InvalidParameter: A detector needs other episodes, such as images or symbols.

    Example:
        >>> from offnominal.detectors import make_detector
        >>> require_suitable(
        ...     "SAP-Goal0-v0", {"LDM": make_detector("LDM")}, expert("SAP-Goal0-v0"), training=2
        ... )  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: episode 0 has observations of shape ...
    """
    nominal = collect(world, policy, positive_integer("training", training), seed=seed)
    for detector in detectors.values():
        _without_training(detector).fit(nominal)


def _without_training(part: Any) -> Any:
    """Return the untrained twin of a detector, or a copy of it if it has none."""
    if isinstance(part, OnTransitions):
        twin = copy(part)
        twin.row_detector = _without_training(part.row_detector)
        return twin
    return part.untrained() if hasattr(part, "untrained") else deepcopy(part)


def _scores(detector: Detector, episodes: Sequence[Episode]) -> list[FloatArray]:
    """Return the scores of episodes, some at a time: rows of thousands of long episodes are gigabytes."""
    batches = [episodes[start : start + BATCH] for start in range(0, len(episodes), BATCH)]
    return [scores for batch in batches for scores in detector.score(batch)]
