"""Scene detectors: an anomaly score for every pixel of a camera and every point of a lidar.

Names are imported on first use; detectors with a network need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("load_scene_detector", "make_scene_detector", "save_scene_detector", "scene_detectors"),
        "frame_scores": ("FrameScores",),
        "network_record": ("TrainingRecord",),
        "observation": ("SceneObservation",),
        "scene_detector": ("SceneDetector",),
        "trained_networks": ("trained_hash", "trained_names", "trained_scene_detector", "training_record"),
        "training_runs": ("train_scene_networks",),
    },
    catalogue="offnominal.detectors.scenes.catalogue:scene_detectors",
)
