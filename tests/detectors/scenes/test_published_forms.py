"""Published forms of RbA and REAL, and uncertainty of segmenters: networks, losses and scores."""

import numpy as np
import pytest
import torch

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.registered_id import registered_id
from offnominal.detectors.scenes import make_scene_detector
from offnominal.detectors.scenes.catalogue import scene_detectors
from offnominal.detectors.scenes.cylinder_network import CylinderNetwork, doubled, halved, lovasz_loss
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES
from offnominal.detectors.scenes.mahalanobis import GaussianSegmenter, Mahalanobis
from offnominal.detectors.scenes.mask_queries import MaskQueries, claims, outside, query_loss, semantic_claims
from offnominal.detectors.scenes.rba import RbA
from offnominal.detectors.scenes.real import REAL
from offnominal.detectors.scenes.segmenter import lack_of_confidence

SMALL = {"width": 8, "batch_size": 2, "device": "cpu"}


def right_prediction():
    """Two of four queries claim the classes 3 and 7 of an image; the others claim no class."""
    target = torch.tensor([[[3, 3, 7, IGNORED]]])
    classes = torch.full((1, 4, N_CLASSES + 1), -9.0)
    classes[0, [0, 1], N_CLASSES] = classes[0, 2, 7] = classes[0, 3, 3] = 9.0
    masks = torch.full((1, 4, 1, 4), -9.0)
    masks[0, 2, 0, 2] = masks[0, 3, 0, :2] = 9.0
    return classes, masks, target


def test_the_query_loss_is_smallest_for_the_right_classes_and_masks_in_any_order():
    classes, masks, target = right_prediction()
    assert query_loss((classes, masks), target) < 0.05
    order = torch.tensor([3, 0, 2, 1])
    assert torch.isclose(query_loss((classes[:, order], masks[:, order]), target), query_loss((classes, masks), target))
    assert query_loss((classes.roll(1, 2), masks), target) > 1.0
    assert query_loss((classes, -masks), target) > 1.0
    nothing = query_loss((classes, masks), torch.full_like(target, IGNORED))
    assert torch.isfinite(nothing)


def test_claims_are_high_where_one_sure_mask_is():
    classes, masks, _ = right_prediction()
    semantic = semantic_claims(classes, masks)
    assert semantic[0, 3, 0].tolist() == pytest.approx([1.0, 1.0, 0.0, 0.0], abs=1e-3)
    assert claims(classes, masks)[0, -1, 0].tolist() == pytest.approx([1.0, 1.0, 1.0, 0.0], abs=1e-3)
    assert torch.equal(claims(classes, masks)[:, :N_CLASSES], semantic)


def test_queries_attend_to_where_their_mask_was_or_everywhere():
    masks = torch.full((1, 2, 4, 4), -1.0)
    masks[0, 0, :2, :2] = 5.0
    hidden = outside(masks, (2, 2))
    assert hidden.tolist() == [[[False, True, True, True], [False, False, False, False]]]
    network = MaskQueries(8, 2, 5)
    made = network.predictions(torch.rand(1, 3, 32, 48))
    assert [tuple(each.shape) for each in made[-1]] == [(1, 5, N_CLASSES + 1), (1, 5, 8, 12)]
    assert len(made) == 3
    assert network(torch.rand(1, 3, 32, 48)).shape == (1, N_CLASSES + 1, 8, 12)


def range_inputs(points):
    """Range images with some points (n, x, y, height)."""
    inputs = torch.zeros(1, 6, 1, len(points))
    for k, (x, y, height) in enumerate(points):
        inputs[0, :, 0, k] = torch.tensor([x / 50.0, y / 50.0, height / 3.0, 0.1, 0.5, 1.0])
    return inputs


def test_points_of_one_cell_share_features_and_points_that_are_not_there_count_nowhere():
    torch.manual_seed(0)
    network = CylinderNetwork(8, 3, (8, 16, 4)).eval()
    inputs = range_inputs([(10.0, 1.0, 0.2), (10.1, 1.0, 0.2), (-30.0, 5.0, 2.0)])
    features, cell = network._in_cells(inputs)
    assert cell[0, 0] == cell[0, 1] != cell[0, 2]
    assert features.shape == (1, 3, 9)
    assert features[..., :3].abs().max() <= 0.5
    logits = network(inputs)
    assert logits.shape == (1, N_CLASSES + 1, 1, 3)
    absent = torch.cat([inputs, inputs[..., :1]], dim=3)
    absent[0, 5, 0, 3] = 0.0
    assert torch.allclose(network(absent)[..., :3], logits, atol=1e-5)
    far = range_inputs([(500.0, 0.0, 90.0), (-500.0, -0.001, -90.0)])
    assert network._in_cells(far)[1].max() < 8 * 16 * 4


def test_halved_and_doubled_grids_keep_their_cells():
    values = torch.arange(64.0).reshape(1, 1, 4, 4, 4)
    assert torch.equal(halved(doubled(values)), values)
    assert doubled(values).shape == (1, 1, 8, 8, 8)


def test_the_lovasz_loss_is_one_minus_the_jaccard_index_of_sure_predictions():
    classes = torch.tensor([0, 0, 0, 1])
    sure = torch.eye(2)[torch.tensor([0, 0, 1, 1])]
    assert lovasz_loss(sure, classes).item() == pytest.approx(0.5 * ((1 - 2 / 3) + (1 - 1 / 2)))
    assert lovasz_loss(torch.eye(2)[classes], classes) == 0.0


@pytest.mark.parametrize("cells", [(8, 16), (8, 16, 6)])
def test_wrong_cells_are_named(cells):
    with pytest.raises(InvalidParameter, match="three multiples of 4"):
        REAL(cells=cells)


def test_published_forms_have_no_outliers():
    rba, real = make_scene_detector("RbA-NoOutliers"), make_scene_detector("REAL-NoObjects")
    assert isinstance(rba, RbA)
    assert isinstance(real, REAL)
    assert (rba.max_outliers, rba.outlier_weight, rba.bounded, real.max_outliers) == (0, 0.0, False, 0)
    for name in ("RbA", "RbA-NoOutliers", "REAL", "REAL-NoObjects", "EAM", "Mahalanobis", "Energy"):
        assert registered_id(scene_detectors, make_scene_detector(name)) == name
    assert registered_id(scene_detectors, RbA(bounded=False)) == "RbA"
    with pytest.raises(InvalidParameter, match="n_queries"):
        make_scene_detector("EAM", n_queries=0)
    assert "gpu" in scene_detectors.spec("EAM").tags


def test_energy_is_low_for_large_logits():
    logits = torch.tensor([[0.0, 3.0], [0.0, 0.0]])[:, None]
    energy = lack_of_confidence(logits, "energy")[0]
    assert energy[0] > energy[1]
    assert energy[0].item() == pytest.approx(-np.log(2.0))


@pytest.mark.long
def test_the_distance_is_zero_at_the_mean_of_a_class_and_grows_away_from_it(streets):
    detector = Mahalanobis(n_steps=2, crop=(32, 48), **SMALL).fit(streets)
    network = detector.network_
    assert isinstance(network, GaussianSegmenter)
    assert torch.allclose(network.precision, network.precision.T, atol=1e-2 * network.precision.abs().max())
    assert (torch.linalg.eigvalsh(0.5 * (network.precision + network.precision.T).double()) > 0.0).all()
    images = torch.rand(1, 3, 32, 48)
    features = network.features(images)
    network.means[:] = features[0, :, 0, 0]
    found = network(images)
    assert found[0, :, 0, 0].abs().max() < 1e-3
    assert found.amax() > 0.0
    assert "_images" not in vars(detector)
