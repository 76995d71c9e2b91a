"""Public sets of small labelled images as anomaly problems: one class anomalous, or one class normal."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("ImageSetEntry", "image_set_entry", "image_set_names"),
        "image_set": ("ImageSet",),
        "loading": ("load_images",),
        "one_class": ("ImagePart", "ImageSplit", "leave_one_in", "leave_one_out"),
    },
)
