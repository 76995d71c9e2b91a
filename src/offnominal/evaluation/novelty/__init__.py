"""Evaluation of novelty detection: normal and novel frames or episodes, with named weightings."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "discovery_accuracy": ("DiscoveryAccuracy", "measure_discovery"),
        "episode_novelty": ("EpisodeNovelty", "choose_episode_thresholds", "measure_episode_novelty"),
        "novelty_delay": ("NoveltyDelay", "NoveltyDelays", "measure_novelty_delays"),
        "novelty_metrics": ("NoveltyMetrics", "NoveltyPoint", "choose_thresholds", "measure_novelty"),
        "weighting": ("EPISODE_WEIGHTING", "FRAME_WEIGHTING", "Weighting"),
    },
)
