"""Weights outside the wheel: checkout, data home or download, always with the hash of the card."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from offnominal.agents import expert
from offnominal.agents.weights import CHECKOUT, shipped_card, shipped_names, shipped_policy
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import sha256_of

ID = "rl-finetuned-dqn-ensemble"
NAME = f"OOD-Pong-v0--{ID}"
FILE = f"{NAME}.safetensors"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An installation without the checkout, without a network and with an empty data home."""
    monkeypatch.setattr("offnominal.agents.weights.CHECKOUT", tmp_path / "no checkout")
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path / "home"))
    monkeypatch.setenv("OFFNOMINAL_WEIGHTS_URL", (tmp_path / "server").as_uri())
    (tmp_path / "server").mkdir()
    return tmp_path


def test_every_card_has_its_weights_in_the_package_or_beside_it():
    packaged = files("offnominal.agents") / "trained"
    outside = [name for name in shipped_names() if not (packaged / f"{name}.safetensors").is_file()]
    assert {f"{name}.safetensors" for name in outside} == {path.name for path in CHECKOUT.glob("*.safetensors")}
    for name in outside:
        assert sha256_of(CHECKOUT / f"{name}.safetensors") == shipped_card(name).sha256, name


def test_a_checkout_needs_neither_data_home_nor_network(installed, monkeypatch):
    monkeypatch.setattr("offnominal.agents.weights.CHECKOUT", CHECKOUT)
    assert expert("OOD-Pong-v0", ID).kind == "ensemble"
    assert not (installed / "home").exists()


def test_weights_are_downloaded_once_into_the_data_home(installed):
    shutil.copy(CHECKOUT / FILE, installed / "server" / FILE)
    assert shipped_policy(NAME).kind == "ensemble"
    assert sorted(path.name for path in (installed / "home" / "weights").iterdir()) == [FILE, f"{FILE}.sha256"]
    (installed / "server" / FILE).unlink()
    assert shipped_policy(NAME).kind == "ensemble"


def test_weights_copied_into_the_data_home_are_used(installed):
    (installed / "home" / "weights").mkdir(parents=True)
    shutil.copy(CHECKOUT / FILE, installed / "home" / "weights" / FILE)
    assert shipped_policy(NAME).kind == "ensemble"


def test_a_download_with_another_hash_is_refused_and_not_kept(installed):
    (installed / "server" / FILE).write_bytes(b"something else")
    with pytest.raises(DamagedFile, match="was not kept"):
        shipped_policy(NAME)
    assert not (installed / "home" / "weights").exists()


def test_without_a_network_the_error_says_what_to_do(installed):
    with pytest.raises(MissingFile) as raised:
        shipped_policy(NAME)
    for part in (FILE, str(installed / "home" / "weights"), "OFFNOMINAL_WEIGHTS_URL", "OFFNOMINAL_DATA", "repository"):
        assert part in str(raised.value)
    assert expert("OOD-CartPole-v0", "dqn-ensemble").kind == "ensemble"


def test_a_download_location_that_is_no_url_is_named(installed, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_WEIGHTS_URL", "somewhere")
    with pytest.raises(MissingFile, match="unknown url type"):
        shipped_policy(NAME)


def test_damaged_weights_of_a_checkout_are_refused(installed, monkeypatch):
    folder = Path(installed / "checkout")
    folder.mkdir()
    (folder / FILE).write_bytes(b"something else")
    monkeypatch.setattr("offnominal.agents.weights.CHECKOUT", folder)
    with pytest.raises(DamagedFile, match="SHA-256"):
        shipped_policy(NAME)
