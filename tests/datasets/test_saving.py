"""Episodes of one's own become a dataset like any other."""

import numpy as np
import pytest

from offnominal.agents import scripted_expert
from offnominal.core.errors import AlreadyExists, InvalidParameter
from offnominal.datasets import Dataset, save_dataset, verify_dataset
from offnominal.rollouts import collect


def test_saved_episodes_come_back(recorded, tmp_path):
    splits = {"train": [recorded(seed=i) for i in range(3)], "my robot/wheel stuck": [recorded(5, seed=9, onset=2)]}
    data = save_dataset(tmp_path / "data", splits, world="my robot", channels={"actions": ["wheel"]})
    assert {name: list(data[name]) for name in data} == splits
    assert data["train"].to_arrow().column_names[5] == "action.wheel"
    assert data.manifest.recipe is None
    assert data.faults == {}
    assert not any(verify_dataset(data.folder).values())
    assert "my robot/wheel stuck" in (data.folder / "README.md").read_text()


def test_choices_come_back_as_the_integers_they_are(tmp_path):
    episodes = collect("OOD-CartPole-v0", scripted_expert("OOD-CartPole-v0"), 3, max_steps=8)
    data = save_dataset(tmp_path / "data", {"train": episodes}, world="OOD-CartPole-v0")
    assert list(data["train"]) == episodes
    assert data["train"][0].actions.dtype == np.int64


def test_episodes_are_written_as_they_come(recorded, tmp_path):
    data = save_dataset(tmp_path / "data", {"train": (recorded(seed=i) for i in range(4))}, world="mine")
    assert data["train"].seeds.tolist() == [0, 1, 2, 3]


def test_an_existing_dataset_is_kept_without_overwrite(recorded, tmp_path):
    save_dataset(tmp_path / "data", {"train": [recorded(seed=1)]}, world="mine")
    with pytest.raises(AlreadyExists, match="choose another folder"):
        save_dataset(tmp_path / "data", {"train": [recorded(seed=2)]}, world="mine")
    assert Dataset(tmp_path / "data")["train"].seeds.tolist() == [1]
    save_dataset(tmp_path / "data", {"train": [recorded(seed=2)]}, world="mine", overwrite=True)
    assert Dataset(tmp_path / "data")["train"].seeds.tolist() == [2]


@pytest.mark.parametrize(
    ("splits", "complaint"),
    [
        ({"train": []}, "at least one"),
        ({"a/b": [{}], "a--b": [{}]}, "which another split uses"),
        ({"train": [{}], "..": [{}]}, "cannot be the name"),
        ({"train": [{}, {"cost": np.zeros(3)}]}, "the same signals"),
    ],
)
def test_a_failed_save_leaves_nothing(splits, complaint, recorded, tmp_path):
    episodes = {name: [recorded(**options) for options in each] for name, each in splits.items()}
    with pytest.raises(InvalidParameter, match=complaint):
        save_dataset(tmp_path / "data", episodes, world="mine")
    assert list(tmp_path.iterdir()) == []
