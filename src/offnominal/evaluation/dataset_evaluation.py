"""Evaluation of a detector on all faults of a dataset."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.checks import number_in, one_of, positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.printable import shown
from offnominal.core.progress_bar import progress
from offnominal.core.types import FloatArray
from offnominal.datasets.dataset import NOT_EVALUATED, Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.guarantee_check import GuaranteeCheck, check_guarantee, untested
from offnominal.evaluation.split_evaluation import evaluate_split
from offnominal.evaluation.split_report import SplitReport
from offnominal.evaluation.timing import HORIZON, WITHIN

Splits = Dataset | Mapping[str, Sequence[Episode]]
Unit = Literal["steps", "seconds"]
STEPS_AT_ONCE = 2**18
TEST = "test"
NOMINAL = (TEST, "validation")
TIME = "time"


def evaluate(
    detector: Detector,
    data: Splits,
    *,
    alarm: Alarm | None = None,
    splits: Iterable[str] | None = None,
    within: Sequence[float] = WITHIN,
    horizon: float = HORIZON,
    unit: Unit = "steps",
    period: float | None = None,
    block: int | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EvaluationReport:
    """Evaluate a fitted detector on the faults of a dataset.

    Faulty episodes are compared with the split ``test`` (or ``validation`` without it), and with ``twins`` if the
    dataset has it. Every split with active labels counts as faulty. Episodes on disk are read
    and scored some at a time.

    Args:
        detector: Detector fitted on the split ``train``.
        data: The dataset, or episodes by name of the split.
        alarm: Alarm fitted on scores of the split ``validation``; without an alarm there are no delays. Its guarantee
            is checked on the split ``test``.
        splits: Names of splits with faults; all if None.
        within: Delays for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay.
        unit: Unit of `within`, `horizon` and all delays: ``"steps"`` or ``"seconds"``.
        period: Seconds per step; if None, the median time step of the extra ``time``, where there is one. With it,
            false alarms are counted per hour too.
        block: Steps of the blocks that the bootstrap draws; see :func:`evaluate_split`.
        replicates: Bootstrap replicates; 0 for metrics without intervals.
        seed: Seed of the bootstrap.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import Recipe, generate
        >>> from offnominal.detectors import make_detector
        >>> folder = TemporaryDirectory()
        >>> strengths = {("observation/offset", "large"): 2.0}
        >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=30, strengths=strengths), folder.name)
        >>> report = evaluate(make_detector("KNN").fit(data["train"]), data)
        >>> report["observation/offset@large"].numbers["matched_auroc"].value > 0.95
        True
    """
    (report,) = evaluate_alarms(
        detector,
        data,
        [alarm],
        splits=splits,
        within=within,
        horizon=horizon,
        unit=unit,
        period=period,
        block=block,
        replicates=replicates,
        seed=seed,
    )
    return report


def evaluate_alarms(
    detector: Detector,
    data: Splits,
    alarms: Sequence[Alarm | None],
    *,
    splits: Iterable[str] | None = None,
    within: Sequence[float] = WITHIN,
    horizon: float = HORIZON,
    unit: Unit = "steps",
    period: float | None = None,
    block: int | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> list[EvaluationReport]:
    """Evaluate a fitted detector with several alarms, and score each episode once; return one report per alarm.

    Args:
        detector: As for :func:`evaluate`, and so are all other arguments.
        data: The dataset.
        alarms: Fitted alarms; None for a report without delays.
        splits: Names of splits with faults.
        within: Delays for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay.
        unit: Unit of durations.
        period: Seconds per step.
        block: Steps of the blocks of the bootstrap.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.
    """
    one_of("unit", unit, get_args(Unit))
    chosen = faulty_splits(data) if splits is None else list(splits)
    for name in chosen:
        if not isinstance(name, str) or name not in data:
            suggestion = did_you_mean(str(name), map(str, data))
            raise UnknownName(f"the data has no split {shown(name)}.{suggestion} It has {', '.join(map(str, data))}.")
    if not chosen:
        raise InvalidParameter(
            "the dataset has no split with faults; generate a dataset with anomalies, or give labels."
        )
    others = nominal_split(data, chosen)
    nominal = None if others is None else scored(detector, data[others])
    step = positive_number("period", period) if period is not None else None if nominal is None else nominal.period
    twins = list(data["twins"]) if "twins" in data else None
    twin_scores = None if twins is None else detector.score(twins)
    world = data.world if isinstance(data, Dataset) else "own data"
    reports: list[list[SplitReport]] = [[] for _ in alarms]
    with progress(f"Evaluating {detector.name} on {world}", total=len(chosen)) as tick:
        for name in chosen:
            found = scored(detector, data[name], keep=twins is not None)
            step = found.period if step is None else step
            shared: dict[str, Any] = {
                "name": name,
                "nominal": None if nominal is None else nominal.scores,
                "twins": twins,
                "twin_scores": twin_scores,
                "within": [_steps("within", value, unit, step) for value in within],
                "horizon": _steps("horizon", horizon, unit, step),
                "period": step,
                "block": block,
                "replicates": replicates,
                "seed": seed,
            }
            for alarm, into in zip(alarms, reports, strict=True):
                raised = None if alarm is None else alarm.alarm(found.scores)
                false = None if alarm is None or nominal is None else alarm.alarm(nominal.scores)
                episodes = found.episodes or found.truths
                into.append(evaluate_split(found.scores, episodes, alarms=raised, nominal_alarms=false, **shared))
            tick(note=name)
    tested = nominal.scores if nominal is not None and others == TEST else None
    made = [
        EvaluationReport.of(world, each, guarantee=_checked(alarm, tested))
        for alarm, each in zip(alarms, reports, strict=True)
    ]
    return made if unit == "steps" else [report.in_seconds(float(step or 1.0), within) for report in made]


def _checked(alarm: Alarm | None, scores: Sequence[FloatArray] | None) -> GuaranteeCheck | None:
    """Return the check of a guarantee; alarms are fitted on ``validation``, so only the split ``test`` tests them."""
    if alarm is None:
        return None
    return untested(alarm) if scores is None else check_guarantee(alarm, alarm.alarm(scores))


def faulty_splits(data: Splits) -> list[str]:
    """Return the names of the splits with faults: those of the recipe, or those with active labels.

    Raises:
        InvalidParameter: The data is no dataset and no mapping.
    """
    if isinstance(data, Dataset):
        return data.faulty
    if not isinstance(data, Mapping):
        raise InvalidParameter(f"data is {shown(data)}; expected a dataset, or episodes by name of the split.")
    return [name for name, episodes in data.items() if name not in NOT_EVALUATED and _has_labels(episodes)]


def nominal_split(data: Splits, faulty: Collection[str]) -> str | None:
    """Return the name of the split that faulty episodes are compared with: ``test``, or ``validation`` without it.

    Args:
        data: The dataset, or episodes by name of the split.
        faulty: Names of the splits with faults.
    """
    return next((name for name in NOMINAL if name in data and name not in faulty), None)


def _has_labels(episodes: Any) -> bool:
    known = getattr(episodes, "faulty", None)
    return bool(np.any(known)) if known is not None else any(episode.active.any() for episode in episodes)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSplit:
    """Scores and labels of a split.

    Args:
        scores: One array per episode.
        truths: Labels and faults of each episode.
        period: Median time step of the first episode in seconds; None if its time was not recorded.
        episodes: The episodes themselves, if they were kept.
    """

    scores: list[FloatArray]
    truths: list[GroundTruth]
    period: float | None
    episodes: list[Episode]


def scored(detector: Detector, episodes: Sequence[Episode], *, keep: bool = False) -> ScoredSplit:
    """Score the episodes of a split, some at a time, so that only their scores and labels stay in memory.

    Args:
        detector: A fitted detector.
        episodes: Episodes, in memory or on disk.
        keep: Whether to keep the episodes.
    """
    scores: list[FloatArray] = []
    truths: list[GroundTruth] = []
    kept: list[Episode] = []
    group: list[Episode] = []
    period, steps = None, 0
    for episode in episodes:
        if not truths and TIME in episode.extras and len(episode):
            period = float(np.median(np.diff(episode.extras[TIME])))
        truths.append(GroundTruth(episode.active.copy(), episode.events))
        group.append(episode)
        steps += len(episode)
        if steps >= STEPS_AT_ONCE and not detector.pixel_observations:
            scores += detector.score(group)
            kept += group if keep else []
            group, steps = [], 0
    if group or not truths:
        scores += detector.score(group)
    return ScoredSplit(scores, truths, period, kept + group if keep else [])


def _steps(name: str, value: float, unit: Unit, period: float | None) -> int:
    """Return a duration in steps."""
    if unit == "steps":
        return value  # type: ignore[return-value]
    if period is None:
        raise InvalidParameter(
            "unit is 'seconds', but the episodes have no extra 'time'; give `period`, the seconds per step."
        )
    return max(round(number_in(name, value, 0.0) / period), 1 if name == "horizon" else 0)
