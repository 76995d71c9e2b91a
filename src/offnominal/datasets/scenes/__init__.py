"""Recorded driving scenes: files of all sensors, with the state and the truth of every frame."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "held_out": ("HeldOut",),
        "index": ("FrameEntry", "SceneEntry", "SceneIndex", "SceneManifest"),
        "published_reading": ("PublishedCloud", "PublishedFrame", "PublishedScene", "open_published"),
        "published_scenes": ("PublishedDrive", "Recording", "open_any_scenes", "open_recording"),
        "reading": ("DrivingScene", "DrivingScenes", "open_scenes"),
        "recording": ("record_scenes",),
        "road_images": ("ROAD_IMAGE_SETS", "RoadImage", "RoadImages", "open_road_images"),
        "scene_verification": ("verify_scenes",),
        "voxel_files": ("VoxelSettings",),
    },
)
