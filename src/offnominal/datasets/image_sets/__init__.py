"""Public sets of small labelled images as anomaly problems: one class anomalous, or one class normal."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.image_sets.catalogue import ImageSetEntry, image_set_entry, image_set_names
from offnominal.datasets.image_sets.image_set import ImageSet
from offnominal.datasets.image_sets.loading import load_images
from offnominal.datasets.image_sets.one_class import ImagePart, ImageSplit, leave_one_in, leave_one_out

__all__ = [
    "ImagePart",
    "ImageSet",
    "ImageSetEntry",
    "ImageSplit",
    "image_set_entry",
    "image_set_names",
    "leave_one_in",
    "leave_one_out",
    "load_images",
]

name_wrong_arguments(__name__)
