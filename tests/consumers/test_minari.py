"""Minari reads our exports with labels, and we import Minari datasets."""

import json
import sys

import gymnasium
import numpy as np
import pytest

from offnominal.agents import scripted_expert
from offnominal.core.episode import Episode, Event
from offnominal.core.errors import (
    InaccessibleFile,
    InvalidLog,
    InvalidParameter,
    MissingDependency,
    MissingFile,
    UnsupportedEnvironment,
)
from offnominal.datasets import Recipe, from_minari, generate, import_minari, save_dataset, to_minari
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

minari = pytest.importorskip("minari", reason="minari is not installed")
pytest.importorskip("h5py", reason="h5py is not installed")
WORLD = "SAP-Goal0-v0"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "small"
    strengths = {("action/noise", "tiny"): 0.4}
    return generate(
        Recipe.for_world(WORLD, episodes=4, strengths=strengths, extras=("clean_observations", "applied")), folder
    )


def foreign(id="other/pendulum-v0", episodes=10, **spaces):
    """A dataset as Minari's users make them."""
    rng = np.random.default_rng(0)
    buffers = [
        minari.data_collector.EpisodeBuffer(
            seed=i,
            observations=rng.normal(size=(6, 3)).astype(np.float32),
            actions=rng.normal(size=(5, 1)).astype(np.float32),
            rewards=rng.normal(size=5),
            terminations=np.array([0, 0, 0, 0, i % 2], np.bool_),
            truncations=np.array([0, 0, 0, 0, 1 - i % 2], np.bool_),
            infos={"energy": rng.normal(size=6)},
        )
        for i in range(episodes)
    ]
    chosen = {"env": "Pendulum-v1", **spaces}
    with pytest.warns(UserWarning, match="is set to None"):
        return minari.create_dataset_from_buffers(id, buffer=buffers, **chosen), buffers


def test_minari_loads_a_split_with_its_labels(data):
    split = data["action/noise@tiny"]
    to_minari(split, "sap/noise-v0")
    loaded = minari.load_dataset("sap/noise-v0")
    assert (loaded.total_episodes, loaded.total_steps) == (len(split), split.entry.steps)
    for ours, theirs in zip(split, loaded.iterate_episodes(), strict=True):
        assert theirs.observations.tobytes() == ours.observations.tobytes()
        assert theirs.actions.tobytes() == ours.actions.tobytes()
        assert theirs.rewards.tobytes() == ours.rewards.tobytes()
        assert theirs.infos["active"].tolist() == [False, *ours.active]
        assert theirs.infos["clean_observations"].shape == ours.observations.shape
        assert theirs.terminations.tolist() == [False] * (len(ours) - 1) + [ours.terminated]
        assert theirs.truncations.tolist() == [False] * (len(ours) - 1) + [not ours.terminated]
    about = list(loaded.storage.get_episode_metadata(range(len(split))))
    assert [each["seed"] for each in about] == split.seeds.tolist()
    told = [tuple(Event.from_dict(event) for event in json.loads(each["offnominal"])) for each in about]
    assert told == list(split.events)
    assert loaded.recover_environment().observation_space.shape == (26,)
    assert loaded.storage.metadata["ref_max_score"] == -2.923


def test_an_export_survives_a_round_trip(data):
    names = [loaded.id for loaded in to_minari(data, "sap")]
    assert names == ["sap/train-v0", "sap/validation-v0", "sap/test-v0", "sap/action-noise-tiny-v0"]
    for name, id in zip(data, names, strict=True):
        back = from_minari(id)
        for ours, theirs in zip(data[name], back, strict=True):
            if not ours.events:
                # An array without a single number has no place in HDF5.
                assert ours.extras["applied"].size == 0
                continue
            assert ours == theirs


def test_only_some_splits_are_exported(data):
    (only,) = to_minari(data, "sap", splits=["test"])
    assert only.id == "sap/test-v0"
    assert minari.list_local_datasets().keys() == {"sap/test-v0"}


def test_episodes_without_a_world_are_exported_by_their_shapes(tmp_path):
    active = np.array([False, False, True])
    episode = Episode(np.ones((4, 2)), np.ones((3, 1), np.float32), np.ones(3), active, (Event("mine/own", 0.5, 2),), 7)
    data = save_dataset(tmp_path / "data", {"train": [episode]}, world="my robot")
    (loaded,) = to_minari(data["train"], "robot/train-v0")
    assert loaded.observation_space.shape == (2,)
    assert from_minari("robot/train-v0") == list(data["train"])


@pytest.mark.parametrize("world", ["OOD-CartPole-v0", "my game"])
def test_discrete_actions_survive_a_round_trip_as_integers(world, tmp_path):
    episodes = collect("OOD-CartPole-v0", scripted_expert("OOD-CartPole-v0"), 2, max_steps=5)
    data = save_dataset(tmp_path / "data", {"train": episodes}, world=world)
    (loaded,) = to_minari(data["train"], "poles/train-v0")
    assert loaded.action_space == gymnasium.spaces.Discrete(2)
    assert [episode.actions.dtype for episode in from_minari("poles/train-v0")] == [np.int64, np.int64]
    for ours, theirs in zip(episodes, from_minari("poles/train-v0"), strict=True):
        np.testing.assert_array_equal(ours.actions, theirs.actions)


def test_any_dataset_with_box_spaces_is_nominal_data():
    loaded, buffers = foreign()
    for source in (loaded, "other/pendulum-v0"):
        episodes = from_minari(source)
        assert [episode.seed for episode in episodes] == list(range(10))
        for episode, buffer in zip(episodes, buffers, strict=True):
            assert episode.observations.tobytes() == buffer.observations.tobytes()
            assert episode.rewards.tolist() == buffer.rewards.tolist()
            assert episode.terminated == bool(buffer.terminations[-1])
            assert not episode.active.any()
            assert episode.events == ()
            assert episode.extras == {}


def test_an_import_is_a_dataset_like_any_other(tmp_path):
    foreign()
    data = import_minari("other/pendulum-v0", tmp_path / "data")
    assert {name: data[name].seeds.tolist() for name in data} == {
        "train": list(range(8)),
        "validation": [8],
        "test": [9],
    }
    assert (data.manifest.source, data.world) == ("minari", "other/pendulum-v0")
    again = import_minari("other/pendulum-v0", tmp_path / "data", shares={"all": 1.0}, overwrite=True)
    assert list(again["all"]) == from_minari("other/pendulum-v0")


@pytest.mark.filterwarnings("ignore:env_spec is None")
def test_other_spaces_are_refused():
    action = gymnasium.spaces.MultiDiscrete([2, 2])
    loaded, _ = foreign(
        "other/choices-v0", env=None, observation_space=gymnasium.spaces.Box(-1, 1, (3,)), action_space=action
    )
    with pytest.raises(UnsupportedEnvironment, match=r"the action_space MultiDiscrete.*; expected Box or Discrete"):
        from_minari(loaded)


def test_wrong_ids_are_named(data, tmp_path):
    with pytest.raises(MissingFile, match="minari download no/such-v0"):
        from_minari("no/such-v0")
    (tmp_path / "minari" / "empty-v0" / "data").mkdir(parents=True)
    with pytest.raises(InvalidParameter, match="'empty-v0' is not a Minari dataset"):
        from_minari("empty-v0")
    with pytest.raises(InvalidParameter, match="'a b' is not an id of a Minari dataset"):
        to_minari(data["test"], "a b")
    to_minari(data["test"], "sap/twice-v0")
    with pytest.raises(InvalidParameter, match="already exists"):
        to_minari(data["test"], "sap/twice-v0")


@pytest.mark.parametrize("id", ["../../x", "/tmp/x", "a/../../x", "..", "", "a\0b", "a//b", "é" * 300, "a b", "./a"])
def test_an_invalid_id_creates_nothing(id, data, tmp_path):
    before = sorted(tmp_path.parent.rglob("*"))
    for call in (
        lambda: to_minari(data, id),
        lambda: to_minari(data["test"], f"{id}/test-v0"),
        lambda: to_minari(data["test"], id),
        lambda: from_minari(f"{id}-v0"),
    ):
        with pytest.raises(InvalidParameter, match="not an id of a Minari dataset"):
            call()
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_an_export_that_fails_leaves_nothing(data, tmp_path, monkeypatch):
    to_minari(data["test"], "sap/old-v0")
    before = sorted((tmp_path / "minari").rglob("*"))
    real, calls = minari.create_dataset_from_buffers, []

    def full(*arguments, **options):
        made = real(*arguments, **options)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        calls.append(made)
        return made

    monkeypatch.setattr(minari, "create_dataset_from_buffers", full)
    with pytest.raises(InaccessibleFile, match="free some space"):
        to_minari(data, "sap/new/one")
    assert len(calls) == 2
    assert sorted((tmp_path / "minari").rglob("*")) == before


def test_without_an_id_the_namespace_is_that_of_the_world(tmp_path, data):
    own = save_dataset(tmp_path / "own", {"a b": [data["test"][0]]}, world="my robot (left)")
    assert [each.id for each in to_minari(own)] == ["offnominal/my-robot--left-/a-b-v0"]
    assert [each.id for each in to_minari(data["test"])] == ["offnominal/SAP-Goal0-v0/test-v0"]


@pytest.mark.parametrize("share", [0.0, -1.0, float("nan"), float("inf"), True, "half"])
def test_fractions_are_positive_numbers(share, tmp_path):
    with pytest.raises(InvalidParameter, match=r"shares\['test'\] is"):
        import_minari("a/b-v0", tmp_path / "data", shares={"train": 1.0, "test": share})


def test_a_missing_minari_is_a_named_error(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "minari", None)
    for call in (lambda: from_minari("a/b-v0"), lambda: to_minari(data["test"], "a/b-v0")):
        with pytest.raises(MissingDependency, match=r"offnominal\[minari\]"):
            call()


def test_a_dataset_that_reads_other_files_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    dataset, _ = foreign(episodes=2)
    (tmp_path / "secret.txt").write_bytes(b"twelve bytes")
    with h5py.File(dataset.storage.data_path / "main_data.hdf5", "a") as file:
        del file["episode_0/rewards"]
        file.create_dataset("episode_0/rewards", (1,), "f8", external=[(str(tmp_path / "secret.txt"), 0, 8)])
    for source in (dataset, dataset.id):
        with pytest.raises(InvalidLog, match=r"'episode_0/rewards' has its data in the file '.*secret.txt'"):
            from_minari(source)


@pytest.mark.parametrize("missing", ["observation_space", "action_space"])
def test_the_function_that_metadata_name_is_not_called(missing, tmp_path):
    dataset, _ = foreign(episodes=1)
    path = dataset.storage.data_path / "metadata.json"
    metadata = json.loads(path.read_text())
    del metadata[missing]
    metadata["env_spec"] = gymnasium.envs.registration.EnvSpec(
        "Mine-v0", entry_point="os:mkdir", kwargs={"path": str(tmp_path / "called")}
    ).to_json()
    path.write_text(json.dumps(metadata))
    with pytest.raises(InvalidLog, match=f"has no '{missing}', and Minari would call the function"):
        from_minari(dataset.id)
    assert not (tmp_path / "called").exists()
