"""Folders in the published layout of Anomaly-Gym are read as splits of episodes, and errors name the file."""

import json
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import offnominal as off
from offnominal.cli.program import program
from offnominal.core.errors import (
    AlreadyExists,
    DamagedFile,
    InvalidLog,
    InvalidParameter,
    MissingDependency,
    MissingFile,
    OffnominalError,
    UnknownName,
    UnsupportedFormat,
)
from offnominal.core.files import sha256_of
from offnominal.datasets import save_dataset, verify_dataset
from offnominal.datasets.anomaly_gym import ENVIRONMENTS, import_anomaly_gym, known_defects, open_anomaly_gym
from offnominal.datasets.anomaly_gym.published_names import split_name
from offnominal.datasets.logs import QuestionableLog
from offnominal.detectors import make_detector
from offnominal.worlds import worlds

from .layout import POLICY, change_metadata, changed_file, h5py, write_environment, write_split

pytestmark = pytest.mark.long

NOISE = "observation/noise@tiny"


@pytest.fixture
def policy(tmp_path):
    return tmp_path / POLICY


@pytest.fixture
def written(policy):
    return write_environment(policy)


def test_arrays_and_labels_are_those_of_the_file(policy, written):
    data = open_anomaly_gym(policy, "Sape-Goal0")
    assert list(data) == ["train", "validation", "test", NOISE]
    for name, published in {"train": "train", "validation": "val", "test": "test", NOISE: "obs_noise_tiny"}.items():
        for episode, arrays in zip(data[name], written[published], strict=True):
            assert np.array_equal(episode.observations, arrays["observations"])
            assert np.array_equal(episode.actions, arrays["actions"])
            assert np.array_equal(episode.rewards, arrays["rewards"])
            assert np.array_equal(episode.active, arrays["infos/is_anomaly"][1:])
            assert np.array_equal(episode.extras["cost"], arrays["infos/cost"][1:])
            assert episode.onset == arrays["onset"]
            assert episode.success
    assert [episode.terminated for episode in data["test"]] == [False, True, True]
    assert [episode.seed for episode in data[NOISE]] == [14_000, 14_001, 14_002]


def test_the_first_changed_observation_is_that_after_the_onset(policy, written):
    episode = open_anomaly_gym(policy)[NOISE][0]
    assert episode.active.tolist() == [False] * 3 + [True] * 9
    assert (episode.observations[:4].mean(axis=1) < 4).all()
    assert (episode.observations[4:].mean(axis=1) > 4).all()


def test_parts_of_an_observation_are_in_the_order_of_their_sorted_names(policy, written):
    with h5py.File(policy / "Sape-Goal0" / "test" / "data" / "main_data.hdf5") as file:
        goal = file["episode_0/observations/achieved_goal"][()]
    assert np.array_equal(open_anomaly_gym(policy)["test"][0].observations[:, :2], goal)


def test_a_fault_has_the_stated_parameter_else_the_published_one(policy, written):
    (event,) = open_anomaly_gym(policy)[NOISE][1].events
    assert (event.anomaly, event.parameter, event.onset, event.end) == ("observation/noise", 0.25, 4, None)
    change_metadata(policy / "Sape-Goal0" / "obs_noise_tiny", anomaly_param=None)
    (event,) = open_anomaly_gym(policy)[NOISE][1].events
    assert event.parameter == pytest.approx(0.04008, abs=1e-4)


def test_evaluate_and_compare_take_the_recordings(policy):
    write_environment(policy, episodes=6)
    data = open_anomaly_gym(policy)
    report = off.evaluate(make_detector("KNN").fit(data["train"]), data, replicates=20)
    assert report[NOISE].numbers["pooled_auroc"].value > 0.95
    assert str(off.compare(["KNN", "Random"], data, replicates=20)).splitlines()[1].split()[:2] == ["1", "KNN"]


def test_an_import_is_a_dataset_with_the_hashes_of_what_was_read(policy, written, tmp_path):
    data = open_anomaly_gym(policy)
    made = import_anomaly_gym(data, tmp_path / "mine")
    assert (made.world, made.splits, made.faulty) == ("AnomalyGym/Sape-Goal0", list(data), [NOISE])
    for name, split in data.items():
        assert list(made[name]) == list(split)
        assert [episode.events for episode in made[name]] == [episode.events for episode in split]
    assert "observation.agent x" in made["test"].to_arrow().column_names
    assert not any(verify_dataset(tmp_path / "mine").values())
    sources = json.loads((tmp_path / "mine" / "sources.json").read_text())
    main = policy / "Sape-Goal0" / "obs_noise_tiny" / "data" / "main_data.hdf5"
    assert sources["splits"][NOISE]["files"]["obs_noise_tiny/data/main_data.hdf5"] == sha256_of(main)
    assert sources["sha256"] == data.sha256
    assert off.evaluate(make_detector("KNN").fit(made["train"]), made, replicates=20)[NOISE].numbers


def test_a_changed_byte_changes_the_hash_and_a_changed_source_list_is_found(policy, written, tmp_path):
    before = open_anomaly_gym(policy).sha256
    import_anomaly_gym(policy, tmp_path / "mine")
    with changed_file(policy / "Sape-Goal0" / "train") as file:
        file["episode_0/rewards"][0] += 1
    assert open_anomaly_gym(policy).sha256 != before
    path = tmp_path / "mine" / "sources.json"
    path.write_text(path.read_text().replace(before, "0" * 64))
    assert any(verify_dataset(tmp_path / "mine").values())


def test_the_folder_of_an_environment_and_our_id_of_the_world_are_accepted(policy, written):
    for data in (
        open_anomaly_gym(policy / "Sape-Goal0"),
        open_anomaly_gym(str(policy), "SAP-Goal0-v0"),
        open_anomaly_gym(policy / "Sape-Goal0", "Sape-Goal0"),
    ):
        assert (data.env_id, data.world, data.onset_mode) == ("Sape-Goal0", "SAP-Goal0-v0", "random")


def test_the_mode_of_the_onset_is_that_in_the_name_of_the_folder(tmp_path):
    write_environment(tmp_path / "TQC-final-onset_start-seed_42", faults=())
    assert open_anomaly_gym(tmp_path / "TQC-final-onset_start-seed_42").onset_mode == "start"


def test_success_of_reach_is_left_out_and_that_of_others_kept(policy):
    write_environment(policy, "URMujoco-Reach", ["robot_speed_tiny"])
    data = open_anomaly_gym(policy)
    assert all(sorted(episode.extras) == ["cost", "critical"] for split in data.values() for episode in split)
    assert any("Success is recorded as false" in text for text in data.defects("train"))
    assert any("no effect" in text for text in data.defects("dynamics/robot_speed@tiny"))


def test_observations_in_one_array_are_read_too(policy):
    written = write_environment(policy, "Mujoco-HalfCheetah", ["robot_mass_strong"])
    data = open_anomaly_gym(policy)
    (first, *_), (expected, *_) = data["dynamics/mass@strong"], written["robot_mass_strong"]
    assert np.array_equal(first.observations, expected["observations"])


def test_only_the_named_splits_are_read(policy, written):
    assert list(open_anomaly_gym(policy, splits=["val", NOISE])) == ["validation", NOISE]
    with pytest.raises(MissingFile, match=r"no split 'obs_noise_strong'.*It has"):
        open_anomaly_gym(policy, splits=["obs_noise_strong"])
    change_metadata(policy / "Sape-Goal0" / "val", minari_version="0.4.3")
    with pytest.raises(UnsupportedFormat, match=r"0\.4\.3"):
        open_anomaly_gym(policy, splits=["val"])
    assert list(open_anomaly_gym(policy, splits="test")) == ["test"]


# Defects of one file: the error names it, and the other splits are read.


def cut(folder):
    path = folder / "data" / "main_data.hdf5"
    path.write_bytes(path.read_bytes()[:2000])


def narrow(folder):
    with changed_file(folder) as file:
        del file["episode_1/actions"]
        file["episode_1/actions"] = np.zeros((12, 3))


def shorten(folder):
    with changed_file(folder) as file:
        del file["episode_2/infos/is_anomaly"]
        file["episode_2/infos/is_anomaly"] = np.zeros(12, bool)


def unlabel(folder):
    with changed_file(folder) as file:
        for group in file.values():
            group["infos/is_anomaly"][:] = False


def drop_episode(folder):
    with changed_file(folder) as file:
        del file["episode_1"]


def drop_last_episode(folder):
    with changed_file(folder) as file:
        del file["episode_2"]


def drop_labels(folder):
    with changed_file(folder) as file:
        del file["episode_0/infos/is_anomaly"]


def spoil_reward(folder):
    with changed_file(folder) as file:
        file["episode_0/rewards"][3] = np.nan


def text_as_actions(folder):
    with changed_file(folder) as file:
        del file["episode_0/actions"]
        file["episode_0/actions"] = ["left"] * 12


def group_as_rewards(folder):
    with changed_file(folder) as file:
        del file["episode_0/rewards"]
        file.create_group("episode_0/rewards")


def link_elsewhere(folder):
    with changed_file(folder) as file:
        del file["episode_0/rewards"]
        file["episode_0/rewards"] = h5py.ExternalLink("/etc/passwd", "x")


def claim_a_terabyte(folder):
    with changed_file(folder) as file:
        file["episode_0"].create_dataset("huge", (2**37,), "f8", chunks=(1024,))


def break_metadata(folder):
    (folder / "data" / "metadata.json").write_text("{")


DEFECTS = [
    (cut, InvalidLog, r"main_data\.hdf5 cannot be read as an HDF5 file"),
    (narrow, InvalidLog, r"episode_1: actions have 3 channels; those of SAP-Goal0-v0 have 2"),
    (shorten, InvalidLog, r"episode_2: infos/is_anomaly has 12 entries; expected 13"),
    (unlabel, InvalidLog, r"no label of an anomaly in any episode, which contradicts .*'obs_noise_tiny'"),
    (drop_episode, InvalidLog, r"has no 'episode_1', and has 'episode_2'"),
    (drop_last_episode, InvalidLog, r"is incomplete: total_episodes is 3 in metadata\.json, and the file has 2"),
    (drop_labels, InvalidLog, r"episode_0 has no labels, 'infos/is_anomaly'"),
    (spoil_reward, InvalidLog, r"episode_0: the reward of transition 3 is nan"),
    (text_as_actions, InvalidLog, r"episode_0: actions is not an array of numbers"),
    (group_as_rewards, InvalidLog, r"episode_0 cannot be read as an episode"),
    (link_elsewhere, InvalidLog, r"is a link to the file '/etc/passwd'"),
    (claim_a_terabyte, InvalidLog, r"the arrays of its episodes would take"),
    (break_metadata, DamagedFile, r"metadata\.json is not valid JSON"),
    (lambda each: (each / "data" / "metadata.json").unlink(), UnsupportedFormat, r"as files before Minari 0\.5"),
    (lambda each: (each / "data" / "main_data.hdf5").unlink(), MissingFile, r"main_data\.hdf5 does not exist"),
    (lambda each: change_metadata(each, minari_version="0.50.1"), UnsupportedFormat, r"'0\.50\.1'; expected 0\.5"),
    (lambda each: change_metadata(each, data_format="arrow"), UnsupportedFormat, r"data_format 'arrow'"),
    (lambda each: change_metadata(each, total_steps=35), InvalidLog, r"total_steps is 35"),
]


@pytest.mark.parametrize(("spoil", "error", "message"), DEFECTS, ids=[message for _, _, message in DEFECTS])
def test_a_split_that_cannot_be_read_is_left_out_by_name(policy, written, spoil, error, message, tmp_path):
    folder = policy / "Sape-Goal0" / "obs_noise_tiny"
    spoil(folder)
    with pytest.warns(QuestionableLog, match=message):
        data = open_anomaly_gym(policy)
    assert (list(data), list(data.problems)) == (["train", "validation", "test"], [NOISE])
    assert str(folder) in data.problems[NOISE]
    with pytest.raises(error, match=message):
        data[NOISE]
    made = import_anomaly_gym(data, tmp_path / "mine")
    assert json.loads((tmp_path / "mine" / "sources.json").read_text())["left_out"] == data.problems
    assert NOISE not in made


def test_labels_in_a_nominal_split_are_an_error(policy, written):
    with changed_file(policy / "Sape-Goal0" / "train") as file:
        file["episode_0/infos/is_anomaly"][5] = True
    with pytest.warns(QuestionableLog, match=r"has labels of an anomaly, which contradicts .*'train'"):
        assert "train" not in open_anomaly_gym(policy)


def test_a_missing_nominal_split_is_named(policy):
    write_split(policy / "Sape-Goal0" / "test", "Sape-Goal0")
    with pytest.warns(QuestionableLog, match=r"2 splits .*train does not exist"):
        data = open_anomaly_gym(policy)
    with pytest.raises(MissingFile, match="val does not exist"):
        data["validation"]


def test_a_folder_with_data_and_another_name_is_named(policy, written):
    write_split(policy / "Sape-Goal0" / "obs_noise_huge", "Sape-Goal0", anomaly="obs_noise")
    (policy / "Sape-Goal0" / "plots").mkdir()
    with pytest.warns(QuestionableLog, match="obs_noise_huge is named after no split"):
        data = open_anomaly_gym(policy)
    assert list(data.problems) == ["obs_noise_huge"]


def test_wrong_arguments_are_named(policy, written, tmp_path):
    data = open_anomaly_gym(policy)
    for name, hint in (("obs_noise_tiny", NOISE), ("val", "validation"), ("tset", "test")):
        with pytest.raises(UnknownName, match=f"Did you mean '{hint}'"):
            data[name]
    with pytest.raises(UnknownName, match="Did you mean 'Sape-Goal0'"):
        open_anomaly_gym(policy, "Sape-Gaol0")
    with pytest.raises(MissingFile, match="no folder of the environment Sape-Goal1; it has Sape-Goal0"):
        open_anomaly_gym(policy, "Sape-Goal1")
    with pytest.raises(MissingFile, match=f"give one of its folders: {POLICY}"):
        open_anomaly_gym(policy.parent, "Sape-Goal0")
    with pytest.raises(MissingFile, match="is not a folder"):
        open_anomaly_gym(tmp_path / "nowhere")
    for wrong in (3, None, ""):
        with pytest.raises(InvalidParameter, match="folder is"):
            open_anomaly_gym(wrong)
    with pytest.raises(InvalidParameter, match="env_id is 3"):
        open_anomaly_gym(policy, 3)
    with pytest.raises(InvalidParameter, match="splits is empty"):
        open_anomaly_gym(policy, splits=[])
    write_environment(policy, "URMujoco-Reach", [])
    with pytest.raises(InvalidParameter, match="2 environments; give env_id"):
        open_anomaly_gym(policy)
    with pytest.raises(InvalidParameter, match="leave it out"):
        import_anomaly_gym(data, tmp_path / "mine", env_id="Sape-Goal0")
    import_anomaly_gym(data, tmp_path / "mine")
    with pytest.raises(AlreadyExists):
        import_anomaly_gym(data, tmp_path / "mine")


def test_nothing_readable_is_an_error_and_so_is_a_missing_h5py(policy, written, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[hdf5\]"):
        open_anomaly_gym(policy)
    monkeypatch.undo()
    for split in (policy / "Sape-Goal0").iterdir():
        cut(split)
    with pytest.raises(InvalidLog, match=r"no split of .* can be read"):
        open_anomaly_gym(policy)


def test_documents_of_a_dataset_do_not_replace_its_own_files(policy, written, tmp_path):
    data = open_anomaly_gym(policy)
    for name in ("manifest.json", "README.md", "../outside.json", "splits"):
        with pytest.raises(OffnominalError, match="documents"):
            save_dataset(tmp_path / "mine", data, world="w", documents={name: "{}"})


def test_every_published_anomaly_has_our_name():
    from offnominal.anomalies.strengths import published_strengths

    ours = {(world, anomaly) for world, anomaly, _ in published_strengths()}
    named = {
        (world, name)
        for world in ENVIRONMENTS.values()
        for side in ("obs", "action")
        for kind in ("noise", "factor", "offset")
        for name in [str(split_name(f"{side}_{kind}_tiny", world)).partition("@")[0]]
    }
    dynamics = {
        "CAR": ["slippery_road", "brake_fail", "steer_fail"],
        "MJC": ["robot_mass", "robot_force", "robot_friction"],
        "SAP": ["force_agent", "moving_objects", "mass_agent"],
        "URM": ["robot_speed", "moving_goal", "robot_friction"],
        "URR": ["control_latency", "control_smoothing", "moving_goal"],
    }
    for world in ENVIRONMENTS.values():
        for published in dynamics[world[:3]]:
            named.add((world, str(split_name(f"{published}_tiny", world)).partition("@")[0]))
    assert ours == named


def test_every_environment_is_one_of_our_worlds_and_defects_are_of_their_own_split():
    assert set(ENVIRONMENTS.values()) <= set(worlds.ids())
    assert known_defects("SAP-Goal1-v0", "dynamics/force@tiny") != known_defects("SAP-Goal1-v0", "test")
    assert not known_defects("MJC-HalfCheetah-v0", "dynamics/force@tiny")


def test_the_command_imports_an_environment(policy, written, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(program, ["import", str(policy), "--out", str(tmp_path / "mine"), *arguments])

    result = run("--from", "anomaly-gym", "--env", "Sape-Goal0", "--json")
    assert json.loads(result.stdout)[0]["episodes"] == 12
    result = run("--env", "Sape-Goal0")
    assert "add --from anomaly-gym" in str(result.exception) + result.output
