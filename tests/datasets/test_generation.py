"""A generated dataset holds what its recipe says, to the byte."""

import sys

import numpy as np
import pytest

from offnominal.agents import NetworkPolicy, PotentialField, expert, expert_card, save_policy
from offnominal.anomalies import Fault, Schedule
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import AlreadyExists, InaccessibleFile, InvalidParameter, UnknownName
from offnominal.datasets import Dataset, Recipe, generate
from offnominal.rollouts import Twin, collect
from offnominal.rollouts.twin_rollouts import effective_onset

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
FAULTY = ("observation/offset@medium", "action/noise@tiny", "action/noise@extreme", "dynamics/mass@strong")


def files(folder):
    """Everything in a folder, byte by byte."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def stripped(episode):
    """An episode without the extras that this file's datasets record on demand."""
    kept = {name: episode.extras[name] for name in ("success", "critical", "cost")}
    return type(episode)(
        **{name: getattr(episode, name) for name in episode.__slots__ if name != "extras"}, extras=kept
    )


def test_splits_are_listed_in_order_with_their_sizes(dataset):
    assert dataset.splits[:4] == ["train", "validation", "test", "twins"]
    assert dataset.splits[4:] == sorted(FAULTY, key=lambda name: (name.split("@")[0], name.endswith("extreme")))
    assert [len(dataset[name]) for name in dataset] == [8, 1, 8, 8, 8, 8, 8, 8]


def test_an_episode_does_not_depend_on_what_it_was_recorded_with(dataset):
    policy = expert(WORLD)
    for name, first in (("train", 10_000_000), ("test", 12_000_000), ("twins", 13_000_000)):
        assert list(dataset[name]) == collect(WORLD, policy, 8, seed=first)
    fault = Fault("dynamics/mass", 5.0)
    assert list(dataset["dynamics/mass@strong"]) == collect(WORLD, policy, 8, seed=13_000_000, faults=fault)


def test_the_onset_depends_on_the_seed_alone(dataset):
    onsets = {name: [events[0].onset for events in dataset[name].events] for name in FAULTY}
    assert len({tuple(each) for each in onsets.values()}) == 1
    assert len(set(onsets[FAULTY[0]])) > 2
    assert all(2 <= onset <= 12 for onset in onsets[FAULTY[0]])


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_episode_is_its_nominal_twin_until_the_onset(name, dataset):
    struck = 0
    for nominal, faulty in zip(dataset["twins"], dataset[name], strict=True):
        assert nominal.seed == faulty.seed
        if faulty.onset is None:
            assert faulty.observations.tobytes() == nominal.observations.tobytes()
            continue
        struck += 1
        onset = faulty.onset
        assert onset == faulty.events[0].onset
        assert np.array_equal(faulty.observations[: onset + 1], nominal.observations[: onset + 1])
        assert np.array_equal(faulty.actions[: onset + 1], nominal.actions[: onset + 1])
        parted = effective_onset(Twin(nominal, faulty))
        assert parted is None or parted >= onset
        assert faulty.active[onset:].all()
        assert not faulty.active[:onset].any()
    assert struck > 3


def test_faults_leave_no_trace_in_nominal_episodes(dataset):
    for name in ("train", "validation", "test", "twins"):
        for episode in dataset[name]:
            assert episode.events == ()
            assert not episode.active.any()
            assert np.array_equal(episode.observations, episode.extras["clean_observations"])
            assert episode.extras["applied"].shape == (len(episode), 0)


def test_extras_say_what_the_fault_did(dataset):
    struck = [episode for episode in dataset["observation/offset@medium"] if episode.onset is not None]
    for episode in struck:
        seen, clean = episode.observations[1:], episode.extras["clean_observations"][1:]
        moved = ~np.isclose(seen, clean).all(axis=1)
        assert np.array_equal(moved, episode.active)
        assert np.array_equal(episode.extras["applied"][:, 0], np.where(episode.active, 0.3, 0.0))


def test_the_same_recipe_gives_the_same_bytes(made, dataset, tmp_path):
    again = made(tmp_path / "again")
    assert files(again.folder) == files(dataset.folder)
    followed = generate(dataset.manifest.recipe, tmp_path / "followed")
    assert files(followed.folder) == files(dataset.folder)


def test_batches_do_not_change_the_bytes(made, dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "BATCH", 5)
    assert files(made(tmp_path / "again").folder) == files(dataset.folder)


def test_processes_do_not_change_the_bytes(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "BATCH", 40)
    parallel = generate(dataset.manifest.recipe, tmp_path / "parallel", workers=2)
    assert files(parallel.folder) == files(dataset.folder)


def test_several_processes_need_a_policy_that_can_be_pickled(tmp_path):
    options = {"policy": lambda observations: np.zeros((len(observations), 2)), "policy_name": "still"}
    recipe = Recipe.for_world(WORLD, episodes=200, levels=[], **options)
    with pytest.raises(InvalidParameter, match="can be pickled"):
        generate(recipe, tmp_path / "data", policy=options["policy"], workers=2)


def test_nothing_says_when_or_where_it_was_made(dataset):
    for name, content in files(dataset.folder).items():
        assert str(dataset.folder).encode() not in content, name
        assert dataset.folder.name.encode() not in content, name


def test_extras_and_twins_are_left_out_unless_asked_for(made, tmp_path):
    data = made(tmp_path / "plain", twins=False, extras=(), episodes=2)
    assert "twins" not in data
    assert set(data["train"][0].extras) == {"success", "critical", "cost"}
    assert list(data["action/noise@tiny"]) == [
        stripped(episode)
        for episode in collect(WORLD, expert(WORLD), 2, seed=13_000_000, faults=Fault("action/noise", 0.4))
    ]


def test_the_options_of_a_recipe_are_recorded(tmp_path):
    options = {
        "strengths": {("action/offset", "own"): 0.4, ("action/noise", "tiny"): 0.2},
        "schedule": Schedule(onset=3),
    }
    data = generate(
        Recipe.for_world(
            WORLD, episodes=2, nominal=11, anomalies=["action/offset"], seed=70, algorithm="sac", **options
        ),
        tmp_path / "some",
    )
    assert {name: len(data[name]) for name in data} == {"train": 11, "validation": 2, "test": 2, "action/offset@own": 2}
    assert data["train"].seeds.tolist() == list(range(70, 81))
    assert data["action/offset@own"][1].onset == 3
    assert data.manifest.recipe.policy_sha256 == expert_card(WORLD, "sac").sha256


def test_a_dataset_that_is_there_is_returned_as_it_is(made, dataset, monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "simulated_batches", None)
    assert made(dataset.folder).manifest == dataset.manifest


def test_another_recipe_needs_leave_to_overwrite(made, tmp_path):
    made(tmp_path / "data", episodes=2)
    with pytest.raises(AlreadyExists, match="it differs in episodes, nominal"):
        made(tmp_path / "data", episodes=3)
    assert len(Dataset(tmp_path / "data")["test"]) == 2
    made(tmp_path / "data", episodes=3, overwrite=True)
    assert len(Dataset(tmp_path / "data")["test"]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_other_folders_are_never_overwritten(overwrite, made, tmp_path):
    precious = tmp_path / "data" / "thesis.tex"
    precious.parent.mkdir()
    precious.write_text("forty pages")
    with pytest.raises(AlreadyExists, match="is not a dataset"):
        made(tmp_path / "data", overwrite=overwrite)
    assert precious.read_text() == "forty pages"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_an_empty_folder_is_filled(made, tmp_path):
    assert len(made(tmp_path, episodes=1, strengths={})) == 4


def test_without_a_folder_it_goes_to_the_data_home(made, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    first, second = (made(None, episodes=episodes, strengths={}) for episodes in (1, 2))
    assert first.folder.parent == second.folder.parent == tmp_path / "home"
    assert first.folder != second.folder


def test_policies_are_known_by_their_weights_or_by_a_name(tmp_path):
    policy = NetworkPolicy.random(26, expert(WORLD, "tqc").space, hidden=(4,), seed=3)
    by_object = generate(
        Recipe.for_world(WORLD, episodes=2, strengths={}, policy=policy), tmp_path / "object", policy=policy
    )
    card = save_policy(tmp_path / "mine", policy, expert_card(WORLD).replace(algorithm="own"))
    by_file = generate(
        Recipe.for_world(WORLD, episodes=2, strengths={}, policy=str(tmp_path / "mine")),
        tmp_path / "file",
        policy=str(tmp_path / "mine"),
    )
    assert by_object.manifest.recipe.policy_sha256 == by_file.manifest.recipe.policy_sha256 == card.sha256
    assert by_file.manifest.recipe.policy == "own"
    assert list(by_object["test"]) == list(by_file["test"])

    with pytest.raises(InvalidParameter, match="policy_name"):
        generate(Recipe.for_world(WORLD, policy=PotentialField()), tmp_path / "scripted", policy=PotentialField())
    scripted = generate(
        Recipe.for_world(WORLD, episodes=2, strengths={}, policy=PotentialField(), policy_name="field 1"),
        tmp_path / "scripted",
        policy=PotentialField(),
    )
    assert scripted.manifest.recipe.policy == "field 1"
    assert generate(scripted.manifest.recipe, tmp_path / "again", policy=PotentialField()).manifest == scripted.manifest


def test_a_recipe_is_not_generated_with_another_policy(dataset, tmp_path):
    other = NetworkPolicy.random(26, expert(WORLD, "tqc").space, hidden=(4,), seed=3)
    with pytest.raises(InvalidParameter, match="the recipe says"):
        generate(dataset.manifest.recipe, tmp_path / "data", policy=other)


def test_wrong_names_are_answered_with_the_right_ones(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0'"):
        generate(Recipe.for_world("SAP-Gaol0-v0"), tmp_path / "data")
    with pytest.raises(UnknownName, match="no trained policy"):
        generate(Recipe.for_world(WORLD, algorithm="ppo"), tmp_path / "data")


def test_worlds_of_other_packages_are_recorded_too(tmp_path):
    strengths = {("observation/noise", "own"): 0.2}
    data = generate(
        Recipe.for_world(
            "Pendulum-v1", episodes=1, strengths=strengths, policy=lambda seen: -0.5 * seen[:, 2:], policy_name="damper"
        ),
        tmp_path / "data",
        policy=lambda seen: -0.5 * seen[:, 2:],
    )
    assert data["observation/noise@own"].lengths.tolist() == [200]
    assert not (data.folder / "card.png").exists()


def test_a_path_that_is_not_utf_8_is_refused_and_leaves_nothing_behind(made, tmp_path):
    with pytest.raises(InaccessibleFile, match="not a possible path"):
        made(tmp_path / "data\udcff", episodes=1, strengths={})
    assert list(tmp_path.iterdir()) == []
