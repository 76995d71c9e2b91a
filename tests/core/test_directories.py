"""Data goes where the user says, or where the platform keeps what can be made again."""

from pathlib import Path

import pytest

from offnominal.core.directories import DATA_VARIABLE, data_home, find_data_home
from offnominal.core.errors import InaccessibleFile
from offnominal.datasets import Recipe, generate


def test_the_environment_decides(monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert data_home() == tmp_path
    monkeypatch.setenv(DATA_VARIABLE, "~/episodes")
    assert data_home() == Path.home() / "episodes"


@pytest.mark.parametrize(
    ("platform", "cache", "place"),
    [
        ("linux", None, "/home/ada/.cache/offnominal"),
        ("linux", "/scratch", "/scratch/offnominal"),
        ("darwin", "/scratch", "/home/ada/Library/Caches/offnominal"),
    ],
)
def test_otherwise_it_is_the_cache_of_the_platform(platform, cache, place, monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr("sys.platform", platform)
    if cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert data_home() == Path(place)
    assert not Path("/home/ada").exists()


def test_without_a_home_directory_data_has_no_place_until_the_user_names_one(monkeypatch):
    for name in (DATA_VARIABLE, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert find_data_home() is None
    with pytest.raises(InaccessibleFile, match="set \\$OFFNOMINAL_DATA to the path of a folder"):
        data_home()
    with pytest.raises(InaccessibleFile, match="OFFNOMINAL_DATA"):
        generate(Recipe.for_world("SAP-Goal0-v0", episodes=1, levels=[]))
    monkeypatch.setenv(DATA_VARIABLE, "~nobody-of-this-name/data")
    with pytest.raises(InaccessibleFile, match="OFFNOMINAL_DATA"):
        data_home()
