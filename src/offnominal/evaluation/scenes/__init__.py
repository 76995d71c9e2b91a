"""Evaluation of driving scenes: scores of pixels, points and voxels of any sensor in one table."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.evaluation.scenes.as_published import PublishedMetrics, measure_as_published
from offnominal.evaluation.scenes.components import ComponentLimits, ComponentMetrics
from offnominal.evaluation.scenes.elements import Elements, VoxelMapping, voxel_elements
from offnominal.evaluation.scenes.scene_evaluation import choose_thresholds, evaluate_frames, evaluate_scenes
from offnominal.evaluation.scenes.scene_metrics import OperatingPoint, SceneMetrics
from offnominal.evaluation.scenes.scene_report import SceneReport
from offnominal.evaluation.scenes.scored_scenes import SceneSettings, ScoredFrame, collect_scores
from offnominal.evaluation.scenes.temporal import TemporalMetrics

__all__ = [
    "ComponentLimits",
    "ComponentMetrics",
    "Elements",
    "OperatingPoint",
    "PublishedMetrics",
    "SceneMetrics",
    "SceneReport",
    "SceneSettings",
    "ScoredFrame",
    "TemporalMetrics",
    "VoxelMapping",
    "choose_thresholds",
    "collect_scores",
    "evaluate_frames",
    "evaluate_scenes",
    "measure_as_published",
    "voxel_elements",
]

name_wrong_arguments(__name__)
