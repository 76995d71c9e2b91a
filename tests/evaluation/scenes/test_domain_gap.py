"""The gap between simulated scenes and photographs; the archives are generated."""

import hashlib
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core import directories
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.png import encode_png
from offnominal.datasets.scenes import ROAD_IMAGE_SETS, RoadImage, road_images
from offnominal.detectors.scenes import PatchKNN
from offnominal.evaluation.scenes import measure_gap

pytestmark = pytest.mark.long

SHAPE = (40, 64)


def picture(k, grey, anomaly):
    rng = np.random.default_rng(k)
    rgb = np.full((*SHAPE, 3), grey, np.uint8) + rng.integers(0, 10, (*SHAPE, 3), np.uint8)
    label = np.zeros(SHAPE, np.uint8)
    if anomaly:
        label[16:30, 8:20] = 1
        rgb[label == 1] = (250, 20, 20)
    return rgb, label


class Scene:
    """A scene in memory with one camera."""

    def __init__(self, id, anomaly):
        self.id = self.scenario_id = id
        self.frames = [RoadImage(f"{id}/{k}", *picture(k, 90, anomaly)).frame(k) for k in range(2)]

    def __iter__(self):
        return iter(self.frames)


@pytest.fixture
def photographs(tmp_path, monkeypatch):
    """RoadAnomaly21 with four photographs of a lighter road; the other sets are missing."""

    monkeypatch.setenv(directories.DATA_VARIABLE, str(tmp_path))
    about = ROAD_IMAGE_SETS["road-anomaly-21"]
    path = tmp_path / road_images.FOLDER / about.images.name
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for k in range(4):
            rgb, label = picture(100 + k, 170, anomaly=True)
            archive.writestr(f"dataset_AnomalyTrack/images/validation{k}.png", encode_png(rgb))
            archive.writestr(f"dataset_AnomalyTrack/labels_masks/validation{k}_labels_semantic.png", encode_png(label))
    known = replace(about.images, md5=hashlib.md5(path.read_bytes()).hexdigest())
    monkeypatch.setitem(ROAD_IMAGE_SETS, about.name, replace(about, images=known, labels=known))


def test_training_here_and_there_is_tested_here_and_there(photographs):
    found = measure_gap(PatchKNN, [Scene("normal", False)], [Scene("red", True)], replicates=10)
    pairs = [(row.trained, row.tested) for row in found.rows]
    real = "road-anomaly-21"
    assert pairs == [("simulated", "simulated"), ("simulated", real), (real, "simulated"), (real, real)]
    by_pair = dict(zip(pairs, found.rows, strict=True))
    assert by_pair["simulated", "simulated"].metrics.images == 2
    assert by_pair["simulated", real].metrics.images == 2
    assert by_pair["simulated", "simulated"].metrics.ranking.auroc.value > 0.9
    assert by_pair[real, real].metrics.ranking.auroc.value > 0.9
    assert {"auroc", "auroc_low", "aupr", "fpr95"} <= set(found.rows[0].columns())


def test_one_line_says_which_sets_are_missing(photographs):
    found = measure_gap(PatchKNN, [Scene("normal", False)], [Scene("red", True)], replicates=0)
    assert len(found.missing) == 2
    assert all("lacks" in line and "\n" not in line for line in found.missing)


def test_without_photographs_only_the_simulated_scenes_are_tested(tmp_path, monkeypatch):
    monkeypatch.setenv(directories.DATA_VARIABLE, str(tmp_path))
    found = measure_gap(PatchKNN, [Scene("normal", False)], [Scene("red", True)], replicates=0)
    assert [(row.trained, row.tested) for row in found.rows] == [("simulated", "simulated")]
    assert len(found.missing) == 3


def test_what_is_no_detector_is_an_error(photographs):
    with pytest.raises(InvalidParameter, match="the result of make"):
        measure_gap(dict, [Scene("normal", False)], [Scene("red", True)])


def test_the_normal_part_of_a_photograph_has_no_anomaly():
    image = RoadImage("a", *picture(0, 90, anomaly=True))
    part = image.normal_part()
    assert part.rgb.shape == (40, 44, 3)
    assert not part.label.any()
    full = replace(image, label=np.ones(SHAPE, np.uint8))
    assert full.normal_part() is None
