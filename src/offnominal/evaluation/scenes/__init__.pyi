# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.evaluation.scenes.as_published import PublishedMetrics as PublishedMetrics
from offnominal.evaluation.scenes.as_published import measure_as_published as measure_as_published
from offnominal.evaluation.scenes.components import ComponentLimits as ComponentLimits
from offnominal.evaluation.scenes.components import ComponentMetrics as ComponentMetrics
from offnominal.evaluation.scenes.domain_gap import DomainGap as DomainGap
from offnominal.evaluation.scenes.domain_gap import GapRow as GapRow
from offnominal.evaluation.scenes.domain_gap import measure_gap as measure_gap
from offnominal.evaluation.scenes.elements import Elements as Elements
from offnominal.evaluation.scenes.elements import VoxelMapping as VoxelMapping
from offnominal.evaluation.scenes.elements import voxel_elements as voxel_elements
from offnominal.evaluation.scenes.road_image_metrics import RoadImageMetrics as RoadImageMetrics
from offnominal.evaluation.scenes.road_image_metrics import evaluate_road_images as evaluate_road_images
from offnominal.evaluation.scenes.road_image_metrics import image_scores as image_scores
from offnominal.evaluation.scenes.scene_evaluation import choose_thresholds as choose_thresholds
from offnominal.evaluation.scenes.scene_evaluation import evaluate_frames as evaluate_frames
from offnominal.evaluation.scenes.scene_evaluation import evaluate_scenes as evaluate_scenes
from offnominal.evaluation.scenes.scene_metrics import OperatingPoint as OperatingPoint
from offnominal.evaluation.scenes.scene_metrics import SceneMetrics as SceneMetrics
from offnominal.evaluation.scenes.scene_report import SceneReport as SceneReport
from offnominal.evaluation.scenes.score_files import ScoreFileReport as ScoreFileReport
from offnominal.evaluation.scenes.score_files import evaluate_score_files as evaluate_score_files
from offnominal.evaluation.scenes.scored_scenes import SceneSettings as SceneSettings
from offnominal.evaluation.scenes.scored_scenes import ScoredFrame as ScoredFrame
from offnominal.evaluation.scenes.scored_scenes import collect_scores as collect_scores
from offnominal.evaluation.scenes.temporal import TemporalMetrics as TemporalMetrics

__all__ = [
    "ComponentLimits",
    "ComponentMetrics",
    "DomainGap",
    "Elements",
    "GapRow",
    "OperatingPoint",
    "PublishedMetrics",
    "RoadImageMetrics",
    "SceneMetrics",
    "SceneReport",
    "SceneSettings",
    "ScoreFileReport",
    "ScoredFrame",
    "TemporalMetrics",
    "VoxelMapping",
    "choose_thresholds",
    "collect_scores",
    "evaluate_frames",
    "evaluate_road_images",
    "evaluate_scenes",
    "evaluate_score_files",
    "image_scores",
    "measure_as_published",
    "measure_gap",
    "voxel_elements",
]
