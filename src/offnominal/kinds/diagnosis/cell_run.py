"""Run a cell of a diagnosis study: fit its detector, and evaluate its explanations of faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.detectors.diagnosis import Explanation, FaultLibrary, NominalReference
from offnominal.evaluation.bootstrap import Resamples
from offnominal.kinds.diagnosis.cell import DiagnosisCell
from offnominal.kinds.diagnosis.data import DiagnosisEpisodes
from offnominal.kinds.faults.cell_run import build_detector
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter


def run_diagnosis(cell: DiagnosisCell, data: DiagnosisEpisodes, meter: ResourceMeter) -> CellRows:
    """Fit the detector of a cell, and evaluate its explanations; see :meth:`offnominal.studies.StudyKind.run`."""
    rows = evaluate_diagnosis(
        build_detector(cell),
        data.train,
        data.validation,
        data.test,
        data.faulty,
        seed=cell.seed,
        replicates=cell.replicates,
        meter=meter,
    )
    meter.steps = sum(len(episode) for part in (data.validation, data.test, *data.faulty.values()) for episode in part)
    return CellRows(rows)


ALL, NOMINAL = "all", "nominal"
"""Splits of the rows about all faults of a world, and about nominal test episodes."""
BOOTSTRAP = 0
NAN = float("nan")


class Outcome(NamedTuple):
    """How well one faulty episode was diagnosed; NaN where a number is not defined.

    Args:
        found: Whether an onset was found.
        channel_hit: Whether the most important channel is the faulty one.
        channel_random: Probability that a random channel is.
        onset_error: Distance of the estimated onset from the true one, in steps.
        onset_covered: Whether the interval has the true onset.
        fault_hit: Whether the nearest known fault is of the right kind; only for episodes that were not recorded.
        fault_random: Probability that a random kind is.
    """

    found: float
    channel_hit: float = NAN
    channel_random: float = NAN
    onset_error: float = NAN
    onset_covered: float = NAN
    fault_hit: float = NAN
    fault_random: float = NAN


def evaluate_diagnosis(
    detector: Detector,
    train: Sequence[Episode],
    validation: Sequence[Episode],
    test: Sequence[Episode],
    faulty: Mapping[tuple[str, str], Sequence[Episode]],
    *,
    seed: int,
    replicates: int,
    meter: ResourceMeter,
) -> list[dict[str, Any]]:
    """Return rows of results: one per fault, one per kind of fault, one for all, and one for nominal episodes.

    Every other faulty episode is recorded in a library of faults; the others are compared with it.

    Args:
        detector: Not fitted yet.
        train: Nominal episodes to fit it on.
        validation: Nominal episodes for the nominal reference.
        test: Other nominal episodes.
        faulty: Faulty episodes by anomaly and level.
        seed: Training seed.
        replicates: Number of bootstrap replicates.
        meter: Measures the cost of fitting, scoring and evaluating.
    """
    with meter("fit"):
        detector.fit(train, seed=seed)
    with meter("score"):
        reference = NominalReference([detector.explain(episode) for episode in validation])
        explained = {
            key: [detector.explain(episode, nominal=reference) for episode in episodes]
            for key, episodes in faulty.items()
        }
        false = [float(reference.onset(scores) is not None) for scores in detector.score(test)]
    with meter("evaluate"):
        library = _library(explained)
        outcomes = {
            key: [
                diagnose(episode, found, key[0], library if number % 2 else None)
                for number, (episode, found) in enumerate(zip(faulty[key], explained[key], strict=True))
                if episode.onset is not None
            ]
            for key in faulty
        }
        return [*_rows(outcomes, replicates), _nominal_row(np.array(false), replicates)]


def diagnose(episode: Episode, found: Explanation, anomaly: str, library: FaultLibrary | None) -> Outcome:
    """Return how well a faulty episode was diagnosed.

    Args:
        episode: The episode, with its labels and its fault.
        found: Its explanation.
        anomaly: Id of its anomaly.
        library: Known faults; None if the episode is one of them.
    """
    if found.onset is None or episode.onset is None:
        return Outcome(0.0)
    first = found.n_observations if anomaly.startswith("action/") else 0
    channels = {first + channel for event in episode.events for channel in event.channels}
    hit = fault = random = NAN
    if channels:
        hit = float(int(found.order(1)[0]) in channels)
    if library is not None and len(library):
        fault, random = float(library.nearest(found).ranked[0].name == anomaly), 1.0 / len(library.faults)
    return Outcome(
        1.0,
        hit,
        len(channels) / len(found.channels) if channels else NAN,
        float(abs(found.onset.step - episode.onset)),
        float(found.onset.low <= episode.onset <= found.onset.high),
        fault,
        random,
    )


def _library(explained: Mapping[tuple[str, str], Sequence[Explanation]]) -> FaultLibrary:
    library = FaultLibrary()
    for (anomaly, _), found in explained.items():
        for each in found[::2]:
            if each.onset is not None:
                library.record(anomaly, each)
    return library


def _rows(outcomes: Mapping[tuple[str, str], Sequence[Outcome]], replicates: int) -> list[dict[str, Any]]:
    groups: dict[str, list[Outcome]] = {}
    rows = []
    for (anomaly, level), found in outcomes.items():
        kind = anomaly.partition("/")[0]
        groups.setdefault(kind, []).extend(found)
        groups.setdefault(ALL, []).extend(found)
        named = {"split": f"{anomaly}@{level}", "anomaly": anomaly, "kind": kind, "level": level}
        rows.append({**named, **_numbers(found, replicates)})
    return rows + [{"split": name, "kind": name, **_numbers(found, replicates)} for name, found in groups.items()]


def _numbers(outcomes: Sequence[Outcome], replicates: int) -> dict[str, Any]:
    """Return the mean of each number, the median error of the onset, and their intervals by episode."""
    if not outcomes:
        return {"episodes": 0}
    resamples = Resamples.draw(len(outcomes), replicates, seed=BOOTSTRAP)
    numbers: dict[str, Any] = {"episodes": len(outcomes)}
    for number, name in enumerate(Outcome._fields):
        values: FloatArray = np.array([each[number] for each in outcomes], np.float64)
        if not np.isnan(values).all():
            estimate = resamples.median(values) if name == "onset_error" else resamples.mean(values)
            numbers |= estimate.columns(name)
    return numbers


def _nominal_row(false: FloatArray, replicates: int) -> dict[str, Any]:
    estimate = Resamples.draw(len(false), replicates, seed=BOOTSTRAP).mean(false)
    return {"split": NOMINAL, "kind": NOMINAL, "episodes": len(false), **estimate.columns("found")}
