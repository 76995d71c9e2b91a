# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.image_sets.catalogue import ImageSetEntry as ImageSetEntry
from offnominal.datasets.image_sets.catalogue import image_set_entry as image_set_entry
from offnominal.datasets.image_sets.catalogue import image_set_names as image_set_names
from offnominal.datasets.image_sets.image_set import ImageSet as ImageSet
from offnominal.datasets.image_sets.loading import load_images as load_images
from offnominal.datasets.image_sets.one_class import ImagePart as ImagePart
from offnominal.datasets.image_sets.one_class import ImageSplit as ImageSplit
from offnominal.datasets.image_sets.one_class import leave_one_in as leave_one_in
from offnominal.datasets.image_sets.one_class import leave_one_out as leave_one_out

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
