"""Image detectors: networks that predict the next frame, and distances between features of a backbone.

Names are imported on first use and need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "features.feature_detector": ("FeatureDetector",),
        "prediction.prediction_detector": ("PredictionDetector",),
    },
    catalogue="offnominal.detectors.catalogue:detectors",
)
