"""A small NovelCraft set that the tests of this folder share."""

import pytest

from offnominal.datasets.novelcraft import NovelCraftRecipe, make_novelcraft

SMALL = NovelCraftRecipe(
    share=0.01, classes=("normal", "fence", "item_sand", "item_tnt", "tree_easy", "thief"), max_frames=3
)


@pytest.fixture(scope="session")
def recipe():
    return SMALL


@pytest.fixture(scope="session")
def small(tmp_path_factory, recipe):
    return make_novelcraft(recipe, tmp_path_factory.mktemp("novelcraft") / "set")
