"""A small encoder of this package never has a name that means published weights."""

import numpy as np
import pyarrow as pa
import pytest

import offnominal as off
from offnominal.core.episode import Episode
from offnominal.detectors.catalogue import UNTRAINED, detectors, make_detector
from offnominal.detectors.weights_in_names import (
    CLASSES,
    CLASSIFIERS,
    ENCODER,
    MEANS,
    PUBLISHED,
    name_with_weights,
    table_with_weights,
)
from offnominal.detectors.weights_in_names import UNTRAINED as SUFFIX
from offnominal.studies.results import RunResults
from offnominal.studies.runs import with_weights

IDS = ("KNN-ResNet", "DINO-Patch", "CLIP-Sim")


def test_the_names_and_classes_are_those_of_the_catalogue():
    assert UNTRAINED == SUFFIX
    assert set(PUBLISHED) == set(IDS)
    assert {detectors.spec(id).target.partition(":")[2]: id for id in (*IDS, "Feature-Mahalanobis")} == CLASSES
    feature = "offnominal.detectors.images.features."
    assert {spec.id for spec in detectors if spec.target.startswith(feature)} == {
        each for id in CLASSES.values() for each in (id, f"{id}{UNTRAINED}")
    }


def test_the_default_and_the_published_backbones_are_those_of_the_detectors():
    backbones = pytest.importorskip("offnominal.detectors.images.features.backbones")
    assert backbones.ENCODER == ENCODER
    assert set(PUBLISHED.values()) <= set(backbones.PUBLISHED_WEIGHTS)
    for start in MEANS.values():
        assert any(name.startswith(start) for name in backbones.PUBLISHED_WEIGHTS)
    for id in IDS:
        assert make_detector(id).get_params()["backbone"] == ENCODER


@pytest.mark.parametrize("id", IDS)
def test_a_name_says_the_weights_unless_they_are_the_published_ones(id):
    assert name_with_weights(id, id, {}) == f"{id} (small encoder)"
    assert name_with_weights(id, id, {"n_epochs": 0}) == f"{id} (random encoder)"
    assert name_with_weights(f"{id}{UNTRAINED}", f"{id}{UNTRAINED}", {}) == f"{id}{UNTRAINED} (random encoder)"
    assert name_with_weights(id, id, {"backbone": "timm:convnext"}) == f"{id} (timm:convnext)"
    assert name_with_weights(id, id, {"backbone": PUBLISHED[id]}) == id
    (kind,) = (name for name, each in CLASSES.items() if each == id)
    assert name_with_weights(f"my {id}", f"offnominal.detectors.images:{kind}", {}) == f"my {id} (small encoder)"


@pytest.mark.parametrize("id", [*IDS, "Feature-Mahalanobis"])
@pytest.mark.parametrize("name", ["VGG-16", "my EfficientNet-Lite0", "ResNet", "DINO", "CLIP"])
def test_no_small_encoder_has_the_name_of_a_published_network(id, name):
    assert name_with_weights(name, id, {}) == f"{name} (small encoder)"
    assert name_with_weights(name, id, {"n_epochs": 0}) == f"{name} (random encoder)"
    assert name_with_weights(name, id, {"backbone": "timm:tiny"}) == f"{name} (timm:tiny)"


def test_names_of_other_published_weights_stay():
    assert name_with_weights("KNN-VGG16", "KNN-ResNet", {"backbone": "vgg16_conv"}) == "KNN-VGG16"
    lite = {"backbone": "efficientnet_lite1"}
    assert name_with_weights("Patch-EfficientNet", "DINO-Patch", lite) == "Patch-EfficientNet"
    assert name_with_weights("DINO-Patch", "DINO-Patch", lite) == "DINO-Patch (efficientnet_lite1)"


def test_a_name_that_means_no_weights_is_followed_by_those_that_there_are():
    id, lite = "Feature-Mahalanobis", {"backbone": "efficientnet_lite1"}
    assert name_with_weights(id, id, {}) == f"{id} (small encoder)"
    assert name_with_weights(id, id, lite) == f"{id} (efficientnet_lite1)"
    assert name_with_weights(f"{id} EfficientNet", id, lite) == f"{id} EfficientNet"
    assert name_with_weights("Gauss", id, {}) == "Gauss"
    assert make_detector(id, **lite).name == "FeatureMahalanobis (efficientnet_lite1)"


def test_classifiers_with_a_small_encoder_say_so_too():
    registry = pytest.importorskip("offnominal.detectors.classifiers.catalogue").class_detectors
    assert {spec.id for spec in registry if hasattr(registry.make(spec.id), "backbone")} == set(CLASSIFIERS)
    assert name_with_weights("NDCC VGG16", "NDCC", {}) == "NDCC VGG16 (small encoder)"
    assert name_with_weights("NDCC VGG16", "NDCC", {"backbone": "vgg16_conv"}) == "NDCC VGG16"
    assert name_with_weights("NDCC", "NDCC", {}) == "NDCC"


def test_rows_of_novelcraft_have_a_list_of_parameters():
    lite, encoder = '[{}, {"backbone": "efficientnet_lite0"}]', '[{}, {"backbone": "encoder"}]'
    both = '[{"drift": 0.5}, {}, {"backbone": "encoder", "n_epochs": 0}]'
    rows = [
        {"name": "KNN EfficientNet-Lite0", "detector": "KNN-ResNet", "parameters": lite},
        {"name": "KNN EfficientNet-Lite0", "detector": "KNN-ResNet", "parameters": encoder},
        {"name": "Lite0 and autoencoder", "detector": "PatchAutoencoder, KNN-ResNet", "parameters": both},
        {"name": "KNN", "detector": "KNN-ResNet", "parameters": encoder},
    ]
    found = table_with_weights(pa.Table.from_pylist(rows))["name"].to_pylist()
    small = ["KNN EfficientNet-Lite0 (small encoder)", "Lite0 and autoencoder (random encoder)"]
    assert found == ["KNN EfficientNet-Lite0", *small, "KNN"]


def test_other_names_stay():
    assert name_with_weights("KNN-encoder", "KNN-ResNet", {"backbone": "encoder"}) == "KNN-encoder"
    assert name_with_weights("ResNet", "KNN", {}) == "ResNet"
    assert name_with_weights("KNN-ResNet (small encoder)", "KNN-ResNet", {}) == "KNN-ResNet (small encoder)"
    table = pa.table({"name": ["KNN-ResNet"], "auroc": [0.5]})
    assert table_with_weights(table) is table


def test_stored_results_of_early_versions_are_read_with_the_weights():
    resnet = '{"backbone": "resnet18"}'
    rows = [
        {"key": "a", "name": "KNN-ResNet", "detector": "KNN-ResNet", "parameters": "{}", "auroc": 0.6},
        {"key": "b", "name": "RES-KNN", "detector": "KNN-ResNet", "parameters": resnet, "auroc": 0.7},
        {"key": "c", "name": "KNN", "detector": "KNN", "parameters": None, "auroc": None},
    ]
    examples = [{"key": key, "name": name, "scores": [0.1]} for key, name in (("b", "RES-KNN"), ("a", "KNN-ResNet"))]
    old = RunResults("t", "t", "", "", {}, pa.Table.from_pylist(rows), pa.Table.from_pylist(examples))
    new = with_weights(old)
    assert new.table["name"].to_pylist() == ["KNN-ResNet (small encoder)", "RES-KNN", "KNN"]
    assert new.examples["name"].to_pylist() == ["RES-KNN", "KNN-ResNet (small encoder)"]
    assert new.table.drop_columns("name").equals(old.table.drop_columns("name"))
    assert new.table.schema.equals(old.table.schema)


def images(seed, onset=9):
    frames = np.random.default_rng(seed).integers(0, 256, (9, 3, 32, 32), np.uint8)
    return Episode(frames, np.zeros((8, 1)), np.zeros(8), np.arange(8) >= onset, seed=seed)


def test_detectors_and_comparisons_name_the_encoder():
    pytest.importorskip("torch", reason="torch is not installed")
    made = make_detector("DINO-Patch", n_epochs=0, bank_size=8, device="cpu")
    assert made.name == "DINOPatch (random encoder)"
    assert make_detector("KNN-ResNet").name == "KNNResNet (small encoder)"
    assert make_detector("KNN-ResNet", backbone="resnet18").name == "KNNResNet"
    data = {"train": [images(seed) for seed in range(4)], "test": [images(seed, 4) for seed in range(40, 44)]}
    found = off.compare({"DINO-Patch": made}, data, replicates=0)
    assert {row["detector"] for row in found.rows()} == {"DINO-Patch (random encoder)"}
