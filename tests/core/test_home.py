"""Data goes where the user says, or where the platform keeps what can be made again."""

from pathlib import Path

import pytest

from offnominal.core.home import VARIABLE, data_home


def test_the_environment_decides(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert data_home() == tmp_path
    monkeypatch.setenv(VARIABLE, "~/episodes")
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
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr("sys.platform", platform)
    if cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert data_home() == Path(place)
    assert not Path("/home/ada").exists()
