"""Novelty of episodes: scores of frames by one detector, or by the fusion of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.episode_maximum import EpisodeMaximum
from offnominal.alarms.guarantee_check import GuaranteeCheck, check_guarantee
from offnominal.core.types import FloatArray
from offnominal.datasets.novelcraft import CraftEpisode
from offnominal.datasets.novelcraft.lazy_images import LazyImages
from offnominal.detectors.detector import Detector
from offnominal.detectors.score_fusion import ScoreFusion
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.novelty import NoveltyDelays, measure_episode_novelty, measure_novelty_delays
from offnominal.papers.novelcraft.cell import NoveltyCell
from offnominal.papers.novelcraft.computed import Arrays, computed_once
from offnominal.papers.novelcraft.image_scoring import build, fit_images, score_images
from offnominal.papers.novelcraft.novelty_sets import NoveltySets, Split
from offnominal.papers.novelcraft.results import ALARM, AS_PUBLISHED, EPISODE_NOVELTIES, EPISODES
from offnominal.papers.novelcraft.task_result import Row, TaskResult, columns, example, values
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter

BOOTSTRAP = 0
ALPHA = 0.25
"""Largest share of nominal episodes with a false alarm; small sets have few nominal validation episodes."""
ROUNDING = 1e-5
"""Relative difference that the size of a batch makes in a score. Many episodes have the same highest symbolic score."""
STRIP = 8
"""Frames of an episode that the report shows."""


def run_episodes(cell: NoveltyCell, sets: NoveltySets, meter: ResourceMeter, codes: Sequence[str]) -> TaskResult:
    """Evaluate the scores of one detector, or the fused scores of several, on the test episodes.

    Args:
        cell: The cell.
        sets: Its set.
        meter: Measures the evaluation.
        codes: Hash of the code of each detector.
    """
    episodes = sets.episodes("test")
    parts = {
        entry.name: part_scores(entry, sets, cell.seed, code) for entry, code in zip(cell.detectors, codes, strict=True)
    }
    valid, test = ([getattr(part, split) for part in parts.values()] for split in ("valid", "test"))
    with meter("evaluate"):
        if len(parts) > 1 or cell.parameters:
            fusion = ScoreFusion(**cell.parameters).fit(dict(zip(parts, valid, strict=True)))
            valid, test = ([fusion.fuse(dict(zip(parts, scores, strict=True)))] for scores in (valid, test))
        rows = episode_rows(valid[0], test[0], [_novelty(episode) for episode in episodes], cell.replicates)
    cost = {name: sum(getattr(part, name) for part in parts.values()) for name in ("fit_cpu_s", "score_cpu_s")}
    threshold = rows[0]["threshold_at_tpr"]
    shown = list(_examples(episodes, test[0], threshold, sets.data.side))
    return TaskResult(rows, shown, sum(map(len, (*valid[0], *test[0]))), cost)


def episode_rows(
    valid: Sequence[FloatArray], test: Sequence[FloatArray], novelties: Sequence[str | None], replicates: int
) -> list[Row]:
    """Return the metrics of all test episodes, and those of each type of novelty.

    Args:
        valid: Scores of nominal validation episodes, for the alarm.
        test: Scores of test episodes.
        novelties: Type of novelty of each test episode; None for a nominal one.
        replicates: Number of bootstrap replicates.
    """
    found = measure_episode_novelty(test, novelties, replicates=replicates, seed=BOOTSTRAP)
    published = measure_episode_novelty(test, novelties, as_published=True).numbers()
    row: Row = {"task_name": EPISODES, "split": EPISODES, "threshold_at_tpr": found.metrics.at_tpr.threshold}
    row |= {"normal": found.metrics.normal, "novel": found.metrics.novel}
    row |= columns(found.numbers()) | values(published, AS_PUBLISHED)
    by_type = {each["novelty"]: dict(each) for each in found.rows()}
    alarmed = _alarm(valid, test, novelties, replicates)
    if alarmed is not None:
        check, delays = alarmed
        rate = Estimate(check.share)
        row |= check.row() | columns(
            {"false_alarm_rate": rate, "detection_rate": delays.detection_rate, "delay": delays.mean_delay}, ALARM
        )
        for name, delay in delays.by_type.items():
            by_type[name] |= columns({"detection_rate": delay.detection_rate, "delay": delay.mean_delay}, ALARM)
    return [row, *(_type_row(name, each, found.auroc_by_type[name]) for name, each in by_type.items())]


def _type_row(name: str, found: Row, auroc: Estimate) -> Row:
    named: Row = {"task_name": EPISODE_NOVELTIES, "split": f"{EPISODES}/{name}", "row_name": name}
    named |= {"miss_rate": 1.0 - found["detection_rate"]}  # A median delay is stored beside it.
    return named | {column: value for column, value in found.items() if column != "novelty"} | columns({"auroc": auroc})


def _alarm(
    valid: Sequence[FloatArray], test: Sequence[FloatArray], novelties: Sequence[str | None], replicates: int
) -> tuple[GuaranteeCheck, NoveltyDelays] | None:
    """Return the false alarms and the delays of a conformal alarm; None with too few validation episodes."""
    try:
        alarm = EpisodeMaximum(alpha=ALPHA).fit(valid)
    except TooFewEpisodes:
        return None
    above = alarm.threshold_ + ROUNDING * abs(alarm.threshold_)  # The alarm is raised above its threshold, not at it.
    nominal = [each >= above for each, name in zip(test, novelties, strict=True) if name is None]
    delays = measure_novelty_delays(test, novelties, above, replicates=replicates, seed=BOOTSTRAP)
    return check_guarantee(alarm, nominal), delays


def _novelty(episode: CraftEpisode) -> str | None:
    return episode.kind.name if episode.novel else None


def _examples(
    episodes: Sequence[CraftEpisode], scores: Sequence[FloatArray], threshold: float, side: int
) -> Iterator[Row]:
    """Yield the scores along an episode of each novelty, with some of its frames: the one with the median length."""
    for name in dict.fromkeys(_novelty(episode) for episode in episodes):
        rows = [row for row, episode in enumerate(episodes) if _novelty(episode) == name]
        middle = sorted(rows, key=lambda row: (len(episodes[row]), row))[len(rows) // 2]
        episode = episodes[middle]
        places = np.unique(np.linspace(0, len(episode) - 1, STRIP).round().astype(int))
        frames = LazyImages([episode.sources[place] for place in places.tolist()]).shrunk(side)
        label = f"{name or 'normal'}|{episode.id}|{','.join(map(str, places.tolist()))}"
        yield example("curve", label, name is not None, np.append(threshold, scores[middle]), np.hstack(list(frames)))


SCORED: tuple[Split, ...] = ("valid", "test")


@dataclass(frozen=True, slots=True, eq=False)
class PartScores:
    """Scores of every frame of the validation and test episodes.

    Args:
        valid: One array per normal validation episode.
        test: One array per test episode.
        fit_cpu_s: Processor time of the training.
        score_cpu_s: Processor time of the scoring.
    """

    valid: list[FloatArray]
    test: list[FloatArray]
    fit_cpu_s: float
    score_cpu_s: float


def part_scores(entry: DetectorEntry, sets: NoveltySets, seed: int, code: str) -> PartScores:
    """Return the scores of a detector that is fitted to normal training episodes.

    They are stored in the data home by :func:`.computed_once`, so that a fusion does not fit its parts again.
    """
    stored = computed_once("scores", entry, sets, seed, code, lambda: _computed(entry, sets, seed))
    valid, test = (_split(stored[split], stored[f"{split}_lengths"].tolist()) for split in SCORED)
    return PartScores(valid, test, *stored["cpu"].tolist())


def _computed(entry: DetectorEntry, sets: NoveltySets, seed: int) -> Arrays:
    """Fit and score; all episodes of a split are in one array."""
    meter, detector = ResourceMeter(), build(entry)
    scores: dict[Split, list[FloatArray]] = {}
    if not isinstance(detector, Detector) or detector.pixel_observations:
        frames = sets.episode_pixels("train")
        owners = np.repeat(np.arange(len(frames)), [len(each) for each in frames])
        with meter("fit"):
            fit_images(detector, np.concatenate(frames), np.zeros(len(owners), np.int64), owners.tolist(), seed)
        for split in SCORED:
            frames = sets.episode_pixels(split)
            with meter("score"):
                scores[split] = [score_images(detector, each) for each in frames]
    else:
        train = [episode.to_episode() for episode in sets.episodes("train")]
        with meter("fit"):
            detector.fit(train, seed=seed)
        for split in SCORED:
            episodes = [episode.to_episode() for episode in sets.episodes(split)]
            with meter("score"):
                scores[split] = detector.score(episodes)
        scores = _of_frames(scores)
    arrays: Arrays = {"cpu": np.array([meter.cpu["fit"], meter.cpu["score"]])}
    for split in SCORED:
        arrays[split] = np.concatenate(scores[split])
        arrays[f"{split}_lengths"] = np.array(list(map(len, scores[split])))
    return arrays


def _of_frames(scores: dict[Split, list[FloatArray]]) -> dict[Split, list[FloatArray]]:
    """Return scores of transitions as those of the frames that they lead to; the first frame has the lowest score."""
    lowest = min(float(each.min()) for each in scores["valid"])
    return {split: [np.append(lowest, each) for each in rows] for split, rows in scores.items()}


def _split(values: FloatArray, lengths: Sequence[int]) -> list[FloatArray]:
    return np.split(values, np.cumsum(lengths)[:-1])
