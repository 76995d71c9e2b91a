"""Detectors that need no labels find a cow on the lane."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName
from offnominal.detectors.scenes import HeightAboveRoad, LidarKNN, PatchKNN, SceneFusion, make_scene_detector
from offnominal.detectors.scenes.nominal_rows import RowSample, covering
from offnominal.detectors.scenes.patch_knn import patch_descriptors
from offnominal.evaluation.ranking import rank
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import RigFrame

pytestmark = pytest.mark.long

SMALL = {"memory_size": 256}
PARTS = (HeightAboveRoad(), LidarKNN(**SMALL), PatchKNN(**SMALL))


def aurocs(detector, frames):
    pooled = {"camera": [], "lidar": []}
    for frame, scores in zip(frames, detector.iter_scores(frames), strict=True):
        for name, values in scores.cameras.items():
            image = frame.sensors.cameras[name].image
            pooled["camera"].append((values[np.isfinite(image.depth)], image.label[np.isfinite(image.depth)]))
        for name, values in scores.lidars.items():
            cloud = frame.sensors.lidars[name].measured
            pooled["lidar"].append((values, cloud.label[cloud.returned]))
    found = {}
    for sensor, parts in pooled.items():
        if parts:
            values, labels = (np.concatenate(each) for each in zip(*parts, strict=True))
            cow = labels == Label.ANIMAL
            found[sensor], _, _ = rank(*(np.sort(values[part].astype(np.float64)) for part in (cow, ~cow)))
    return found


@pytest.mark.parametrize(
    ("detector", "sensors"),
    [
        (HeightAboveRoad(), {"camera", "lidar"}),
        (LidarKNN(**SMALL), {"lidar"}),
        (PatchKNN(**SMALL), {"camera"}),
        (SceneFusion(detectors=PARTS), {"camera", "lidar"}),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_a_cow_on_the_lane_has_higher_scores_than_the_rest(detector, sensors, streets, cow):
    found = aurocs(detector.fit(streets, seed=0), cow[:3])
    assert found.keys() == sensors
    assert min(found.values()) > 0.8, found


def test_fusion_passes_ranks_between_cameras_and_lidars(streets, cow):
    detector = SceneFusion(detectors=PARTS[:2]).fit(streets)
    (both,) = detector.score(cow[:1])
    lidar = cow[0].sensors.lidars["top"]
    silent = replace(lidar, measured=replace(lidar.measured, ranges=np.full_like(lidar.measured.ranges, np.inf)))
    (alone,) = detector.score([replace(cow[0], sensors=RigFrame(cow[0].sensors.cameras, {"top": silent}))])
    assert min(both.flat().min(), alone.flat().min()) >= 0.0
    assert max(both.flat().max(), alone.flat().max()) <= 1.0
    changed = both.cameras["top"] != alone.cameras["top"]
    assert 0.1 < changed.mean() < 0.9


def test_fusion_needs_detectors_and_sorted_scores(streets):
    for wrong in ((), "Motion", [3]):
        with pytest.raises(InvalidParameter, match="detector"):
            SceneFusion(detectors=wrong)
    fitted = SceneFusion(detectors=["HeightAboveRoad"]).fit(streets[:1])
    state = fitted.state_dict()
    with pytest.raises(DamagedFile, match="not sorted"):
        fitted.load_state_dict(state | {"0.lidars": state["0.lidars"][::-1].copy()})


def test_a_function_can_be_the_backbone_but_is_not_saved(streets, cow):
    detector = PatchKNN(backbone=lambda rgb: rgb[::4, ::4].astype(np.float64), memory_size=32).fit(streets[:1])
    assert detector.score(cow[:1])[0].cameras["top"].shape == (32, 48)
    with pytest.raises(InvalidParameter, match="is a function, which cannot be saved"):
        detector.get_params()


def test_an_unknown_backbone_is_named():
    pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(UnknownName, match="Did you mean 'dino_vits16'"):
        make_scene_detector("PatchKNN", backbone="dino_vits1")
    with pytest.raises(InvalidParameter, match="expected a name or a function"):
        PatchKNN(backbone=3)


def test_a_published_network_gives_a_grid_of_patches(streets, cow, monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.detectors.images.features.backbone import CustomBackbone
    from offnominal.detectors.scenes import backbone_patches

    pooled = CustomBackbone(lambda images: torch.nn.functional.avg_pool2d(images, images.shape[-1] // 4))
    monkeypatch.setattr(backbone_patches, "load_backbone", lambda name: pooled)
    monkeypatch.setattr(backbone_patches, "SIDE", 16)
    detector = PatchKNN(backbone="dino_vits16", memory_size=32, device="cpu").fit(streets[:1])
    assert detector.describe_(streets[0][0].sensors.cameras["top"].image.rgb).shape == (8, 12, 3)
    assert detector.score(cow[:1])[0].cameras["top"].shape == (32, 48)


def test_a_covering_subset_has_rare_rows_and_stops_at_copies():
    draw = np.random.default_rng(0)
    rows = np.concatenate([draw.normal(size=(500, 3)), [[30.0, 0.0, 0.0]]])
    assert 500 in covering(rows, 8, draw)
    assert len(covering(np.ones((9, 2)), 5, draw)) == 1


def test_a_sample_of_a_stream_is_uniform():
    sample = RowSample(100, np.random.default_rng(0))
    for start in range(0, 4000, 40):
        sample.add(np.arange(start, start + 40, dtype=np.float64)[:, None])
    assert len(sample.rows()) == 100
    assert 1600 < sample.rows().mean() < 2400


def test_descriptors_of_a_uniform_image_differ_only_in_place():
    found = patch_descriptors(np.full((32, 48, 3), 128, np.uint8), 4)
    assert found.shape == (16, 24, 15)
    assert np.ptp(found[..., :-2], axis=(0, 1)).max() < 1e-6
