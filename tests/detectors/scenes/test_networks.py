"""Networks that are trained with the labels of normal scenes: losses, outliers, scores and training runs."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName
from offnominal.datasets.scenes import open_scenes, record_scenes
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes import (
    REAL,
    RbA,
    SceneObservation,
    Segmenter,
    load_scene_detector,
    save_scene_detector,
    train_scene_networks,
    trained_names,
    trained_networks,
    trained_scene_detector,
    training_record,
)
from offnominal.detectors.scenes.label_classes import CLASSES, IGNORED, N_CLASSES, class_table
from offnominal.detectors.scenes.labelled_images import ImageBatch, LabelledImages, StoredImages
from offnominal.detectors.scenes.mask_classifier import mask_loss, rejection_loss
from offnominal.detectors.scenes.network_record import read_record
from offnominal.detectors.scenes.pasted_objects import UNKNOWN, with_objects
from offnominal.detectors.scenes.range_images import RangeImages, with_outliers
from offnominal.detectors.scenes.rba import bounded_rejection, rejection
from offnominal.detectors.scenes.real import redundancy_loss
from offnominal.detectors.scenes.scene_network import learning_rate_factor
from offnominal.detectors.scenes.segmenter import lack_of_confidence
from offnominal.detectors.scenes.training_runs import ReadAhead
from offnominal.laws import street_scene
from offnominal.laws.street_scenes import STREET_RIG
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, Label
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing

pytestmark = pytest.mark.long

SMALL = {"width": 8, "batch_size": 2, "device": "cpu"}


def test_every_normal_label_has_one_class_and_anomalies_have_none():
    table = class_table()
    assert all(table[label] == IGNORED for label in (*CONTENT_ANOMALIES, Label.TEMPORAL_ANOMALY, Label.UNLABELED))
    assert sum(map(len, CLASSES)) == len({label for labels in CLASSES for label in labels}) == 28
    assert table[Label.AGENT_BUS] == table[Label.BUS]


@pytest.mark.slow
def test_a_segmenter_learns_the_classes_of_a_street(streets, cow):
    detector = Segmenter(n_steps=24, learning_rate=0.01, crop=(32, 48), **SMALL).fit(streets)
    assert detector.curve_[-1, 1] < 0.8 * detector.curve_[0, 1]
    found = {}
    for confidence in ("max_softmax", "max_logit", "entropy"):
        other = detector.with_confidence(confidence)
        assert other.network_ is detector.network_
        found[confidence] = other.score(cow[:1])[0].cameras["top"]
    assert found["entropy"].min() >= 0.0
    assert not np.array_equal(found["max_softmax"], found["max_logit"])
    with pytest.raises(InvalidParameter, match="confidence is 'odds'"):
        detector.with_confidence("odds")


def test_scores_fall_with_confidence():
    logits = torch.tensor([[0.0, 2.0, 60.0, 90.0], [0.0, 0.0, 0.0, 0.0]])[:, None]
    for confidence in ("max_softmax", "max_logit", "entropy"):
        scores = lack_of_confidence(logits, confidence)[0]
        assert (scores.diff() <= 0.0).all(), confidence
    assert lack_of_confidence(logits, "max_softmax")[0, 2] >= 0.0


def test_the_mask_loss_is_smallest_for_the_right_masks_and_presence():
    target = torch.tensor([[[3, 3, 7, N_CLASSES, IGNORED]]])
    masks = torch.full((1, N_CLASSES, 1, 5), -9.0)
    masks[0, 3, 0, :2] = masks[0, 7, 0, 2] = masks[0, :, 0, 4] = 9.0
    presence = torch.full((1, N_CLASSES), -9.0)
    presence[0, [3, 7]] = 9.0
    assert mask_loss(presence, masks, target) < 0.1
    assert mask_loss(-presence, masks, target) > 1.0
    assert mask_loss(presence, masks.flip(1), target) > 1.0
    assert torch.isfinite(mask_loss(presence, masks, torch.full_like(target, IGNORED)))


def test_rejection_is_high_where_no_class_claims_a_pixel():
    logits = torch.zeros(1, N_CLASSES, 1, 3)
    logits[0, 2, 0, 0] = logits[0, 5, 0, 1] = logits[0, 6, 0, 1] = 1.0
    scores = rejection(logits)
    bounded = bounded_rejection(logits)
    assert bounded[0, 0, 0] == bounded[0, 0, 1] < bounded[0, 0, 2] == 0.0
    assert scores[0, 0].tolist() == pytest.approx([-np.tanh(1.0), -2.0 * np.tanh(1.0), 0.0])
    assert rejection_loss(scores, torch.tensor([[[2, 5, N_CLASSES]]])) == 0.0
    assert rejection_loss(scores, torch.tensor([[[2, N_CLASSES, 5]]])) > 0.5
    assert rejection_loss(scores, torch.full((1, 1, 3), IGNORED)) == 0.0


def test_pasted_objects_stand_on_the_ground_and_behind_what_is_nearer():
    depth = torch.full((8, 48, 64), 20.0)
    classes = torch.zeros((8, 48, 64), dtype=torch.int64)
    depth[:, :, :32], classes[:, :, :32] = 2.0, 13
    batch = ImageBatch(torch.full((8, 3, 48, 64), 0.4), classes, depth, torch.full((8,), 32.0))
    changed = with_objects(batch, 3, RandomNumbers(0, torch.device("cpu")))
    unknown = changed.classes == UNKNOWN
    assert unknown.any()
    assert not unknown[:, :, :32].any()
    assert torch.equal(changed.pixels[:, :, :, :32], batch.pixels[:, :, :, :32])
    assert not torch.equal(changed.pixels, batch.pixels)
    assert ((changed.pixels >= 0.0) & (changed.pixels <= 1.0)).all()
    again = with_objects(batch, 3, RandomNumbers(0, torch.device("cpu")))
    assert torch.equal(again.pixels, changed.pixels)
    walls = ImageBatch(batch.pixels, torch.full_like(classes, 2), depth, batch.focal)
    assert torch.equal(with_objects(walls, 3, RandomNumbers(0, torch.device("cpu"))).pixels, batch.pixels)


def test_crops_of_images_keep_pixels_classes_and_depths_together():
    rows, columns = torch.meshgrid(torch.arange(40), torch.arange(60), indexing="ij")
    rgb = torch.stack([rows, columns, torch.zeros_like(rows)], dim=-1).to(torch.uint8)[None]
    stored = StoredImages(rgb, (rows % 20).to(torch.uint8)[None], columns.half()[None] + 1.0, torch.tensor([30.0]))
    images = LabelledImages(stored, stored, (16, 24), RandomNumbers(1, torch.device("cpu")))
    middle = images.validation_batches(4, 9)
    assert [len(each.pixels) for each in middle] == [1]
    assert middle[0].pixels[0, 0, :, 0].mul(255).round().tolist() == list(range(12, 28))
    many = images.batch(32)
    assert many.pixels.shape == (32, 3, 16, 24)
    reduction = (many.depth.amax((1, 2)) - many.depth.amin((1, 2))) / 23.0
    assert 0.99 < reduction.min() < 1.2
    assert 1.6 < reduction.max() < 2.1
    assert torch.allclose(many.focal * reduction, torch.full((32,), 30.0), rtol=0.05)
    assert images.counts().sum() == 2400


def test_rba_scores_are_between_minus_the_number_of_classes_and_zero(streets, cow):
    detector = RbA(n_steps=2, crop=(32, 48), **SMALL).fit(streets)
    scores = detector.score(cow[:1])[0].cameras["top"]
    assert -N_CLASSES <= scores.min() < scores.max() <= 0.0
    published = RbA(crop=(32, 48), bounded=False, **SMALL)
    published.load_state_dict(detector.state_dict())
    assert not np.array_equal(published.score(cow[:1])[0].cameras["top"], scores)
    state = detector.state_dict()
    with pytest.raises(DamagedFile, match="arrays of weights; missing or unknown"):
        detector.load_state_dict({name: array for name, array in state.items() if name != "network.place"})


def test_the_unknown_is_the_second_choice_of_normal_points():
    classes = torch.tensor([[[2, N_CLASSES, IGNORED]]])
    logits = torch.zeros(1, N_CLASSES + 1, 1, 3)
    logits[0, 2, 0, 0] = logits[0, -1, 0, 1] = 20.0
    plain = redundancy_loss(logits, classes, 0.0)
    assert plain < 1e-3
    unsure = redundancy_loss(logits, classes, 1.0)
    logits[0, -1, 0, 0] = 10.0
    assert redundancy_loss(logits, classes, 1.0) < 0.1 < unsure


def test_outliers_stand_on_the_road_and_hide_only_what_is_behind_them(streets):
    observation = SceneObservation.of(streets[0][0])
    cloud = observation.lidars["top"]
    image = RangeImages.of(cloud, 0.0)
    returned = torch.from_numpy(streets[0][0].sensors.lidars["top"].measured.returned)[None]
    assert torch.equal(image.distance > 0.0, returned)
    heights = image.rays[..., 2] * image.distance + image.height
    assert np.abs(heights[returned].numpy() - cloud.points[:, 2]).max() < 0.05
    images = RangeImages.joined([image] * 8)
    road = torch.from_numpy(streets[0][0].sensors.lidars["top"].measured.label == Label.ROAD).expand(8, -1, -1)
    changed, added = with_outliers(images, road, 20, RandomNumbers(0, torch.device("cpu")))
    assert 0 < added.sum() < added.numel() // 2
    assert torch.equal(changed.distance[~added], images.distance[~added])
    behind = added & (images.distance > 0.0)
    assert (changed.distance[behind] < images.distance[behind] + 0.6).all()
    nothing, none = with_outliers(images, torch.zeros_like(road), 5, RandomNumbers(0, torch.device("cpu")))
    assert not none.any()
    assert torch.equal(nothing.inputs(), images.inputs())
    with pytest.raises(InvalidParameter, match="the lidars of the scenes differ"):
        RangeImages.joined([image, image.reduced(0, 0)])


@pytest.mark.slow
def test_real_separates_outliers_from_normal_points(streets, cow):
    detector = REAL(n_steps=24, learning_rate=0.01, **SMALL).fit(streets)
    assert detector.curve_[-1, 1] < 0.95 * detector.curve_[0, 1]
    cloud = cow[0].sensors.lidars["top"].measured
    assert detector.score(cow[:1])[0].lidars["top"].shape == (cloud.returned.sum(),)


def test_the_learning_rate_never_rises_after_the_beginning():
    rates = np.array([learning_rate_factor(progress) for progress in np.linspace(0.1, 1.5, 50)])
    assert rates[0] == pytest.approx(1.0)
    assert (np.diff(rates) <= 0.0).all()


class StreetRun:
    """A run of a scenario along a street."""

    def __init__(self, scenario, *, rig=None, twin=False):
        self.scenario, self.twin, self.rig, self.discards = scenario, twin, STREET_RIG, ()
        self.route = SimpleNamespace(waypoints=(np.array([(float(k), 0.0) for k in range(110)]), None))

    def anomaly_truth(self):
        return None

    def frames(self, start=0):
        return iter(street_scene(self.scenario.timing.frames, seed=self.scenario.seed)[start:])


def test_networks_are_trained_once_on_the_normal_scenes_of_a_folder(tmp_path, cow):
    normal = [Scenario(f"s{k}", "grid", "CLEAR_NOON", k, 0, 0, timing=Timing(2, 2)) for k in range(2)]
    record_scenes(normal, tmp_path / "scenes", source=StreetRun)
    few = {"MaxSoftmax": {"n_steps": 2, **SMALL}, "REAL": {"n_steps": 2, **SMALL}}
    given = {"minutes": None, "detectors": ("MaxSoftmax", "REAL"), "parameters": few}
    lines, unfinished = [], []

    def report(line):
        lines.append(line)
        unfinished.extend(load_scene_detector(path.with_suffix("")) for path in tmp_path.glob("out/*.unfinished.json"))

    cards = train_scene_networks(tmp_path / "scenes", tmp_path / "out", report=report, **given)
    assert all(detector.score(cow[:1])[0].flat().any() for detector in unfinished)
    assert len(unfinished) == 2
    assert [card.detector for card in cards.values()] == ["MaxSoftmax", "REAL"]
    assert [line.split(" in ")[0] for line in lines[2:]] == ["REAL: 0 updates", "REAL: 2 updates"]
    assert load_scene_detector(tmp_path / "out" / "REAL").score(cow[:1])[0].lidars
    record = read_record(tmp_path / "out" / "REAL")
    assert (record.sha256, record.frames, record.updates) == (cards["REAL"].sha256, 4, 2)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{id}{end}" for id in few for end in (".safetensors", ".json", ".training.json")
    }
    written = (tmp_path / "out" / "REAL.json").stat().st_mtime_ns
    assert train_scene_networks(tmp_path / "scenes", tmp_path / "out", **given) == cards
    assert (tmp_path / "out" / "REAL.json").stat().st_mtime_ns == written
    with pytest.raises(InvalidParameter, match="an entry of detectors is 'Motion'"):
        train_scene_networks(tmp_path / "scenes", tmp_path / "out", detectors=["Motion"])


def test_a_set_without_normal_scenes_is_named(tmp_path):
    anomaly = ContentAnomaly("cow", distance=9.0)
    cow = Scenario("cow", "grid", "CLEAR_NOON", 1, 0, 0, timing=Timing(2, 1), anomaly=anomaly)
    record_scenes([cow], tmp_path / "cows", source=StreetRun)
    with pytest.raises(InvalidParameter, match="has no normal scenes; record those of"):
        train_scene_networks(tmp_path / "cows", tmp_path / "out")


def test_weights_of_the_package_are_loaded_for_every_detector_of_a_network(tmp_path, streets, cow, monkeypatch):
    monkeypatch.setattr(trained_networks, "FOLDER", tmp_path)
    with pytest.raises(UnknownName, match=r"no weights for 'RbA'.* for no detector; fit others"):
        trained_scene_detector("RbA")
    detector = Segmenter(n_steps=0, crop=(32, 48), **SMALL).fit(streets)
    card = save_scene_detector(tmp_path / "MaxSoftmax", detector)
    assert trained_names() == ["Energy", "Entropy", "MaxLogit", "MaxSoftmax"]
    for id, confidence in (("MaxSoftmax", "max_softmax"), ("Entropy", "entropy")):
        loaded = trained_scene_detector(id, device="cpu")
        expected = detector.with_confidence(confidence).score(cow[:1])[0].flat()
        assert np.array_equal(loaded.score(cow[:1])[0].flat(), expected)
    with pytest.raises(UnknownName, match=r"no weights for 'REAL'.* for Energy, Entropy, MaxLogit, MaxSoftmax"):
        trained_scene_detector("REAL")
    (tmp_path / "MaxSoftmax.safetensors").write_bytes(b"changed")
    with pytest.raises(DamagedFile, match=f"its card says {card.sha256[:12]}"):
        trained_scene_detector("MaxLogit")


@pytest.mark.slow
def test_worker_processes_read_the_same_frames_ahead(tmp_path):
    normal = [Scenario(f"s{k}", "grid", "CLEAR_NOON", k, 0, 0, timing=Timing(2, 1)) for k in range(3)]
    record_scenes(normal, tmp_path / "scenes", source=StreetRun)
    scenes = list(open_scenes(tmp_path / "scenes"))
    with ReadAhead(scenes, 2) as read:
        assert len(read) == 3
        for scene, ahead in zip(scenes, read, strict=True):
            for frame, found in zip(scene, ahead, strict=True):
                assert np.array_equal(found.sensors.cameras["top"].image.rgb, frame.sensors.cameras["top"].image.rgb)


@pytest.mark.parametrize("id", trained_names())
def test_shipped_networks_score_and_have_a_record(id, cow):
    record, detector = training_record(id), trained_scene_detector(id, device="cpu")
    assert np.isfinite(detector.score(cow[:1])[0].flat()).all()
    assert len(record.towns) == 8
    assert len(record.weathers) == 14
    assert record.metrics


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("kind", [Segmenter, RbA, REAL])
def test_scores_on_a_gpu_are_those_on_a_cpu(kind, streets, cow, tmp_path):
    detector = kind(n_steps=4, width=8, batch_size=2, device="auto").fit(streets)
    assert detector.device_.type == "cuda"
    other = kind(n_steps=4, width=8, batch_size=2, device="cpu")
    other.load_state_dict(detector.state_dict())
    found, expected = (each.score(cow[:1])[0].flat() for each in (detector, other))
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-3)
