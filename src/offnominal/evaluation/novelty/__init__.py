"""Evaluation of novelty detection: normal and novel frames or episodes, with named weightings."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.evaluation.novelty.discovery_accuracy import DiscoveryAccuracy, measure_discovery
from offnominal.evaluation.novelty.episode_novelty import (
    EpisodeNovelty,
    choose_episode_thresholds,
    measure_episode_novelty,
)
from offnominal.evaluation.novelty.novelty_delay import NoveltyDelay, NoveltyDelays, measure_novelty_delays
from offnominal.evaluation.novelty.novelty_metrics import (
    NoveltyMetrics,
    NoveltyPoint,
    choose_thresholds,
    measure_novelty,
)
from offnominal.evaluation.novelty.weighting import EPISODE_WEIGHTING, FRAME_WEIGHTING, Weighting

__all__ = [
    "EPISODE_WEIGHTING",
    "FRAME_WEIGHTING",
    "DiscoveryAccuracy",
    "EpisodeNovelty",
    "NoveltyDelay",
    "NoveltyDelays",
    "NoveltyMetrics",
    "NoveltyPoint",
    "Weighting",
    "choose_episode_thresholds",
    "choose_thresholds",
    "measure_discovery",
    "measure_episode_novelty",
    "measure_novelty",
    "measure_novelty_delays",
]

name_wrong_arguments(__name__)
