"""Deployable folders: what is in them, that they appear as a whole, and that damage is noticed."""

import json

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, load_alarm, save_alarm
from offnominal.cli.failures import exit_code_of
from offnominal.cli.program import program
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, DamagedFile, InvalidParameter, MissingFile, NotFitted
from offnominal.core.files import sha256_of
from offnominal.datasets import save_dataset
from offnominal.detectors import make_detector, save_detector
from offnominal.watch import Deployment, learn_checks, verify_deployment, write_deployment
from offnominal.watch.channel_checks import ChannelCheck

WORLD = "SAP-Goal0-v0"


def test_a_folder_gives_the_scores_of_the_detector(deployment, detector, nominal):
    for episode, scores in zip(nominal[:5], detector.score(nominal[:5]), strict=True):
        np.testing.assert_allclose(deployment.model.outputs(episode).scores, scores, atol=1e-5)
    assert deployment.manifest.detector == "Mahalanobis"


def test_an_intact_folder_has_no_problems(written):
    problems = verify_deployment(written)
    assert set(problems) == {"deployment.json", "detector.onnx", "alarm.json", "checks.json", "replay.json"}
    assert not any(problems.values())


@pytest.mark.parametrize("name", ["detector.onnx", "alarm.json", "checks.json", "replay.json"])
def test_each_changed_or_missing_file_is_found(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    assert [each for each, problem in verify_deployment(folder).items() if problem] == [name]
    with pytest.raises(DamagedFile, match=name):
        Deployment.load(folder)
    (folder / name).unlink()
    assert verify_deployment(folder)[name] == "the file is missing"


def _rewritten(folder, name, change):
    """Change entries of a file and write all checksums anew."""
    path, manifest = folder / name, folder / "deployment.json"
    write_checked_json(path, change(read_checked_json(path)))
    described = read_checked_json(manifest)
    described["files"][name] = sha256_of(path)
    write_checked_json(manifest, described)


def test_a_replay_with_another_score_or_alarm_is_found(folder):
    def other(name, value):
        def change(data):
            values = array_from_plain(data["episodes"][2][name])
            values[1] = value
            data["episodes"][2][name] = array_to_plain(values)
            return data

        return change

    _rewritten(folder, "replay.json", other("scores", 3.0))
    assert "episode 2" in verify_deployment(folder)["replay.json"]


def test_a_folder_with_other_channels_is_refused(folder):
    def renamed(data):
        data["observation"][0]["name"] = "other"
        return data

    _rewritten(folder, "checks.json", renamed)
    with pytest.raises(DamagedFile, match="other channels"):
        Deployment.load(folder)
    assert "other channels" in verify_deployment(folder)["deployment.json"]


def test_a_folder_is_not_overwritten_by_accident(folder, detector, alarm, calibration):
    with pytest.raises(AlreadyExists, match="or overwrite it"):
        write_deployment(folder, detector, alarm, calibration)
    before = Deployment.load(folder).manifest
    after = write_deployment(folder, detector, alarm, calibration[:30], overwrite=True)
    assert Deployment.load(folder).manifest == after != before
    (folder / "deployment.json").unlink()
    with pytest.raises(AlreadyExists):
        write_deployment(folder, detector, alarm, calibration, overwrite=True)
    assert [each.name for each in folder.parent.iterdir()] == [folder.name]


def test_a_failed_write_leaves_nothing(tmp_path, alarm, detector, calibration):
    for wrong, error in (
        ({"observations": ["x"]}, InvalidParameter),
        ({"units": ["m"]}, InvalidParameter),
        ({"rate": -1.0}, InvalidParameter),
        ({"name": "\n"}, InvalidParameter),
    ):
        with pytest.raises(error):
            write_deployment(tmp_path / "new", detector, alarm, calibration, **wrong)
    with pytest.raises(NotFitted):
        write_deployment(tmp_path / "new", detector, EpisodeMaximum(0.1), calibration)
    with pytest.raises(InvalidParameter, match="no episodes"):
        write_deployment(tmp_path / "new", detector, alarm, [])
    assert not list(tmp_path.iterdir())
    with pytest.raises(MissingFile, match="no deployable folder"):
        Deployment.load(tmp_path)


def test_discrete_actions_are_integers_in_the_folder(tmp_path):
    rng = np.random.default_rng(0)
    episodes = [
        Episode(rng.normal(size=(21, 2)), rng.integers(0, 3, 20), np.zeros(20), np.zeros(20, bool)) for _ in range(30)
    ]
    detector = make_detector("Mahalanobis").fit(episodes)
    write_deployment(tmp_path / "d", detector, EpisodeMaximum(0.1).fit(detector.score(episodes)), episodes)
    assert Deployment.load(tmp_path / "d").manifest.discrete_actions
    assert not any(verify_deployment(tmp_path / "d").values())


def _episode(values, times=None):
    n = len(values) - 1
    extras = {} if times is None else {"time": np.asarray(times)}
    return Episode(np.array(values, float)[:, None], np.zeros((n, 0)), np.zeros(n), np.zeros(n, bool), extras=extras)


def test_ranges_and_held_values_are_learned():
    checks = learn_checks([_episode([0, 1, 1, 1, 4]), _episode([2, 2])], observations=["level"], actions=[])
    (level,) = checks.observation
    assert (level.low, level.high, level.hold, level.most_held) == (0.0, 4.0, 3, 10)
    assert level.limits == pytest.approx((-0.4, 4.4))
    assert checks.timing.period == 0.0
    still = ChannelCheck("still", low=1.0, high=1.0, hold=100)
    assert still.constant
    assert still.limits == (-np.inf, np.inf)
    assert still.most_held == 0


def test_rates_are_learned_from_times_or_given():
    times = np.arange(201) * 0.1
    times[100:] += 0.35
    checks = learn_checks([_episode(np.arange(201), times)], observations=["level"], actions=[])
    assert checks.timing.period == pytest.approx(0.1)
    assert checks.timing.longest == pytest.approx(0.45)
    assert checks.timing.most_gap == pytest.approx(0.675)
    given = learn_checks([_episode([0, 1])], observations=["level"], actions=[], rate=20.0)
    assert given.timing.period == given.timing.longest == 0.05


def test_the_commands_write_and_verify(tmp_path, detector, alarm, calibration, capsys):
    save_detector(tmp_path / "detector", detector)
    save_alarm(tmp_path / "alarm.json", alarm)
    save_dataset(tmp_path / "log", {"validation": calibration}, world=WORLD)
    assert load_alarm(tmp_path / "alarm.json").threshold_ == alarm.threshold_
    words = ["export-folder", f"{tmp_path}/detector", f"{tmp_path}/point", "--alarm", f"{tmp_path}/alarm.json"]
    assert exit_code_of(lambda: program([*words, "--episodes", f"{tmp_path}/log", "--rate", "50"])) == 0
    assert "Mahalanobis with EpisodeMaximum" in capsys.readouterr().out
    verify = ["verify", f"{tmp_path}/point", "--episodes", f"{tmp_path}/log", "--json"]
    assert exit_code_of(lambda: program(verify)) == 0
    assert {each["problem"] for each in json.loads(capsys.readouterr().out)} == {""}
    (tmp_path / "point" / "checks.json").write_text("{}")
    assert exit_code_of(lambda: program(verify[:2])) == 1
