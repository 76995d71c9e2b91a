"""`offnominal play` records clips; invalid arguments are errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.cli import main
from offnominal.cli.program import program

pytest.importorskip("PIL.Image", reason="Pillow is not installed")

runner = CliRunner()


@pytest.mark.parametrize(
    ("world", "anomaly", "strength"),
    [
        ("SAP-Goal0-v0", "action/offset", "strong"),
        ("SAP-Goal0-v0", "camera/blur", "2"),
        ("SAP-Goal0-v0", "camera/exposure", "-1.5"),
        ("OOD-CartPole-v0", "dynamics/pole_length", "1"),
    ],
)
def test_the_default_strength_has_a_visible_effect(world: str, anomaly: str, strength: str, tmp_path: Path) -> None:
    path = tmp_path / "clip.gif"
    said = runner.invoke(program, ["play", world, "--anomaly", anomaly, "--steps", "3", "--out", str(path)])
    assert said.exit_code == 0, said.output
    assert f"4 frames of {anomaly} at {strength}: " in said.output
    assert path.exists()


def test_an_unknown_world_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["offnominal", "play", "SAP-Gaol0-v0"])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert "Did you mean 'SAP-Goal0-v0'?" in said
    assert "offnominal train" not in said
