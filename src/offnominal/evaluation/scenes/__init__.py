"""Evaluation of driving scenes: scores of pixels, points and voxels of any sensor in one table."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "as_published": ("PublishedMetrics", "measure_as_published"),
        "components": ("ComponentLimits", "ComponentMetrics"),
        "domain_gap": ("DomainGap", "GapRow", "measure_gap"),
        "elements": ("Elements", "VoxelMapping", "voxel_elements"),
        "road_image_metrics": ("RoadImageMetrics", "evaluate_road_images", "image_scores"),
        "scene_evaluation": ("choose_thresholds", "evaluate_frames", "evaluate_scenes"),
        "scene_metrics": ("OperatingPoint", "SceneMetrics"),
        "scene_report": ("SceneReport",),
        "score_files": ("ScoreFileReport", "evaluate_score_files"),
        "scored_scenes": ("SceneSettings", "ScoredFrame", "collect_scores"),
        "temporal": ("TemporalMetrics",),
    },
)
