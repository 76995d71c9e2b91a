"""Driving scenes as images: contact sheets and clips of cameras, lidars, voxels and scores."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.reports.scene_view.scene_view import SceneView, view_scene
from offnominal.reports.scene_view.score_views import ScoreScale
from offnominal.reports.scene_view.sources import SceneSource, open_scene_source

__all__ = ["SceneSource", "SceneView", "ScoreScale", "open_scene_source", "view_scene"]

name_wrong_arguments(__name__)
