"""Score files of other groups, in the format of AnoVox's benchmark."""

import json

import numpy as np
import pytest

from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter, InvalidScores, MissingFile
from offnominal.datasets.png import encode_png
from offnominal.datasets.scenes import open_recording
from offnominal.datasets.scenes.published_encodings import encode_depth
from offnominal.evaluation.scenes import evaluate_score_files
from offnominal.worlds.road.labels import Label

SHAPE = (6, 8)
TICKS = {"one": (16, 17), "two": (31, 32)}
SETUP = {
    f"{kind}(0, 0, 1.8)(0, 0, 0)_1": {
        "sensor_type": kind, "file_ending": ending, "location": [0, 0, 1.8], "rotation": [0, 0, 0],
        "args": {"camera_fov": 90.0, "channels": 2, "points_per_second": 160, "lower_fov": -10.0, "upper_fov": 0.0},
    }
    for kind, ending in (
        ("RGB-CAM", ".png"), ("DEPTH_CAM", ".png"), ("SEMANTIC-CAM", ".png"), ("LIDAR", ".npy"),
        ("SEMANTIC-LIDAR", ".npy"),
    )
}  # fmt: skip
ANGLES = np.deg2rad([-60.0, 20.0, 95.0, -150.0])
POINTS = np.stack([10.0 * np.cos(ANGLES), 10.0 * np.sin(ANGLES), 0.0 * ANGLES], axis=1)
"""Points of a lidar in another order than that of its columns."""
POINT_LABELS = np.array([1, 29, 1, 29])


def labels():
    found = np.full(SHAPE, int(Label.ROAD), np.uint8)
    found[2:4, 3:5] = int(Label.HOME)
    return found


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Two scenes of two frames, as AnoVox's generator writes them; with voxels."""
    place = tmp_path_factory.mktemp("anovox")
    for id, ticks in TICKS.items():
        scene = place / f"Scenario_{id}"
        for name in (*SETUP, "ANOMALY", "VOXEL_GRID"):
            (scene / name).mkdir(parents=True)
        (scene / "sensor_setup.json").write_text(json.dumps(SETUP))
        for tick in ticks:
            for name in SETUP:
                write_sensor(scene, name, tick)
            (scene / "ANOMALY" / f"ANOMALY_{tick}.csv").write_text(
                "anomaly_id ; 77\nanomaly_type_id ; static.prop.o_sofa_home\nanomaly_is_alive ; True\nsize ; Big\n"
            )
            voxels = np.array([(520, 500, 30, 29), (521, 500, 30, 1), (522, 500, 30, 1)], np.uint16)
            np.save(scene / "VOXEL_GRID" / f"VOXEL_GRID_{tick}.npy", voxels)
    return open_recording(place)


def write_sensor(scene, name, tick):
    path = scene / name / f"{name}_{tick}"
    kind = name.partition("(")[0]
    images = {
        "RGB-CAM": np.full((*SHAPE, 3), 90, np.uint8),
        "DEPTH_CAM": encode_depth(np.full(SHAPE, 12.0, np.float32)),
        "SEMANTIC-CAM": labels(),
    }
    if kind in images:
        path.with_name(f"{path.name}.png").write_bytes(encode_png(images[kind]))
    else:
        last = POINT_LABELS if kind.startswith("SEM") else np.full(4, 0.5)
        np.save(path.with_name(f"{path.name}.npy"), np.column_stack([POINTS, last]).astype(np.float32))


def scores_of(unit, good=True):
    """Scores that are all right, or the other way round."""
    right = {
        "pixel": (labels() == int(Label.HOME)) * 0.5,
        "point": (int(Label.HOME) == POINT_LABELS) * 0.5,
        "voxel": np.array([(520, 500, 30, 0.5), (521, 500, 30, 0.0), (522, 500, 30, 0.0), (1, 1, 1, 0.9)]),
    }[unit].astype(np.float64)
    if good:
        return right
    if unit == "voxel":
        right[:, 3] *= -1.0
        return right
    return -right


def write_scores(folder, arrays):
    for name, array in arrays.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, array)
    return folder


@pytest.mark.parametrize("unit", ["pixel", "point", "voxel"])
def test_scores_of_every_unit_get_our_metrics(recording, tmp_path, unit):
    assert recording.left_out == {}
    for good in (True, False):
        files = {f"scores_{tick}.npy": scores_of(unit, good) for ticks in TICKS.values() for tick in ticks}
        found = evaluate_score_files(write_scores(tmp_path / str(good), files), recording, unit, as_published=True)
        assert (found.matched_by, found.files, found.unscored, found.left_out) == ("frame", 4, 0, {})
        row = found.report.row("default", unit)
        assert row.ranking.auroc.value == pytest.approx(1.0 if good else 0.0)
        assert row.as_published.auroc == pytest.approx(1.0 if good else 0.0)
        assert found.report.row("big", unit).frames == 4


def test_points_are_matched_in_the_order_of_the_file(recording, tmp_path):
    # The columns of the lidar are in another order, so that scores by column would be wrong.
    order = recording["one"].reader.point_orders(recording["one"].details.frames[0])
    assert [each.tolist() for each in order.values()] != [[0, 1, 2, 3]]


def test_files_are_matched_by_scene_by_frame_or_by_order(recording, tmp_path):
    good = scores_of("pixel")
    by_scene = {f"Scenario_{id}/{tick}.npy": good for id, ticks in TICKS.items() for tick in ticks}
    by_order = {f"pcd_voxel_scores_{k:06}.npy": good for k in range(4)}
    some = {"scores_16.npy": good, "scores_99.npy": good}
    for name, files, matched, used in (
        ("scene", by_scene, "scene and frame", 4),
        ("order", by_order, "order", 4),
        ("some", some, "frame", 1),
    ):
        found = evaluate_score_files(write_scores(tmp_path / name, files), recording, "pixel")
        assert (found.matched_by, found.files, found.unscored) == (matched, used, 4 - used)
    assert found.left_out == {"scores_99.npy": "no frame 99"}


def test_what_cannot_be_evaluated_is_named_and_the_rest_goes_on(recording, tmp_path):
    good = scores_of("pixel")
    files = {"a_16.npy": good, "a_17.npy": good[:3], "a_31.npy": np.full(SHAPE, np.nan), "a_32.npy": good}
    folder = write_scores(tmp_path / "files", files)
    (folder / "a_32.npy").write_bytes(b"no array")
    (folder / "notes.txt").write_text("")
    found = evaluate_score_files(folder, recording, "pixel")
    assert found.files == 1
    assert set(found.left_out) == {"a_17.npy", "a_31.npy", "a_32.npy", "notes.txt"}
    assert "shape (3, 8)" in found.left_out["a_17.npy"]
    assert "not finite" in found.left_out["a_31.npy"]


def test_folders_that_do_not_fit_are_errors(recording, tmp_path):
    folder = write_scores(tmp_path / "few", {"first.npy": scores_of("pixel")})
    with pytest.raises(InvalidScores, match="1 files for 4 frames"):
        evaluate_score_files(folder, recording, "pixel")
    with pytest.raises(InvalidScores, match="no file of"):
        evaluate_score_files(write_scores(tmp_path / "bad", {"a_16.npy": np.zeros(3)}), recording, "voxel")
    with pytest.raises(MissingFile):
        evaluate_score_files(tmp_path / "none", recording, "pixel")
    with pytest.raises(InvalidParameter, match="unit"):
        evaluate_score_files(folder, recording, "image")


@pytest.mark.long
def test_the_commands_check_a_folder_and_evaluate_files(recording, tmp_path):
    runner = pytest.importorskip("typer.testing").CliRunner()
    checked = runner.invoke(program, ["scenes", "check", str(recording.folder), "--json"])
    found = json.loads(checked.stdout)
    assert checked.exit_code == 0
    assert [scene["frames"] for scene in found["scenes"]] == [2, 2]
    assert set(found["notes"]) == set(TICKS)
    files = {f"a_{tick}.npy": scores_of("point") for ticks in TICKS.values() for tick in ticks}
    folder = write_scores(tmp_path / "files", files)
    options = ["--scores", str(folder), "--unit", "point", "--as-published", "--out", str(tmp_path / "rows.csv")]
    evaluated = runner.invoke(program, ["scenes", "evaluate", str(recording.folder), *options])
    assert evaluated.exit_code == 0
    assert "4 files, matched by frame; 0 frames without a file." in evaluated.stdout
    assert (tmp_path / "rows.csv").read_text().startswith("unit,group,name,frames")


def test_a_voxel_with_two_scores_is_an_error(recording, tmp_path):
    twice = np.array([(520, 500, 30, 0.5), (520, 500, 30, 0.6)])
    files = {"a_16.npy": twice, "a_17.npy": scores_of("voxel")}
    found = evaluate_score_files(write_scores(tmp_path / "files", files), recording, "voxel")
    assert "two scores of one voxel" in found.left_out["a_16.npy"]


def test_the_threshold_is_that_of_validation_files(recording, tmp_path):
    files = {f"a_{tick}.npy": scores_of("pixel") for ticks in TICKS.values() for tick in ticks}
    folder = write_scores(tmp_path / "files", files)
    found = evaluate_score_files(folder, recording, "pixel", validation=(folder, recording))
    assert found.report.row("default", "pixel").operating.f1.value == 1.0
