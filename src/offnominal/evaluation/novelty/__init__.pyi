# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.evaluation.novelty.discovery_accuracy import DiscoveryAccuracy as DiscoveryAccuracy
from offnominal.evaluation.novelty.discovery_accuracy import measure_discovery as measure_discovery
from offnominal.evaluation.novelty.episode_novelty import EpisodeNovelty as EpisodeNovelty
from offnominal.evaluation.novelty.episode_novelty import choose_episode_thresholds as choose_episode_thresholds
from offnominal.evaluation.novelty.episode_novelty import measure_episode_novelty as measure_episode_novelty
from offnominal.evaluation.novelty.novelty_delay import NoveltyDelay as NoveltyDelay
from offnominal.evaluation.novelty.novelty_delay import NoveltyDelays as NoveltyDelays
from offnominal.evaluation.novelty.novelty_delay import measure_novelty_delays as measure_novelty_delays
from offnominal.evaluation.novelty.novelty_metrics import NoveltyMetrics as NoveltyMetrics
from offnominal.evaluation.novelty.novelty_metrics import NoveltyPoint as NoveltyPoint
from offnominal.evaluation.novelty.novelty_metrics import choose_thresholds as choose_thresholds
from offnominal.evaluation.novelty.novelty_metrics import measure_novelty as measure_novelty
from offnominal.evaluation.novelty.weighting import EPISODE_WEIGHTING as EPISODE_WEIGHTING
from offnominal.evaluation.novelty.weighting import FRAME_WEIGHTING as FRAME_WEIGHTING
from offnominal.evaluation.novelty.weighting import Weighting as Weighting

__all__ = [
    "DiscoveryAccuracy",
    "EPISODE_WEIGHTING",
    "EpisodeNovelty",
    "FRAME_WEIGHTING",
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
