"""`offnominal scenarios`: scenarios of the driving world."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from offnominal.cli.app import App
from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_note, print_rows, print_text
from offnominal.core.rounding import fixed

if TYPE_CHECKING:
    from offnominal.worlds.road.scenarios import Scenario, ScenarioFile

SHORT = 8
"""Characters of an id that a table shows, if they are enough to tell the scenarios apart."""
scenarios = App(no_args_is_help=True, help="Make, check and record scenarios of the driving world.")


@scenarios.command()
def presets(as_json: AsJson = False) -> None:
    """List the presets of `make`.

    Example: [bold]offnominal scenarios presets[/]
    """
    from offnominal.worlds.road.scenarios import scenario_presets

    rows = [
        {
            "preset": each.name,
            "scenarios": each.scenarios,
            "frames per scenario": each.timing.frames,
            "frames": each.frames,
            "types": ", ".join(each.types),
            "placing": each.placing,
        }
        for each in scenario_presets()
    ]
    print_rows("Presets of scenarios", rows, as_json)


@scenarios.command()
def make(
    folder: Annotated[Path, folder_option("New folder for the scenario files.")],
    preset: Annotated[str, typer.Option(help="Preset; `offnominal scenarios presets` lists them.")] = "smoke",
    seed: Annotated[int, seed_option("Seed of the set.")] = 0,
    normal: Annotated[bool, typer.Option("--normal", help="Only scenarios without anomalies, for training.")] = False,
    temporal: Annotated[
        str, typer.Option(help="Comma-separated kinds of temporal anomalies, or 'all'.")
    ] = "sudden-braking",
    as_json: AsJson = False,
) -> None:
    """Write the scenario files of a preset, one per town.

    Example: [bold]offnominal scenarios make --preset smoke --seed 5 --out scenarios[/]
    """
    from offnominal.worlds.road.scenarios import TEMPORAL_KINDS, make_scenarios, scenario_preset, write_scenarios

    kinds = tuple(TEMPORAL_KINDS) if temporal == "all" else tuple(each.strip() for each in temporal.split(","))
    made = make_scenarios(preset, seed=seed, types=["normal"] if normal else None, temporal=kinds)
    files = write_scenarios(made, folder)
    if as_json:
        print_json({"folder": str(folder), "files": list(files), "scenarios": len(made)})
        return
    frames = scenario_preset(preset).frames
    print_text(f"{folder}: {len(made):,} scenarios in {len(files)} files, {frames:,} frames.")


@scenarios.command()
def show(
    file: Annotated[Path, typer.Argument(help="Scenario file.", dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Show the scenarios of a file, and unknown entries.

    Example: [bold]offnominal scenarios show scenarios/scenario_config_map_Town05.json[/]
    """
    from offnominal.worlds.road.scenarios import read_scenario_file

    read = read_scenario_file(file)
    if as_json:
        print_json(read.to_dict())
        return
    rows = [_row(each, id) for each, id in zip(read.scenarios, _short_ids(read.scenarios), strict=True)]
    print_rows(f"Scenarios of {read.town}", rows, False)
    _print_unknown(read)


@scenarios.command()
def adapt(
    folder: Annotated[Path, typer.Argument(help="Folder with scenario files of AnoVox.", file_okay=False)],
    out: Annotated[Path, folder_option("New folder for the scenario files that run here.")],
    known_objects: Annotated[
        bool, typer.Option("--known-objects", help="Leave out scenarios with objects that the catalogue does not have.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Map scenario files of CARLA's towns onto ours.

    A route becomes one with the same turns; what cannot be read or mapped is left out. Exits with 1 if something is.

    Example: [bold]offnominal scenarios adapt Scenario_Configuration_Files --out scenarios[/]
    """
    from offnominal.worlds.road.scenarios import write_scenarios
    from offnominal.worlds.road.scenes import adapt_scenarios, describe_turns

    found = adapt_scenarios(folder, stand_ins=not known_objects)
    if found.scenarios:
        write_scenarios(found.scenarios, out)
    ways = {id: describe_turns(way) for id, way in found.mapped.items()}
    if as_json:
        facts = {
            "scenarios": len(found.scenarios),
            "mapped": ways,
            "refused": found.refused,
            "objects": found.stand_ins,
        }
        print_json({"folder": str(out), **facts})
    else:
        for id, way in ways.items():
            print_text(f"Mapped {id}: {way}.")
        for blueprint, name in found.stand_ins.items():
            print_text(f"{name} stands in for {blueprint}.")
        for place, reason in found.refused.items():
            print_text(f"Left out {place}: {reason}")
        print_text(f"{out}: {len(found.scenarios):,} scenarios; {len(found.refused):,} left out.")
    if found.refused:
        raise typer.Exit(1)


@scenarios.command()
def visibility(
    folder: Annotated[Path, typer.Argument(help="Folder with scenario files.", file_okay=False)],
    every: Annotated[int, count_option("Every n-th frame of scenes with an object is measured.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Measure in which share of frames the anomaly is visible.

    The published shares stand beside it, and ours counted as they are.

    Example: [bold]offnominal scenarios visibility scenarios[/]
    """
    from dataclasses import asdict

    from offnominal.worlds.road.scenarios import read_scenarios
    from offnominal.worlds.road.scenes import measure_visibility

    made = [each for file in read_scenarios(folder).values() for each in file.scenarios]
    found = [asdict(each) for each in measure_visibility(made, every=every)]
    rows = [
        {name: float(fixed(value, 3)) if isinstance(value, float) else value for name, value in each.items()}
        for each in found
    ]
    print_rows("Frames in which the anomaly is visible", rows, as_json)


@scenarios.command()
def check(
    folder: Annotated[Path, typer.Argument(help="Folder with scenario files.", file_okay=False)],
    test_set: Annotated[bool, typer.Option("--test-set", help="Allow anomalies, as in a test set.")] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Also simulate each scenario: hard braking, discards, visible anomalies.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check that scenarios are within normality.

    Exits with 1 if one is not, or is invalid.

    Example: [bold]offnominal scenarios check scenarios --test-set[/]
    """
    from offnominal.worlds.road.scenarios import Normality, find_violations, read_scenarios
    from offnominal.worlds.road.scenes import find_placement_violations, find_recording_violations

    files = read_scenarios(folder)
    normality = Normality().with_anomalies() if test_set else Normality()
    found = find_violations(files.values(), normality)
    count = sum(len(file.scenarios) for file in files.values())
    checked = files.values()
    found += find_recording_violations(checked, normality) if simulate else find_placement_violations(checked)
    if as_json:
        print_json([each.to_dict() for each in found])
    elif found:
        bad = len({each.scenario for each in found})
        print_text(f"{bad} of {count} scenarios violate normality:")
        for each in found:
            print_text(f"{each.file}, scenario {each.scenario}, {each.entry}: {each.message}")
    else:
        apart = ", apart from anomalies" if test_set else ""
        print_text(f"{folder}: all {count:,} scenarios are within normality{apart}.")
    if not as_json:
        for file in files.values():
            _print_unknown(file)
    if found:
        raise typer.Exit(1)


@scenarios.command()
def run(
    folder: Annotated[Path, typer.Argument(help="Folder with scenario files.", file_okay=False)],
    out: Annotated[Path, folder_option("New folder for the recorded scenes.")],
    layout: Annotated[
        str, typer.Option(help="Layout of the files: compact, or published for that of AnoVox.")
    ] = "compact",
    twins: Annotated[
        bool, typer.Option("--twins", help="Also record the nominal twin of each scenario with an anomaly.")
    ] = False,
    rig: Annotated[str | None, typer.Option(help="Rig of all scenes. Default: that of each scenario.")] = None,
    voxels: Annotated[
        str | None, typer.Option(help="Also record voxel truth in this grid: paper or public-code.")
    ] = None,
    samples: Annotated[int, count_option("Antialiasing: rays per pixel and direction at edges.", most=8)] = 1,
    camera: Annotated[
        str | None, typer.Option(help="Camera model: ideal, dashcam, night or cheap. Default: that of the rig.")
    ] = None,
    lidar: Annotated[
        str | None, typer.Option(help="Lidar model: ideal, rolling or spinning. Default: that of the rig.")
    ] = None,
    look: Annotated[str, typer.Option(help="Look of the scenes: plain or detailed.")] = "plain",
    max_scenarios: Annotated[int | None, count_option("Record only the first scenarios.")] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    as_json: AsJson = False,
) -> None:
    """Simulate scenarios and record all sensors.

    Interrupted runs resume: run the same command again.

    Example: [bold]offnominal scenarios run scenarios --out scenes --workers 2[/]
    """
    from offnominal.datasets.scenes import VoxelSettings, record_scenes
    from offnominal.sensing import camera_model, lidar_model
    from offnominal.worlds.road.rigs import rig as rig_named
    from offnominal.worlds.road.scenarios import read_scenarios
    from offnominal.worlds.road.scenes import ScenarioRun, voxel_grid
    from offnominal.worlds.road.scenes import look as look_named

    found = [scenario for file in read_scenarios(folder).values() for scenario in file.scenarios]
    options: dict[str, Any] = {} if samples == 1 else {"samples": samples}
    if camera is not None:
        options["camera"] = camera_model(camera)
    if lidar is not None:
        options["lidar"] = lidar_model(lidar)
    if look != "plain":
        options["look"] = look_named(look)
    manifest = record_scenes(
        found[:max_scenarios],
        out,
        layout=cast(Any, layout),
        twins=twins,
        rig=None if rig is None else rig_named(rig),
        voxels=None if voxels is None else VoxelSettings(voxel_grid(voxels)),
        source=partial(ScenarioRun, **options) if options else ScenarioRun,
        workers=workers,
        report=print_note,
    )
    entries = manifest.scenes.values()
    frames, size = sum(entry.frames for entry in entries), sum(entry.size for entry in entries)
    if as_json:
        facts = {"scenes": len(entries), "frames": frames, "bytes": size, "discarded": manifest.discarded}
        print_json({"folder": str(out), **facts})
        return
    for id, reason in manifest.discarded.items():
        print_text(f"Discarded {id}: {reason}.")
    print_text(f"{out}: {len(entries):,} scenes, {frames:,} frames, {size / 1e6:,.1f} MB.")


def _short_ids(scenarios: Sequence[Scenario]) -> list[str]:
    """Return the beginnings of the ids, as long as they differ."""
    ids = [each.id for each in scenarios]
    return short if len(set(short := [id[:SHORT] for id in ids])) == len(ids) else ids


def _row(scenario: Scenario, id: str) -> dict[str, Any]:
    """Return a row of the table."""
    from offnominal.worlds.road.weather import WEATHERS

    return {
        "id": id,
        "weather": WEATHERS[scenario.weather].name,
        "rig": scenario.rig,
        "vehicles": scenario.vehicles,
        "people": scenario.pedestrians,
        "frames": scenario.timing.frames,
        "anomaly": _anomaly(scenario),
    }


def _anomaly(scenario: Scenario) -> str:
    from offnominal.worlds.road.scenarios import ContentAnomaly

    anomaly = scenario.anomaly
    if anomaly is None:
        prepared = {"content": " (prepared for an object)", "temporal": " (prepared for a road user)"}
        return "none" + prepared.get(scenario.setting, "")
    if isinstance(anomaly, ContentAnomaly):
        return f"{anomaly.name}, {anomaly.distance:g} m"
    return anomaly.kind


def _print_unknown(file: ScenarioFile) -> None:
    for entry in file.unknown_entries():
        print_text(f"{file.name}: unknown entry, kept: {entry}")
