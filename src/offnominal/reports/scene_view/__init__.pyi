# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.reports.scene_view.scene_view import SceneView as SceneView
from offnominal.reports.scene_view.scene_view import view_scene as view_scene
from offnominal.reports.scene_view.score_views import ScoreScale as ScoreScale
from offnominal.reports.scene_view.sources import SceneSource as SceneSource
from offnominal.reports.scene_view.sources import open_scene_source as open_scene_source

__all__ = [
    "SceneSource",
    "SceneView",
    "ScoreScale",
    "open_scene_source",
    "view_scene",
]
