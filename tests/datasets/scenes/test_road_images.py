"""Sets of road images in their published layouts; the archives are generated."""

import hashlib
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core import directories
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidScores, MissingFile, UnknownName
from offnominal.datasets.png import encode_png
from offnominal.datasets.scenes import ROAD_IMAGE_SETS, open_road_images, road_images
from offnominal.detectors.scenes import LidarKNN, PatchKNN
from offnominal.evaluation.scenes import evaluate_road_images, image_scores

SHAPE = (48, 64)


def picture(k):
    rng = np.random.default_rng(k)
    rgb = np.full((*SHAPE, 3), (90, 90, 95), np.uint8) + rng.integers(0, 12, (*SHAPE, 3), np.uint8)
    label = np.zeros(SHAPE, np.uint8)
    label[20:36, 24:44], label[:8] = 1, 255
    rgb[label == 1] = (250, 20, 20)
    return rgb, label


def encoded(rgb, kind):
    if kind == "png":
        return encode_png(rgb)
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.fromarray(rgb).save(file, kind)
    return file.getvalue()


def layouts(name, kind):
    """Members of the archives of a set with two images, and of one that has no public labels."""
    images, labels = {}, {}
    for k in range(3):
        rgb, label = picture(k)
        if name == "fishyscapes":
            id = f"04_Maurener_Weg_8_000000_00003{k}"
            images[f"leftImg8bit/train/04_Maurener_Weg_8/{id}_leftImg8bit.png"] = encode_png(rgb)
            labels[f"fishyscapes_lostandfound/{k:04}_{id}_labels.png"] = encode_png(label)
        else:
            top = "dataset_AnomalyTrack" if name == "road-anomaly-21" else "dataset_ObstacleTrack"
            images[f"{top}/images/validation{k:04}.{'jpg' if kind == 'jpeg' else kind}"] = encoded(rgb, kind)
            if k < 2:
                labels[f"{top}/labels_masks/validation{k:04}_labels_semantic.png"] = encode_png(label)
                labels[f"{top}/labels_masks/validation{k:04}_labels_semantic_color.png"] = encode_png(rgb)
    return images, labels


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(directories.DATA_VARIABLE, str(tmp_path))
    return tmp_path / road_images.FOLDER


def place(home, monkeypatch, name, kind="png", change=None):
    """Write the archives of a set, and take their MD5 sums for the published ones."""
    about = ROAD_IMAGE_SETS[name]
    images, labels = layouts(name, kind)
    if change is not None:
        change(images, labels)
    one = about.images is about.labels
    contents = {
        about.images.name: {**images, **labels} if one else images,
        about.labels.name: {**images, **labels} if one else labels,
    }
    home.mkdir(exist_ok=True)
    sums = {}
    for file, members in contents.items():
        with zipfile.ZipFile(home / file, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        sums[file] = hashlib.md5((home / file).read_bytes()).hexdigest()
    archives = {each.name: replace(each, md5=sums[each.name]) for each in (about.images, about.labels)}
    known = replace(about, images=archives[about.images.name], labels=archives[about.labels.name])
    monkeypatch.setitem(ROAD_IMAGE_SETS, name, known)


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [
        ("road-anomaly-21", "jpeg", 2),
        ("road-obstacle-21", "webp", 2),
        ("road-anomaly-21", "png", 2),
        ("fishyscapes", "png", 3),
    ],
)
def test_images_with_public_labels_are_read(home, monkeypatch, name, kind, count):
    place(home, monkeypatch, name, kind)
    found = open_road_images(name)
    assert len(found) == count
    assert found.left_out == {}
    for k, image in enumerate(found):
        rgb, label = picture(k)
        assert np.abs(image.rgb.astype(int) - rgb).mean() < (1 if kind == "png" else 12)
        np.testing.assert_array_equal(image.label, label)
    assert open_road_images(name)[0].id.endswith("000030" if name == "fishyscapes" else "0000")


@pytest.mark.parametrize("name", list(ROAD_IMAGE_SETS))
def test_one_line_says_what_is_missing(home, name):
    line = ROAD_IMAGE_SETS[name].missing
    assert "\n" not in line
    assert "lacks" in line
    with pytest.raises(MissingFile, match=r"place the file .* \(md5 [0-9a-f]{32}\)"):
        open_road_images(name)


def test_an_archive_with_another_hash_is_an_error(home, monkeypatch):
    place(home, monkeypatch, "road-anomaly-21")
    path = home / "dataset_AnomalyTrack.zip"
    path.write_bytes(path.read_bytes() + b"?")
    with pytest.raises(DamagedFile, match="has md5"):
        open_road_images("road-anomaly-21")
    with pytest.raises(UnknownName, match="road-anomaly-21"):
        open_road_images("road-anomaly")


def test_damaged_images_are_named_and_the_rest_goes_on(home, monkeypatch):
    def change(images, labels):
        first = next(iter(labels))
        labels[first] = encode_png(picture(0)[1] + 5)
        del images[next(name for name in images if name.endswith("031_leftImg8bit.png"))]

    place(home, monkeypatch, "fishyscapes", change=change)
    found = open_road_images("fishyscapes")
    assert [image.id[:4] for image in found.intact()] == ["0002"]
    assert sorted(reason.partition(" has the labels ")[0] or reason for reason in found.left_out.values()) == [
        "fishyscapes_lostandfound/0000_04_Maurener_Weg_8_000000_000030_labels.png",
        "its image is missing",
    ]


def test_detectors_of_colours_are_evaluated(home, monkeypatch):
    place(home, monkeypatch, "fishyscapes")
    images = open_road_images("fishyscapes")
    plain = replace(
        images[0], rgb=np.where(images[0].label[..., None] == 1, np.uint8(92), images[0].rgb), label=0 * images[0].label
    )
    detector = PatchKNN().fit([[plain.frame()]])
    found = evaluate_road_images(image_scores(detector), images, replicates=20)
    assert found.positives == 3 * 16 * 20
    assert found.negatives == 3 * (40 * 64 - 16 * 20)
    assert found.ranking.auroc.value > 0.9
    with pytest.raises(InvalidScores, match="shape"):
        evaluate_road_images(lambda image: np.zeros(3), images)
    with pytest.raises(InvalidParameter, match="no images"):
        evaluate_road_images(image_scores(detector), [])
    with pytest.raises(InvalidParameter, match="lidar"):
        image_scores(LidarKNN().fit([[with_points(plain)]]))(images[0])


def with_points(image):
    from offnominal.sensing import Instance, Lidar, Plane, Scene, sweep
    from offnominal.worlds.road.rig_frame import LidarFrame, RigFrame

    lidar = Lidar(channels=4, columns=16, fov=(-20.0, -5.0))
    cloud = sweep(Scene((Instance(Plane(), label=1),)), lidar, intensity=True)
    return replace(image.frame(), sensors=RigFrame({}, {"top": LidarFrame(lidar, cloud, cloud)}))
