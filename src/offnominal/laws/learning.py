"""The law of learning: a trained detector is better than its untrained twin, and than a Gaussian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.checks import instance_of
from offnominal.core.episode import Episode
from offnominal.core.errors import LawBroken
from offnominal.core.registry import Registry, Spec
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.detectors.catalogue import UNTRAINED, detectors, make_detector
from offnominal.detectors.detector import Detector
from offnominal.detectors.rows.mahalanobis import Mahalanobis
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.transitions.on_transitions import OnTransitions
from offnominal.laws.reference_data import (
    REFERENCE_IMAGES,
    REFERENCE_SYMBOLS,
    REFERENCE_TABLES,
    REFERENCE_WORLDS,
    SHOWN_BY_TRANSITIONS,
    ReferenceEpisodes,
    ReferenceTable,
    reference_episodes,
    reference_images,
    reference_symbols,
    reference_table,
)
from offnominal.laws.report import LawReport, SkipLaw, check_laws

MARGIN = 0.05
"""How much larger the AUROC of a trained detector has to be."""
SEED = 1
REFERENCES = (*REFERENCE_TABLES, *REFERENCE_WORLDS, *REFERENCE_IMAGES, *REFERENCE_SYMBOLS)
"""Names of all reference data."""
CELL = 4
"""Width of the cells whose mean brightness a Gaussian of images gets, in pixels."""


@dataclass(frozen=True, slots=True)
class LearningCase:
    """AUROCs on one of the reference data.

    Args:
        trained: Of the trained detector.
        untrained: Of the same detector with its initial weights.
        gaussian: Of the Mahalanobis distance.
    """

    trained: float
    untrained: float
    gaussian: float

    @property
    def learned(self) -> bool:
        """Whether the trained detector is better than both others by the margin."""
        return self.trained >= max(self.untrained, self.gaussian) + MARGIN


def check_learning(detector: str | Callable[[], Detector], *, exceptions: Mapping[str, str] | None = None) -> LawReport:
    """Check that a detector learns: after training it is better than before, and than a Gaussian.

    There are three tables and two worlds, three sets of images and one of symbols, whose anomalies have nearly the mean
    and the covariance of nominal rows. On each the AUROC has to be larger than that of the untrained twin, and than
    that of the Mahalanobis distance, by :data:`MARGIN`. The law applies to detectors that have an untrained twin.
    Tables are for row detectors; in one world the fault shows only in transitions, and row detectors that score single
    observations are not checked there. Images are for detectors of images, symbols for those of symbols.

    Args:
        detector: Id, or a function that returns a new, unfitted detector, such as its class.
        exceptions: Why the detector need not learn, by the name of the reference data. The law is skipped there.

    Example:
        >>> report = check_learning("KNN")
        >>> report.ok, next(iter(report)).skipped
        (True, 'it has no untrained twin')
    """
    make: Callable[[], Detector] = partial(make_detector, detector) if isinstance(detector, str) else detector
    sample = instance_of("what the function returns", make(), Detector)  # type: ignore[type-abstract]
    excused = exceptions or {}

    def law(name: str) -> Callable[[], None]:
        return lambda: _require_learned(make, name, excused.get(name, ""))

    return check_laws(sample.name, {f"it learns from {name}": law(name) for name in REFERENCES})


def measure_learning(detector: Detector, name: str) -> LearningCase:
    """Return the AUROCs of a detector, of its untrained twin and of a Gaussian on one of its :func:`learning_data`.

    Args:
        detector: Unfitted detector.
        name: Name of the reference data.

    Raises:
        SkipLaw: The law does not apply to the detector there.
    """
    _require_applicable(detector, name)
    if name in REFERENCE_TABLES:
        table, row_detector = reference_table(name), detector.row_detector  # type: ignore[attr-defined]
        return LearningCase(
            *(_auroc_of_rows(each, table) for each in (row_detector, _untrained(row_detector), Mahalanobis()))
        )
    twin = _untrained_detector(detector)
    if name in REFERENCE_IMAGES:
        images = reference_images(name)
        gaussian = _auroc_of_episodes(OnTransitions(Mahalanobis(), view="transition"), _cells(images))
        return LearningCase(_auroc_of_episodes(detector, images), _auroc_of_episodes(twin, images), gaussian)
    episodes = reference_symbols(name) if name in REFERENCE_SYMBOLS else reference_episodes(name)
    baseline = OnTransitions(Mahalanobis(), view="transition" if name in REFERENCE_SYMBOLS else "next_observation")
    if isinstance(detector, OnTransitions):
        baseline.view = detector.view
    return LearningCase(*(_auroc_of_episodes(each, episodes) for each in (detector, twin, baseline)))


def learning_data(detector: Detector) -> list[str]:
    """Return the names of the reference data on which the law applies to a detector.

    Args:
        detector: Unfitted detector.

    Example:
        >>> learning_data(make_detector("VAE")), learning_data(make_detector("KNN"))
        (['ring', 'clusters', 'product', 'OOD-Pendulum-v0'], [])
    """
    applicable = []
    for name in REFERENCES:
        with suppress(SkipLaw):
            _require_applicable(detector, name)
            applicable.append(name)
    return applicable


def trained_detectors(registry: Registry[Detector] = detectors) -> list[str]:
    """Return the ids of all detectors with a training: those with a network or an untrained twin.

    Args:
        registry: Registry of detectors.

    Example:
        >>> "VAE" in trained_detectors(), "VAE-untrained" in trained_detectors(), "KNN" in trained_detectors()
        (True, False, False)
    """
    return [spec.id for spec in registry if not spec.id.endswith(UNTRAINED) and _is_trained(spec, registry)]


def _is_trained(spec: Spec, registry: Registry[Detector]) -> bool:
    if "gpu" in spec.tags or f"{spec.id}{UNTRAINED}" in registry:
        return True
    made = registry.make(spec.id)
    return hasattr(made.row_detector if isinstance(made, OnTransitions) else made, "untrained")


def _require_applicable(detector: Detector, name: str) -> None:
    """Skip the law if a detector has no training, or the reference data are not what it scores."""
    if name in REFERENCE_TABLES:
        if not isinstance(detector, OnTransitions):
            raise SkipLaw("it scores transitions; a table has none")
        _untrained(detector.row_detector)
        return
    _untrained_detector(detector)
    _require_kind(detector, name)
    of_observations = isinstance(detector, OnTransitions) and detector.view.name == "next_observation"
    if name in SHOWN_BY_TRANSITIONS and of_observations:
        raise SkipLaw("it scores single observations; the fault shows in transitions")


def _require_kind(detector: Detector, name: str) -> None:
    """Skip the law if the reference data are not what a detector scores."""
    if detector.pixel_observations != (name in REFERENCE_IMAGES):
        raise SkipLaw("it scores images alone" if detector.pixel_observations else "it does not score images")
    if (detector.default_world is not None) != (name in REFERENCE_SYMBOLS):
        raise SkipLaw("it does not score symbols" if detector.default_world is None else "it scores symbols alone")


def _cells(episodes: ReferenceEpisodes) -> ReferenceEpisodes:
    """Return the mean brightness of cells instead of images."""

    def averaged(episode: Episode) -> Episode:
        grey = episode.observations.mean(axis=1, dtype=np.float32)
        rows, columns = grey.shape[1] // CELL, grey.shape[2] // CELL
        cells = grey.reshape(len(grey), rows, CELL, columns, CELL).mean(axis=(2, 4))
        return replace(episode, observations=cells.reshape(len(grey), -1))

    training, nominal, faulty = (
        [averaged(each) for each in part] for part in (episodes.training, episodes.nominal, episodes.faulty)
    )
    return ReferenceEpisodes(training, nominal, faulty, episodes.onset)


def _require_learned(make: Callable[[], Detector], name: str, excused: str) -> None:
    if excused:
        raise SkipLaw(excused)
    found = measure_learning(make(), name)
    if not found.learned:
        raise LawBroken(
            f"its AUROC is {fixed(found.trained, 3)}, untrained {fixed(found.untrained, 3)}, that of a Gaussian "
            f"{fixed(found.gaussian, 3)}; expected {MARGIN:g} more than both"
        )


def _untrained(part: Any) -> Any:
    """Return the untrained twin of a detector or row detector."""
    if not hasattr(part, "untrained"):
        raise SkipLaw("it has no untrained twin")
    return part.untrained()


def _untrained_detector(detector: Detector) -> Detector:
    if not isinstance(detector, OnTransitions):
        return instance_of("the untrained twin", _untrained(detector), Detector)  # type: ignore[type-abstract]
    twin = copy(detector)
    twin.row_detector = _untrained(detector.row_detector)
    return twin


def _auroc_of_rows(row_detector: RowDetector, table: ReferenceTable) -> float:
    fitted = row_detector.fit(table.training, seed=SEED)
    return _auroc(fitted.score(table.nominal), fitted.score(table.anomalous))


def _auroc_of_episodes(detector: Detector, episodes: ReferenceEpisodes) -> float:
    fitted = detector.fit(episodes.training, seed=SEED)
    nominal, faulty = (
        np.concatenate([scores[episodes.onset :] for scores in fitted.score(part)])
        for part in (episodes.nominal, episodes.faulty)
    )
    return _auroc(nominal, faulty)


def _auroc(nominal: FloatArray, anomalous: FloatArray) -> float:
    """Return the probability that an anomalous score is larger than a nominal one; equal scores count half."""
    ordered = np.sort(nominal)
    below, upto = (np.searchsorted(ordered, anomalous, side=side).sum() for side in ("left", "right"))
    return float(0.5 * (below + upto) / (len(nominal) * len(anomalous)))
