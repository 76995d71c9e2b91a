"""Recording of driving scenes: resumed, in several processes, and refused where it cannot be written."""

import multiprocessing
import re
import signal

import pytest

from offnominal.core.errors import (
    AlreadyExists,
    DamagedFile,
    InaccessibleFile,
    InvalidParameter,
    UnsupportedEnvironment,
)
from offnominal.datasets.scenes import open_scenes, record_scenes, verify_scenes
from offnominal.datasets.scenes.compact_layout import CompactWriter
from offnominal.datasets.scenes.published_layout import PublishedWriter


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.long
def test_killed_recording_resumes_in_several_processes_without_repeating_a_frame(
    stand_in, recorded, tmp_path, monkeypatch
):
    monkeypatch.setenv("COUNTED_IN", str(tmp_path / "frames.txt"))
    monkeypatch.setenv("KILLED_AT", "HARD_RAIN_NOON-1 2")
    options = {"twins": True, "source": stand_in.Run}
    process = multiprocessing.get_context("fork").Process(
        target=record_scenes, args=(stand_in.SCENARIOS, tmp_path / "set"), kwargs=options
    )
    process.start()
    process.join(timeout=60)
    assert process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "set").exists()
    monkeypatch.delenv("KILLED_AT")
    lines = []
    record_scenes(stand_in.SCENARIOS, tmp_path / "set", workers=2, report=lines.append, **options)
    assert "5 frames are already finished" in lines[0]
    assert contents(tmp_path / "set") == contents(recorded.folder)
    counted = (tmp_path / "frames.txt").read_text().splitlines()
    assert len(counted) == len(set(counted)) == 15
    assert sorted(path.name for path in tmp_path.iterdir()) == ["frames.txt", "set"]


def test_scenarios_that_cannot_be_simulated_are_discarded(stand_in, tmp_path):
    def source(scenario, **options):
        if scenario.id == "CLEAR_NOON-2":
            raise InvalidParameter("there is no place for a cow.")
        return stand_in.Run(scenario, **options)

    manifest = record_scenes(stand_in.SCENARIOS, tmp_path / "set", source=source)
    assert manifest.discarded == {"CLEAR_NOON-2": "there is no place for a cow"}


def test_a_source_that_returns_no_run_is_named(stand_in, tmp_path):
    with pytest.raises(
        UnsupportedEnvironment, match=r"returns None, which has no anomaly_truth, discards, frames, rig"
    ):
        record_scenes(stand_in.SCENARIOS, tmp_path / "set", source=lambda *_, **__: None)


def test_published_layout_resumes_to_the_same_files(stand_in, tmp_path, monkeypatch):
    record_scenes(stand_in.SCENARIOS[1:2], tmp_path / "whole", layout="published", source=stand_in.Run)
    monkeypatch.setattr(PublishedWriter, "finish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        record_scenes(stand_in.SCENARIOS[1:2], tmp_path / "set", layout="published", source=stand_in.Run)
    monkeypatch.undo()
    actions = next(tmp_path.glob(".set.unfinished/dataset/Scenario_*/ACTION"))
    (actions / "ACTION_5.csv").write_text("half")
    (actions / ".0f3a.unfinished").write_text("half of another one")
    monkeypatch.setenv("COUNTED_IN", str(tmp_path / "frames.txt"))
    record_scenes(stand_in.SCENARIOS[1:2], tmp_path / "set", layout="published", source=stand_in.Run, report=str)
    assert contents(tmp_path / "set") == contents(tmp_path / "whole")
    assert set(verify_scenes(tmp_path / "set").values()) == {""}
    assert (tmp_path / "frames.txt").read_text().splitlines() == ["HARD_RAIN_NOON-1 False 2"]


@pytest.mark.long
def test_damaged_frames_of_an_unfinished_set_are_recorded_again(stand_in, recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(CompactWriter, "finish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        record_scenes(stand_in.SCENARIOS, tmp_path / "set", twins=True, source=stand_in.Run)
    monkeypatch.undo()
    frames = next(tmp_path.glob(".set.unfinished/dataset/scenes/*/frames.arrow"))
    content = bytearray(frames.read_bytes())
    content[-3000] ^= 1
    frames.write_bytes(content + b"half a frame")
    lines = []
    record_scenes(stand_in.SCENARIOS, tmp_path / "set", twins=True, source=stand_in.Run, report=lines.append)
    assert "3 frames are already finished" in lines[0]
    assert contents(tmp_path / "set") == contents(recorded.folder)


def interrupt(self):
    raise KeyboardInterrupt


def test_finished_set_is_not_recorded_again(stand_in, recorded):
    before = contents(recorded.folder)
    again = record_scenes(stand_in.SCENARIOS, recorded.folder, twins=True, source=stand_in.Run)
    assert again == recorded.manifest
    assert contents(recorded.folder) == before


def never(scenario, **options):
    raise AssertionError(scenario)


def test_existing_folders_are_not_overwritten(stand_in, recorded, tmp_path):
    with pytest.raises(AlreadyExists, match="other driving scenes"):
        record_scenes(stand_in.SCENARIOS, recorded.folder, source=never)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(AlreadyExists, match="not a set of driving scenes"):
        record_scenes(stand_in.SCENARIOS, tmp_path, source=never)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_discarded_scenes_are_recorded_with_their_reason(stand_in, tmp_path, monkeypatch):
    monkeypatch.setenv("DISCARDED", "HARD_RAIN_NOON-1")
    manifest = record_scenes(stand_in.SCENARIOS, tmp_path / "set", source=stand_in.Run)
    assert manifest.discarded == {"HARD_RAIN_NOON-1": "the ego vehicle brakes with full force"}
    assert list(manifest.scenes) == ["CLEAR_NOON-0", "CLEAR_NOON-2"]
    assert not (tmp_path / "set" / "scenes" / "HARD_RAIN_NOON-1").exists()
    assert set(verify_scenes(tmp_path / "set").values()) == {""}


def test_set_without_any_scene_is_not_written(stand_in, tmp_path, monkeypatch):
    monkeypatch.setenv("DISCARDED", " ".join(each.id for each in stand_in.SCENARIOS))
    with pytest.raises(InvalidParameter, match="all 3 scenes were discarded; CLEAR_NOON-0: the ego vehicle brakes"):
        record_scenes(stand_in.SCENARIOS, tmp_path / "set", source=stand_in.Run)
    assert list(tmp_path.iterdir()) == []


def test_full_disk_is_an_error_and_the_next_run_resumes(stand_in, recorded, tmp_path, monkeypatch):
    add = CompactWriter.add

    def full(self, frame):
        if frame.number == 1:
            raise InaccessibleFile("no space left on device")
        return add(self, frame)

    monkeypatch.setattr(CompactWriter, "add", full)
    with pytest.raises(InaccessibleFile, match="no space left"):
        record_scenes(stand_in.SCENARIOS, tmp_path / "set", twins=True, source=stand_in.Run)
    assert not (tmp_path / "set").exists()
    monkeypatch.undo()
    record_scenes(stand_in.SCENARIOS, tmp_path / "set", twins=True, source=stand_in.Run, report=str)
    assert contents(tmp_path / "set") == contents(recorded.folder)


def test_wrong_arguments_are_refused_before_anything_is_written(stand_in, tmp_path):
    for wrong in ({"layout": "zip"}, {"workers": 0}):
        with pytest.raises(InvalidParameter):
            record_scenes(stand_in.SCENARIOS, tmp_path / "set", source=never, **wrong)
    with pytest.raises(InvalidParameter, match="no scenarios"):
        record_scenes([], tmp_path / "set", source=never)
    with pytest.raises(InaccessibleFile):
        record_scenes(stand_in.SCENARIOS, "/dev/null/set", source=never)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def copy(recorded, tmp_path):
    for path, content in contents(recorded.folder).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    return tmp_path


def test_intact_set_has_no_problems(recorded):
    assert verify_scenes(recorded.folder) == dict.fromkeys(recorded.ids, "")


def test_changed_bytes_are_found(copy):
    frames = copy / "scenes" / "CLEAR_NOON-2" / "frames.arrow"
    content = bytearray(frames.read_bytes())
    content[len(content) // 2] ^= 1
    frames.write_bytes(content)
    assert verify_scenes(copy)["CLEAR_NOON-2"].startswith("frame 1: ")
    scene = open_scenes(copy)["CLEAR_NOON-2"]
    assert scene[0].tick == 3
    with pytest.raises(DamagedFile, match="do not have the SHA-256"):
        scene[1]


@pytest.mark.parametrize(
    ("file", "match"),
    [
        ("scenes/CLEAR_NOON-0/frames.arrow", "not exist|SHA-256"),
        ("scenes/CLEAR_NOON-0/scene.json", "not exist|not the file"),
        ("scenarios/scenario_config_map_Town05.json", "not exist|not the file"),
    ],
)
def test_missing_and_truncated_files_are_found(copy, file, match):
    (copy / file).write_bytes((copy / file).read_bytes()[:-2000])
    assert re.search(match, " ".join(verify_scenes(copy).values()))
    (copy / file).unlink()
    assert re.search(match, " ".join(verify_scenes(copy).values()))


def test_foreign_files_and_a_changed_manifest_are_found(copy):
    (copy / "scenes" / "CLEAR_NOON-0" / "notes.txt").write_text("mine")
    assert verify_scenes(copy)["scenes/CLEAR_NOON-0/notes.txt"] == "no scene owns this file"
    path = copy / "scenes.json"
    path.write_text(path.read_text().replace('"frames": 3', '"frames": 4', 1))
    with pytest.raises(DamagedFile, match=r"scenes\.json was changed"):
        verify_scenes(copy)
