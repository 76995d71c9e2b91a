"""`offnominal scenes`: driving scenes as images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offnominal.cli.app import App
from offnominal.cli.options import count_option, file_option
from offnominal.cli.output import AsJson, print_json, print_text

scenes = App(no_args_is_help=True, help="Draw driving scenes.")


@scenes.callback()
def _scenes() -> None:
    """Draw driving scenes."""


@scenes.command()
def view(
    source: Annotated[
        Path, typer.Argument(help="Scenario file, which is simulated, or folder of recorded scenes in either layout.")
    ],
    scene: Annotated[
        str | None, typer.Option(help="Id of the scene, its beginning, or its position from 0. Default: the first.")
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(help="Frames: 12, 0,30,60 or 0:200:40. Default: 4 of a sheet, 40 of a clip, evenly."),
    ] = None,
    detector: Annotated[
        list[Path] | None, typer.Option(help="Saved scene detector whose scores are shown; give it several times.")
    ] = None,
    camera: Annotated[list[str] | None, typer.Option(help="Camera to show; several times. Default: all.")] = None,
    rig: Annotated[str | None, typer.Option(help="Rig of a simulated scenario. Default: its own.")] = None,
    height: Annotated[int, count_option("Height of each panel in pixels.", least=32, most=1024)] = 180,
    false_alarm_rate: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of normal voxels that exceed the threshold of a detector.")
    ] = 0.01,
    path: Annotated[Path, file_option("Contact sheet, .png, or clip, .webp, .gif or .mp4.")] = Path("runs/scene.png"),
    as_json: AsJson = False,
) -> None:
    """Draw a driving scene as a contact sheet or a clip.

    Shows cameras, lidar, voxel truth and anomaly scores.

    Example: [bold]offnominal scenes view scenes --scene 0 --frames 0:20:5 --out sheet.png[/]
    """
    from offnominal.reports.scene_view import view_scene

    found = view_scene(
        source,
        path,
        scene=scene,
        frames=frames,
        detectors=detector or (),
        cameras=camera,
        rig=rig,
        height=height,
        false_alarm_rate=false_alarm_rate,
    )
    if as_json:
        thresholds = {name: scale.threshold for name, scale in found.scales.items()}
        print_json({"path": str(path), "scene": found.scene, "frames": list(found.frames), "thresholds": thresholds})
        return
    print_text(f"Scene {found.scene}, {len(found.frames)} frames: {path}")
