"""`offnominal play` records clips; invalid arguments are errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.cli import main
from offnominal.cli.program import program

pytestmark = pytest.mark.long

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


def test_commands_of_a_craft_world_are_recorded(tmp_path: Path) -> None:
    path, file = tmp_path / "clip.gif", tmp_path / "commands.txt"
    file.write_text("# to the first tree\nTURN 90\n\nFLY up\nNOP\n")
    for words, typed in ((["--commands", str(file)], None), (["--commands", "-"], file.read_text())):
        said = runner.invoke(
            program,
            ["play", "CRAFT-Pogo-v1", *words, "--anomaly", "dynamics/fence", "--strength", "hard", "--out", str(path)],
            input=typed,
        )
        assert said.exit_code == 0, said.output
        assert "2 FLY up: unknown command" in said.output
        assert "4 frames, 2 of 3 commands carried out with dynamics/fence at 3: " in said.output
    from PIL import Image

    assert Image.open(path).size == (262, 290)


def test_a_gallery_has_a_clip_of_every_anomaly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anomalies = ["observation/noise", "dynamics/pole_length", "camera/frozen"]
    monkeypatch.setattr("offnominal.laws.anomalies_of", lambda world, *, cameras: anomalies if cameras else [])
    words = ["play", "OOD-CartPole-v0", "--gallery", "--steps", "2", "--onset", "1", "--size", "64"]
    said = runner.invoke(program, [*words, "--out", str(tmp_path / "clips")])
    assert said.exit_code == 0, said.output
    names = {path.name for path in (tmp_path / "clips").iterdir()}
    assert names == {"observation-noise.webp", "dynamics-pole_length.webp", "camera-frozen.webp"}
    assert "3 clips" in said.output
    refused = runner.invoke(program, [*words, "--anomaly", "observation/noise"])
    assert "leave out --anomaly" in str(refused.exception)


def test_only_craft_worlds_take_commands(tmp_path: Path) -> None:
    said = runner.invoke(
        program, ["play", "SAP-Goal0-v0", "--commands", "-", "--out", str(tmp_path / "a.gif")], input=""
    )
    assert "SAP-Goal0-v0 has no command interface" in str(said.exception)


def test_an_unknown_world_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["offnominal", "play", "SAP-Gaol0-v0"])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert "Did you mean 'SAP-Goal0-v0'?" in said
    assert "offnominal train" not in said
