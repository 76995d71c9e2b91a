"""The package holds the experts, the folder `weights` the other policies."""

import shutil

import pytest

import place_policies
from offnominal.agents.files import load_policy, read_card
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import write_json

WORLD = "CAR-LaneKeep-v0"


@pytest.fixture(scope="module")
def tool():
    return place_policies


@pytest.fixture
def folders(tool, tmp_path):
    """The policies of one world."""
    here = tool.Folders(tmp_path / "packaged", tmp_path / "others")
    for old, new in ((tool.Folders().packaged, here.packaged), (tool.Folders().others, here.others)):
        new.mkdir()
        for file in old.glob(f"{WORLD}--*"):
            shutil.copy(file, new)
    return here


def test_everything_is_in_its_place(tool):
    assert tool.main(["--check"]) == 0


def test_a_better_training_takes_the_place_of_the_expert(tool, folders, capsys):
    cards = folders.cards()
    (before,) = (name for name, card in cards.items() if card.chosen)
    best = max((card for name, card in cards.items() if "tqc-" in name), key=lambda card: card.mean_return)
    changed = cards[before].replace(mean_return=best.mean_return + 1.0, chosen="").with_sha256()
    write_json(folders.packaged / f"{before}.json", changed.to_dict())
    assert tool.main(["--check"], folders) == 1
    assert tool.main([], folders) == tool.main(["--check"], folders) == 0
    (after,) = (path.stem for path in folders.packaged.glob("*.safetensors"))
    assert after != before
    assert read_card(folders.packaged / f"{after}.json").chosen.startswith("median of 5")
    assert (folders.others / f"{before}.safetensors").is_file()
    assert f"{before}: not the expert" in capsys.readouterr().out


def test_a_policy_with_a_false_id_is_not_placed(tool, folders):
    path = folders.packaged / f"{WORLD}--bc.json"
    write_json(path, read_card(path).replace(algorithm="tqc").with_sha256().to_dict())
    with pytest.raises(InvalidParameter, match="was shown demonstrations"):
        tool.main([], folders)


def test_the_weights_of_every_card_can_be_loaded(tool, folders, tmp_path):
    for name in folders.cards():
        shutil.copy(folders.weights(name), tmp_path)
        shutil.copy(folders.packaged / f"{name}.json", tmp_path)
        assert load_policy(tmp_path / name)[1].world == WORLD
