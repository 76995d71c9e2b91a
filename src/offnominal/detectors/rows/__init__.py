"""Row detectors: an anomaly score for each row of a table, or for each image of a batch.

Names are imported on first use; detectors with a network need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "deep_detector": ("DeepRowDetector",),
        "estimator_adapter": ("EstimatorAdapter",),
        "f_anogan": ("FAnoGAN",),
        "outlier_detector": ("OutlierDetector",),
        "row_detector": ("RowDetector",),
        "skip_ganomaly": ("SkipGANomaly",),
    },
    catalogue="offnominal.detectors.catalogue:detectors",
)
