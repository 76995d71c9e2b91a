"""One class is anomalous, or all except one are."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.image_sets import ImageSet, leave_one_in, leave_one_out


@pytest.fixture
def images():
    labels = np.array([2, 0, 1] * 40)
    pictures = np.arange(120, dtype=np.uint8)[:, None, None, None]
    return ImageSet("mine", pictures, labels, ("a", "b", "c"))


def test_the_class_left_out_is_the_anomaly(images):
    parts = leave_one_out(images, 0, seed=1)
    assert set(images.labels[parts.train.rows]) == {0, 1}
    assert set(images.labels[parts.test.rows[parts.test.anomalous]]) == {2}
    assert (len(parts.train), len(parts.validation), len(parts.test)) == (48, 36, 36)


def test_the_class_left_in_is_normal(images):
    parts = leave_one_in(images, 0, seed=1)
    assert set(images.labels[parts.train.rows]) == {2}
    assert set(images.labels[parts.test.rows[parts.test.anomalous]]) == {0, 1}


def test_parts_share_no_image(images):
    parts = leave_one_out(images, 1, seed=5)
    rows = np.concatenate([parts.train.rows, parts.validation.rows, parts.test.rows])
    assert len(set(rows.tolist())) == len(rows)


def test_a_part_has_its_own_images(images):
    part = leave_one_out(images, 1, seed=5).validation
    assert (np.rint(part.points[:, 0] * 255) == part.rows).all()
    assert part.images.shape == (len(part), 1, 1, 1)
    assert not part.normal.anomalous.any()


@pytest.mark.parametrize("index", [-1, 3, True, "a"])
def test_a_class_that_is_not_there_is_named(images, index):
    with pytest.raises(InvalidParameter, match="mine has 0 to 2"):
        leave_one_out(images, index, seed=1)
