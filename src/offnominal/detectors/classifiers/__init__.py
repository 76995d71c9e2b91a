"""Detectors that know the normal classes: a novelty score for each image.

They are fitted to labelled normal images, of a dataset or of the frames of any world. Names are imported on first use;
all of them need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("class_detectors", "load_class_detector", "make_class_detector", "save_class_detector"),
        "class_detector": ("ClassDetector",),
        "image_classifier": ("ImageClassifier",),
    },
    catalogue="offnominal.detectors.classifiers.catalogue:class_detectors",
)
