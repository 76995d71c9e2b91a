"""Detectors, grouped by what gets an anomaly score.

``rows`` scores rows of tables, ``transitions`` scores vector episodes, ``images`` scores episodes of frames,
``scenes`` scores pixels and points of driving scenes, and ``policies`` uses signals from inside an agent. Names are
imported on first use; detectors with a network need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "baselines": ("Random", "Time"),
        "catalogue": ("detectors", "make_detector"),
        "checked_episodes": ("FaultyTrainingData",),
        "detector": ("Detector", "Step", "TransitionDetector"),
        "files": ("load_detector", "save_detector"),
        "normaliser": ("Normaliser",),
        "observation_limits": ("MAX_READING", "MAX_SCORE"),
        "score_fusion": ("ScoreFusion",),
        "transitions.on_transitions": ("on_transitions",),
        "views": ("View",),
    },
    packages=("images", "policies", "rows", "transitions"),
)
