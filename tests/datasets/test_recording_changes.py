"""Changes of recorded episodes: plain data, hashes, and changes of other packages."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.registry import Spec
from offnominal.datasets import Recipe, generate
from offnominal.datasets.recording_changes import RecordingChange, recording_changes
from offnominal.kinds.faults.cell import Cell, DataEntry
from offnominal.kinds.faults.foreign_code import foreign_version
from offnominal.studies.cells import result_key


class Doubled(RecordingChange):
    """Rewards are recorded twice as large."""

    def episode_change(self, plan, world, max_steps):
        """Return what doubles the rewards."""
        return lambda episode, number: replace(episode, rewards=2.0 * episode.rewards)


@pytest.fixture
def doubled(monkeypatch):
    """Register a change of another package."""
    recording_changes.ids()
    monkeypatch.setattr(recording_changes, "_specs", {**recording_changes._specs})
    recording_changes.register(Spec("doubled", f"{__name__}:Doubled"))


def test_hashes_are_those_from_when_each_change_was_a_field():
    changes = {"leaking": ("dynamics/force",), "step_counter": True}
    recipe = Recipe("SAP-Goal0-v0", "tqc", changes=changes, frames=True)
    assert recipe.digest() == "6c9e76c9fe2d40a314812f27dcef36845b5e8734002dd71d767f09d07021ae0d"
    by_world = {"leaking": {"SAP-*": ("dynamics/force",)}, "step_counter": ("SAP-*",)}
    data = DataEntry(frames=True, changes=by_world).in_world("SAP-Goal0-v0")
    key = result_key(Cell("SAP-Goal0-v0", "KNN", "KNN", data=data), data="d1", code="c1")
    assert key == "c2dbe55e8a29480e8e34b26ef7aad04360d05bdf97aa72ae3a8efc32d95459ba"


def test_plain_data_have_a_field_for_each_change_and_are_read_again():
    recipe = Recipe("SAP-Goal0-v0", "tqc", changes={"leaking": ("dynamics/force",)})
    assert recipe.to_dict()["leaking"] == ["dynamics/force"]
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    data = DataEntry(changes={"leaking": {"SAP-*": ("dynamics/force",)}})
    nested = {"changes": {"leaking": {"SAP-*": ["dynamics/force"]}}}
    assert DataEntry.from_dict(data.to_dict()) == DataEntry.from_dict(nested) == data


def test_empty_changes_are_none():
    assert Recipe("SAP-Goal0-v0", "tqc", changes={"leaking": (), "step_counter": False}).changes == {}


def test_unknown_changes_and_wrong_values_are_named():
    with pytest.raises(UnknownName, match="Did you mean 'leaking'"):
        Recipe("SAP-Goal0-v0", "tqc", changes={"leeking": ("dynamics/force",)})
    with pytest.raises(InvalidParameter, match="no field 'leeking'"):
        DataEntry.from_dict({"leeking": {"SAP-*": ["dynamics/force"]}})
    with pytest.raises(InvalidParameter, match="'step_counter'"):
        DataEntry.from_dict({"step_counter": 3})


def test_another_package_can_provide_a_change(doubled, tmp_path):
    recipe = Recipe.for_world("SAP-Goal0-v0", episodes=1, nominal=1, levels=[])
    plain = generate(recipe, tmp_path / "plain")["train"][0]
    changed = generate(recipe.replace(changes={"doubled": True}), tmp_path / "doubled")["train"][0]
    np.testing.assert_array_equal(changed.rewards, 2.0 * plain.rewards)


def test_code_of_a_change_of_another_package_counts(doubled):
    assert foreign_version("SAP-Goal0-v0", "tqc", (), ["leaking"]) == ""
    assert foreign_version("SAP-Goal0-v0", "tqc", (), ["doubled"])
