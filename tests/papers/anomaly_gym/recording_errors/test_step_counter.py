"""The step counter in images, as in the public code of Anomaly-Gym."""

import numpy as np
import pytest

from offnominal.core.episode import FRAMES
from offnominal.core.errors import InvalidParameter
from offnominal.datasets import Recipe, generate
from offnominal.kinds.faults.cell import DataEntry

pytestmark = pytest.mark.long

ROW, COLUMNS = 13, slice(114, 116)


@pytest.fixture(scope="module")
def recipe():
    return Recipe.for_world(
        "SAP-Goal0-v0", episodes=2, nominal=2, anomalies=["dynamics/mass"], levels=["strong"], frames=True
    )


@pytest.fixture(scope="module")
def datasets(recipe, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return [generate(recipe.replace(changes={"step_counter": each}), folder / str(each)) for each in (False, True)]


@pytest.mark.parametrize("split", ["train", "validation", "test", "dynamics/mass@strong"])
def test_only_the_pixels_of_the_digits_change(datasets, split):
    for plain, counted in zip(*(data[split] for data in datasets), strict=True):
        np.testing.assert_array_equal(plain.observations, counted.observations)
        before, after = plain.extras[FRAMES], counted.extras[FRAMES]
        assert (after[:, ROW, COLUMNS.start] < before[:, ROW, COLUMNS.start]).all()
        assert ((after[:, ROW, 115] < before[:, ROW, 115]).all(axis=-1) == (np.arange(len(after)) >= 10)).all()
        rest = after.copy()
        rest[:, ROW, COLUMNS] = before[:, ROW, COLUMNS]
        np.testing.assert_array_equal(rest, before)


def test_successive_steps_look_different(datasets):
    frames = max((episode.extras[FRAMES] for episode in datasets[1]["dynamics/mass@strong"]), key=len)
    shown = frames[:, ROW, COLUMNS, 0].astype(int)
    assert (np.diff(shown, axis=0) != 0).any(axis=1).all()


def test_a_recipe_without_a_counter_keeps_its_hash(recipe):
    assert "step_counter" not in recipe.to_dict()
    assert recipe.digest() != recipe.replace(changes={"step_counter": True}).digest()
    with pytest.raises(InvalidParameter, match="step_counter changes frames only"):
        recipe.replace(frames=False, changes={"step_counter": True})


def test_a_world_without_a_published_view_is_refused(recipe):
    with pytest.raises(InvalidParameter, match=f"{recipe.world} has no published_view; only MJC-HalfCheetah-v0"):
        recipe.replace(changes={"published_view": True})


def test_a_study_names_the_worlds_with_a_counter():
    data = DataEntry(frames=True, changes={"step_counter": ("SAP-*",)})
    assert data.in_world("SAP-Goal2-v0").options()["changes"] == {"step_counter": True}
    assert data.in_world("MJC-Reacher3D-v0").options()["changes"] == {}
    assert data.in_world("MJC-Reacher3D-v0") == DataEntry(frames=True)
    assert "step_counter" not in DataEntry(frames=True).to_dict()
