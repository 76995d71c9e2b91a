"""Loading of public image sets."""

from __future__ import annotations

from offnominal.core.files import content_errors
from offnominal.datasets.image_sets.catalogue import image_set_entry
from offnominal.datasets.image_sets.image_set import ImageSet
from offnominal.datasets.image_sets.readers import READERS
from offnominal.datasets.sources import choose_source


def load_images(name: str) -> ImageSet:
    """Return an image set, training images first and test images after them.

    Files that are missing in the data home are downloaded if possible. Their hashes are checked.

    Args:
        name: ``mnist``, ``fashion_mnist``, ``cifar10`` or ``svhn2``.

    Raises:
        UnknownName: No image set has that name.
        MissingFile: A file is missing and cannot be downloaded; the message says where to place it.
        DamagedFile: A file is invalid or has another hash.

    Example:
        >>> load_images("mnist")  # doctest: +SKIP
        ImageSet('mnist', 70000 images of 28 × 28 × 1, 10 classes)
        >>> load_images("mnst")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no image set named 'mnst'. Did you mean 'mnist'? There are ...
    """
    entry = image_set_entry(name)
    source, paths = choose_source(entry.sources)
    with content_errors(f"the files of {name}", "images"):
        images, labels = READERS[source](paths)
    return ImageSet(name, images, labels, entry.classes)
