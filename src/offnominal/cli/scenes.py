"""`offnominal scenes`: driving scenes as images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from offnominal.cli.app import App
from offnominal.cli.options import count_option, file_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_rows, print_text
from offnominal.core.rounding import fixed

scenes = App(no_args_is_help=True, help="Check, draw and evaluate recorded driving scenes.")


@scenes.command()
def check(
    folder: Annotated[Path, typer.Argument(help="Folder of scenes in the layout of AnoVox.", file_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Check that detectors can score a recorded AnoVox folder.

    All files are read. Exits with 1 if something is left out.

    Example: [bold]offnominal scenes check Final_Output_2024_07_16-10_00[/]
    """
    from offnominal.datasets.scenes import open_recording

    recording = open_recording(folder)
    rows = [
        {
            "scene": scene.id,
            "frames": len(scene),
            "cameras": len(scene.rig.cameras),
            "lidars": len(scene.rig.lidars),
            "town": scene.town,
            "weather": scene.weather,
            "anomaly": scene.kind if scene.size is None else f"{scene.kind}, {scene.size}",
        }
        for scene in recording
    ]
    if as_json:
        print_json({"scenes": rows, "left_out": recording.left_out, "notes": recording.notes})
    else:
        print_rows(f"Scenes of {folder}", rows, False)
        for place, reason in [*recording.notes.items(), *recording.left_out.items()]:
            print_text(f"{place}: {reason}")
        print_text(f"{len(recording)} scenes, {sum(map(len, recording))} frames; {len(recording.left_out)} left out.")
    if recording.left_out:
        raise typer.Exit(1)


@scenes.command()
def evaluate(
    folder: Annotated[Path, typer.Argument(help="Folder of recorded scenes in either layout.", file_okay=False)],
    scores: Annotated[Path, typer.Option(help="Folder of score files (.npy), one per frame.", file_okay=False)],
    unit: Annotated[str, typer.Option(help="What has scores: pixel, point or voxel.")],
    sensor: Annotated[str | None, typer.Option(help="Camera or lidar of the scores. Default: the only one.")] = None,
    voxels: Annotated[
        str | None, typer.Option(help="Grid of voxel scores: paper or public-code. Default: the recorded one.")
    ] = None,
    as_published: Annotated[
        bool, typer.Option("--as-published", help="Also the metrics of the public code of AnoVox.")
    ] = False,
    out: Annotated[Path | None, file_option("Table of all rows with intervals, .csv.")] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate score files in the format of AnoVox.

    Files are matched with frames by the numbers at the end of their names, or by their order.

    Example: [bold]offnominal scenes evaluate anovox --scores predictions --unit point[/]
    """
    from dataclasses import asdict

    from offnominal.core.files import write_text
    from offnominal.datasets.scenes import open_any_scenes
    from offnominal.evaluation.scenes import evaluate_score_files
    from offnominal.reports.tables import csv_text
    from offnominal.worlds.road.scenes import voxel_grid

    found = evaluate_score_files(
        scores,
        open_any_scenes(folder),
        cast(Any, unit),
        sensor=sensor,
        grid=None if voxels is None else voxel_grid(voxels),
        as_published=as_published,
    )
    rows = found.report.table()
    published = [None if row.as_published is None else asdict(row.as_published) for row in found.report.rows]
    if out is not None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        write_text(out, csv_text([{name: row.get(name) for name in names} for row in rows]))
    facts = {"matched_by": found.matched_by, "files": found.files, "unscored": found.unscored}
    if as_json:
        print_json({**facts, "left_out": found.left_out, "rows": rows, "as_published": published})
        return
    print_text(str(found.report))
    for row, each in zip(found.report.rows, published, strict=True):
        if each is not None:
            values = ", ".join(f"{name} {fixed(value, 3)}" for name, value in each.items())
            print_text(f"as published, {row.unit} {row.name}: {values}")
    for place, reason in found.left_out.items():
        print_text(f"Left out {place}: {reason}")
    print_text(f"{found.files} files, matched by {found.matched_by}; {found.unscored} frames without a file.")


@scenes.command()
def gap(
    train: Annotated[Path, typer.Argument(help="Folder of normal scenes, in either layout.", file_okay=False)],
    test: Annotated[Path, typer.Argument(help="Folder of scenes with anomalies, in either layout.", file_okay=False)],
    detector: Annotated[
        str, typer.Option(help="Detector of colours; `offnominal scene-detectors` lists all.")
    ] = "PatchKNN",
    seed: Annotated[int, seed_option("Seed of training and bootstrap.")] = 0,
    out: Annotated[Path | None, file_option("Table of all rows with intervals, .csv.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the gap between scenes and photographs.

    Detectors are trained on scenes and tested on photographs, and the reverse.

    Uses the sets of road images in the data home; one line says of each other one what is missing.

    Example: [bold]offnominal scenes gap normal-scenes scenes --detector PatchKNN[/]
    """
    from offnominal.core.files import write_text
    from offnominal.datasets.scenes import open_any_scenes
    from offnominal.detectors.scenes import scene_detectors
    from offnominal.evaluation.scenes import measure_gap
    from offnominal.reports.tables import csv_text

    normal = [scene for scene in open_any_scenes(train) if scene.kind == "normal"]
    found = measure_gap(lambda: scene_detectors.make(detector), normal, open_any_scenes(test), seed=seed)
    rows = [row.columns() for row in found.rows]
    if out is not None:
        write_text(out, csv_text(rows))
    if as_json:
        print_json({"rows": rows, "missing": list(found.missing), "left_out": found.left_out})
        return
    shown = ("trained on", "tested on", "images", "auroc", "aupr", "fpr95")
    print_rows(f"{detector} between domains", [{name: row[name] for name in shown} for row in rows], False)
    for line in found.missing:
        print_text(line)
    for place, reason in found.left_out.items():
        print_text(f"Left out {place}: {reason}")


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
