"""Image sets of the catalogue, where they are at hand."""

import pytest

from offnominal.core.errors import UnknownName
from offnominal.datasets.image_sets import image_set_entry, image_set_names, leave_one_out, load_images

ORDERS = {
    "mnist": ["5", "0", "4", "1", "9", "2", "3", "6", "7", "8"],
    "svhn2": ["1", "9", "2", "3", "5", "8", "7", "4", "6", "0"],
    "fashion_mnist": [
        "Ankle boot",
        "T-shirt",
        "Dress",
        "Pullover",
        "Sneaker",
        "Sandal",
        "Trouser",
        "Shirt",
        "Coat",
        "Bag",
    ],
    "cifar10": ["frog", "truck", "deer", "automobile", "bird", "horse", "ship", "cat", "dog", "airplane"],
}


PRESENT = [name for name in image_set_names() if image_set_entry(name).presence == "present"]


@pytest.mark.skipif(not PRESENT, reason="no image set is in the data home; `offnominal tables fetch` brings them")
@pytest.mark.parametrize("name", PRESENT)
def test_images_are_those_of_the_paper_in_its_order(name, public_data):
    entry = image_set_entry(name)
    images = load_images(name)
    assert images.images.shape == (entry.images, *entry.shape)
    assert [images.classes[label] for label in images.order] == ORDERS[name]
    assert set(images.labels[leave_one_out(images, 0, 1).test.rows]) == set(range(10))


def test_a_wrong_name_answers_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'fashion_mnist'"):
        load_images("fashion-mnist")
