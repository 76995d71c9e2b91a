"""Driving scenes as images: contact sheets and clips of cameras, lidars, voxels and scores."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "scene_view": ("SceneView", "view_scene"),
        "score_views": ("ScoreScale",),
        "sources": ("SceneSource", "open_scene_source"),
    },
)
