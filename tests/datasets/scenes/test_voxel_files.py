"""Voxel truth in recorded scenes."""

import json

import numpy as np
import pyarrow.ipc
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.datasets.scenes import VoxelSettings, open_published, open_scenes, record_scenes, verify_scenes
from offnominal.sensing import VoxelGrid
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import voxel_grid

pytestmark = pytest.mark.long

SETTINGS = VoxelSettings(label_sets=True)


@pytest.fixture(scope="module")
def folders(stand_in, tmp_path_factory):
    """One scenario in both layouts, with voxels."""
    place = tmp_path_factory.mktemp("voxels")
    for layout in ("compact", "published"):
        record_scenes(stand_in.SCENARIOS[1:2], place / layout, layout=layout, source=stand_in.Run, voxels=SETTINGS)
    return place


@pytest.fixture(scope="module")
def truth(stand_in):
    return [SETTINGS.truth(frame) for frame in stand_in.Run(stand_in.SCENARIOS[1]).frames()]


NAMES = ("index", "label", "instance", "count", "label_sets")


def test_compact_voxels_are_those_of_the_stored_frames(folders):
    (scene,) = open_scenes(folders / "compact")
    assert scene.voxel_settings == SETTINGS
    sizes = []
    for number, frame in enumerate(scene):
        found, expected = scene.voxels(number), SETTINGS.truth(frame)
        assert found.grid == expected.grid
        for name in NAMES:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        sizes.append(len(found))
    with pyarrow.ipc.open_stream(scene.folder / "voxels.arrow") as stream:
        assert [len(batch) for batch in stream] == sizes


def test_compact_voxels_are_nearly_those_of_the_simulation(folders, truth):
    (scene,) = open_scenes(folders / "compact")
    for number, expected in enumerate(truth):
        found = scene.voxels(number)
        assert len(np.intersect1d(found.index, expected.index)) > 0.9 * len(expected)
        assert abs(int(found.count.sum()) - int(expected.count.sum())) < 0.01 * expected.count.sum()


def test_rendered_voxels_are_those_of_the_stored_frames(tmp_path):
    # The depths of the stand-in are those of a flat road; here they are rounded to other values.
    rig = Rig("small", (Mount("top", (0.0, 0.0, 1.8)),), width=96, height=64, channels=16, columns=128)
    timing = Timing(recorded_ticks=2, record_every=1)
    cow = ContentAnomaly("cow", distance=80.0)
    scenario = Scenario(
        "cow", "residential", "CLEAR_NOON", seed=8, vehicles=2, pedestrians=2, anomaly=cow, timing=timing
    )
    record_scenes([scenario], tmp_path / "scenes", rig=rig, voxels=SETTINGS)
    (scene,) = open_scenes(tmp_path / "scenes")
    for number, frame in enumerate(scene):
        found, expected = scene.voxels(number), SETTINGS.truth(frame)
        for name in NAMES:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_published_voxels_have_the_published_format(folders, truth):
    (scene,) = open_published(folders / "published")
    assert scene.voxel_grid == VoxelGrid()
    for frame, expected in zip(scene, truth, strict=True):
        array = np.load(scene.folder / f"VOXEL_GRID/VOXEL_GRID_{frame.id}.npy")
        assert (array.dtype, array.shape) == (np.uint16, (len(expected), 4))
        numbers = array[:, :3].astype(int) @ (1, 200, 200 * 200)
        assert (np.diff(numbers) > 0).all()
        np.testing.assert_array_equal(frame.voxels.index, expected.index)
        np.testing.assert_array_equal(frame.voxels.label, expected.label)


@pytest.mark.parametrize("layout", ["compact", "published"])
def test_verification_covers_voxels(folders, stand_in, tmp_path, layout):
    place = tmp_path / layout
    record_scenes(stand_in.SCENARIOS[1:2], place, layout=layout, source=stand_in.Run, voxels=SETTINGS)
    assert not any(verify_scenes(place).values())
    file = next(place.rglob("voxels.arrow" if layout == "compact" else "VOXEL_GRID_4.npy"))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert "SHA-256" in verify_scenes(place)["HARD_RAIN_NOON-1"]
    if layout == "compact":
        (scene,) = open_scenes(place)
        with pytest.raises(DamagedFile):
            [scene.voxels(number) for number in range(3)]
        (scene.folder / "voxel_grid.json").write_text("{}")
        again = open_scenes(place)[0]
        with pytest.raises(DamagedFile, match="not the file"):
            again.voxels(0)


def test_interrupted_recording_resumes_with_its_voxels(folders, stand_in, tmp_path, monkeypatch):
    original = stand_in.Run.frame

    def fail(run, number):
        if number == 2:
            raise RuntimeError("interrupted")
        return original(run, number)

    again = {"source": stand_in.Run, "voxels": SETTINGS, "report": lambda line: None}
    with monkeypatch.context() as patch:
        patch.setattr(stand_in.Run, "frame", fail)
        with pytest.raises(RuntimeError):
            record_scenes(stand_in.SCENARIOS[1:2], tmp_path / "again", **again)
    record_scenes(stand_in.SCENARIOS[1:2], tmp_path / "again", **again)
    for name in ("voxels.arrow", "frames.arrow", "scene.json"):
        one, two = (next(place.rglob(name)).read_bytes() for place in (folders / "compact", tmp_path / "again"))
        assert one == two


def test_scenes_without_voxels_say_so(recorded, folders, tmp_path):
    with pytest.raises(MissingFile, match="record it with voxels"):
        recorded[0].voxels(0)
    with pytest.raises(InvalidParameter, match="voxels is 'paper'"):
        record_scenes([recorded[0].scenario], tmp_path / "other", voxels="paper")


def test_voxels_of_other_generators_are_read_in_the_public_grid(tmp_path):
    place = tmp_path / "Scenario_x"
    (place / "VOXEL_GRID").mkdir(parents=True)
    (place / "ACTION").mkdir()
    (place / "ACTION" / "ACTION_3.csv").write_text("speed ; 3\n")
    (place / "sensor_setup.json").write_text(json.dumps({}))
    file = place / "VOXEL_GRID" / "VOXEL_GRID_3.npy"
    np.save(file, np.array([(999, 999, 63, 9), (500, 500, 28, 1)]))
    (other,) = open_published(place)
    voxels = other[0].voxels
    assert voxels.grid == voxel_grid("public-code")
    assert voxels.label.tolist() == [1, 9]
    np.testing.assert_allclose(voxels.centres[0], (0.25, 0.25, 0.05), atol=1e-9)
    np.save(file, np.array([(1000, 0, 0, 1)]))
    with pytest.raises(DamagedFile, match="outside the grid"):
        other[0]
    np.save(file, np.zeros((2, 3)))
    with pytest.raises(DamagedFile, match="expected voxels"):
        other[0]
