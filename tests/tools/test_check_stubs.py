"""The stubs of packages have the public names, and a stub that is out of date is found."""

import importlib

import pytest

import check_stubs
import offnominal


@pytest.fixture
def alarms(monkeypatch, tmp_path):
    """The tool knows one package, with its stub in a temporary folder."""
    names = vars(importlib.import_module("offnominal.alarms"))["__getattr__"].__self__
    monkeypatch.setattr(check_stubs, "packages", lambda: [names])
    monkeypatch.setattr(check_stubs, "ROOT", tmp_path / "offnominal")
    stub = tmp_path / "offnominal" / "alarms" / "__init__.pyi"
    stub.parent.mkdir(parents=True)
    return stub


def test_a_written_stub_is_up_to_date_and_has_every_public_name(alarms, capsys):
    assert check_stubs.main(["--write"]) == 0
    assert check_stubs.main([]) == 0
    lines = alarms.read_text(encoding="utf-8").splitlines()
    imported = {line.rpartition(" as ")[2] for line in lines if line.startswith("from ")}
    assert imported == set(offnominal.alarms.__all__)
    assert "alarms/__init__.pyi: written" in capsys.readouterr().out


def test_a_stub_that_is_changed_missing_or_not_needed_is_found(alarms, capsys):
    assert check_stubs.main([]) == 1
    check_stubs.main(["--write"])
    alarms.write_text(alarms.read_text(encoding="utf-8").replace("TimeBand", "TimeBound"), encoding="utf-8")
    assert check_stubs.main([]) == 1
    check_stubs.main(["--write"])
    other = alarms.parents[1] / "__init__.pyi"
    other.write_text("", encoding="utf-8")
    assert check_stubs.main([]) == 1
    assert "offnominal/__init__.pyi: out of date; run this with --write" in capsys.readouterr().out
    check_stubs.main(["--write"])
    assert not other.exists()
