"""Driving scenes are drawn from every source, and errors name what is wrong."""

import json

import numpy as np
import pytest

from offnominal.cli.program import program
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.detectors.scenes import FrameScores, HeightAboveRoad
from offnominal.reports.scene_view import open_scene_source, view_scene
from offnominal.reports.scene_view.scene_view import frame_numbers
from offnominal.reports.scene_view.score_views import HIT, MISS, TRUTH, ScoreScale
from offnominal.reports.scene_view.top_view import TopView
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import RIGS, Mount, Rig
from offnominal.worlds.road.scenarios import Scenario, Timing, write_scenarios

pytestmark = pytest.mark.long

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
CliRunner = pytest.importorskip("typer.testing").CliRunner

COW = "HARD_RAIN_NOON-1"


class LabelDetector(HeightAboveRoad):
    """Scores the pixels of the anomaly with the number of bins, and others with 4; only to test the drawing."""

    def start(self):
        return None

    def update(self, state, frame):
        found = {}
        for name, each in frame.sensors.cameras.items():
            found[name] = np.where(each.image.label == Label.ANIMAL, self.n_bins, 4).astype(np.float32)
        return state, FrameScores(found, {})


def pixels(path):
    return np.asarray(image.open(path).convert("RGB"))


def has(drawn, colour):
    return bool((drawn == np.array(colour)).all(axis=-1).any())


def test_a_sheet_shows_sensors_truth_and_scores(sets, tmp_path):
    found = view_scene(
        sets / "compact", tmp_path / "a.png", scene=COW, frames="0,1", detectors=[sets / "height.json"], height=48
    )
    drawn = pixels(found.path)
    assert found.frames == (0, 1)
    assert list(found.scales) == ["height"]
    assert has(drawn, Label.ANIMAL.colour)
    assert has(drawn, TRUTH)
    plain = view_scene(sets / "compact", tmp_path / "b.png", scene=COW, frames=[0, 1], height=48)
    assert pixels(plain.path).shape[0] < drawn.shape[0]


@pytest.mark.parametrize(("score", "hits", "misses"), [(8, True, None), (2, False, True)])
def test_hits_and_misses_have_their_colours(score, hits, misses, sets, tmp_path):
    found = view_scene(
        sets / "compact",
        tmp_path / "sheet.png",
        scene=COW,
        frames="1",
        detectors={"own": LabelDetector(n_bins=score)},
        height=64,
        false_alarm_rate=0.2,
    )
    without_legend = pixels(found.path)[:-55]
    assert has(without_legend, HIT) == hits
    assert misses is None or has(without_legend, MISS) == misses


def test_a_clip_has_a_frame_per_chosen_frame_of_the_published_layout(sets, tmp_path):
    found = view_scene(sets / "published", tmp_path / "clip.webp", height=40)
    assert image.open(found.path).n_frames == 3
    view = next(open_scene_source(sets / "published").frames([0]))
    compact = next(open_scene_source(sets / "compact", COW).frames([0]))
    assert set(np.unique(view.cloud.label)) <= set(np.unique(compact.cloud.label))
    ground = view.cloud.points[view.cloud.label == Label.ROAD]
    assert np.abs(ground[:, 2]).max() < 0.01


def test_the_command_line_simulates_a_scenario_file(tmp_path, monkeypatch):
    tiny = Rig("tiny", (Mount("top", (0.0, 0.0, 1.8)),), width=24, height=16, channels=4, columns=32)
    scenario = Scenario("short", "residential", "CLEAR_NOON", seed=3, vehicles=3, pedestrians=3, timing=Timing(2, 4))
    monkeypatch.setitem(RIGS, "tiny", tiny)
    (name,) = write_scenarios([scenario], tmp_path / "files")
    out = tmp_path / "sheet.png"
    words = ["scenes", "view", str(tmp_path / "files" / name), "--frames", "1::2", "--rig", "tiny", "--height", "40"]
    done = CliRunner().invoke(program, [*words, "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["frames"] == [1, 3]
    assert pixels(out).shape[1] > 3 * 40


def test_scenes_in_the_published_layout_are_scored(sets, tmp_path):
    found = view_scene(
        sets / "published", tmp_path / "a.png", frames=[0, 1], detectors=[sets / "height.json"], height=48
    )
    assert list(found.scales) == ["height"]
    assert has(pixels(found.path), TRUTH)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"scene": "cow"}, UnknownName, "no scene 'cow'"),
        ({"scene": ""}, UnknownName, "no scene ''"),
        ({"scene": 17}, UnknownName, "a number below 2"),
        ({"frames": "7"}, InvalidParameter, "no frame 7; the scene has 3"),
        ({"frames": "9:"}, InvalidParameter, "none of the 3 frames"),
        ({"frames": "0:3:0"}, InvalidParameter, "the step of a range is not 0"),
        ({"frames": "a"}, InvalidParameter, "expected numbers such as 12"),
        ({"cameras": ["rear"]}, UnknownName, "no camera 'rear'"),
        ({"rig": "mono"}, InvalidParameter, "recorded with its own sensors"),
        ({"height": 3}, InvalidParameter, "height is 3"),
        ({"false_alarm_rate": 2.0}, InvalidParameter, "false_alarm_rate is 2.0"),
        ({"detectors": ["nothing"]}, MissingFile, "nothing"),
        ({"detectors": ["damaged"]}, DamagedFile, "damaged"),
        ({"detectors": ["height", "height"]}, InvalidParameter, "given twice"),
        ({"out": "sheet.bmp"}, InvalidParameter, "a contact sheet ends in .png"),
        ({"source": "missing"}, MissingFile, "give a scenario file or a folder"),
    ],
)
def test_invalid_input_is_a_named_error(given, error, message, sets, tmp_path):
    for ending in (".json", ".safetensors"):
        (sets / f"damaged{ending}").write_text("not a detector")
    options = {"out": "sheet.png", "source": "compact", **given}
    if "detectors" in options:
        options["detectors"] = [sets / each for each in options["detectors"]]
    with pytest.raises(error, match=message):
        view_scene(sets / options.pop("source"), tmp_path / options.pop("out"), **options)
    assert not list(tmp_path.iterdir())


def test_default_frames_are_spread_evenly():
    assert frame_numbers(None, 200, 4) == [25, 75, 125, 175]
    assert frame_numbers(None, 3, 40) == [0, 1, 2]


def test_scales_of_constant_missing_and_only_anomalous_scores_are_finite():
    for scores, positive in (([2.0, 2.0], [False, True]), ([], []), ([3.0], [True])):
        scale = ScoreScale.of(np.array(scores, np.float32), np.array(positive, np.bool_), 0.01)
        assert np.isfinite([scale.low, scale.threshold, scale.high]).all()
        assert scale.high > scale.low


def test_a_point_ahead_is_above_the_ego_vehicle_and_one_to_the_left_is_left_of_it():
    view = TopView(60)
    rows, columns = view.pixels(np.array([(20.0, 0.0), (0.0, 10.0), (0.0, 0.0)]))
    assert rows.tolist() == [25.0, 45.0, 45.0]
    assert columns.tolist() == [30.0, 20.0, 30.0]
