"""`offnominal scenarios`: scenario files of the driving world."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offnominal.cli.options import folder_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_rows, print_text

if TYPE_CHECKING:
    from offnominal.worlds.road.scenarios import Scenario, ScenarioFile

scenarios = typer.Typer(no_args_is_help=True, help="Make, show and check scenario files of the driving world.")


class Preset(StrEnum):
    """Preset of a set of scenarios."""

    SMOKE = "smoke"
    MINI = "mini"
    CITYSCAPES = "cityscapes"
    FULL = "full"


@scenarios.command()
def make(
    folder: Annotated[Path, folder_option("New folder for the scenario files.")],
    preset: Annotated[
        Preset,
        typer.Option(help="Scenarios x frames: smoke 4 x 20, mini 24 x 50, cityscapes 595 x 5, full 1,228 x 200."),
    ] = Preset.SMOKE,
    seed: Annotated[int, seed_option("Seed of the set.")] = 0,
    normal: Annotated[bool, typer.Option("--normal", help="Only scenarios without anomalies, for training.")] = False,
    temporal: Annotated[
        str, typer.Option(help="Comma-separated kinds of temporal anomalies, or 'all'.")
    ] = "sudden-braking",
    as_json: AsJson = False,
) -> None:
    """Write the scenario files of a preset, one per town, to a new folder.

    Example: [bold]offnominal scenarios make --preset smoke --seed 5 --out scenarios[/]
    """
    from offnominal.worlds.road.scenarios import TEMPORAL_KINDS, make_scenarios, scenario_preset, write_scenarios

    kinds = tuple(TEMPORAL_KINDS) if temporal == "all" else tuple(each.strip() for each in temporal.split(","))
    made = make_scenarios(preset.value, seed=seed, types=["normal"] if normal else None, temporal=kinds)
    files = write_scenarios(made, folder)
    if as_json:
        print_json({"folder": str(folder), "files": list(files), "scenarios": len(made)})
        return
    frames = scenario_preset(preset.value).frames
    print_text(f"{folder}: {len(made):,} scenarios in {len(files)} files, {frames:,} frames.")


@scenarios.command()
def show(
    file: Annotated[Path, typer.Argument(help="Scenario file.", dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Show the scenarios of a file, and the entries that are unknown.

    Example: [bold]offnominal scenarios show scenarios/scenario_config_map_Town05.json[/]
    """
    from offnominal.worlds.road.scenarios import read_scenario_file

    read = read_scenario_file(file)
    if as_json:
        print_json(read.to_dict())
        return
    title = f"{read.town}: vehicles + pedestrians, frames and anomaly of each scenario"
    print_rows(title, [_row(each) for each in read.scenarios], False)
    _print_unknown(read)


@scenarios.command()
def check(
    folder: Annotated[Path, typer.Argument(help="Folder with scenario files.", file_okay=False)],
    test_set: Annotated[bool, typer.Option("--test-set", help="Allow anomalies, as in a test set.")] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Also simulate each scenario: hard braking, discards, visible anomalies.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check that all scenarios are valid and within the definition of normality. Exits with 1 if one is not.

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
        print_rows(f"{bad} of {count} scenarios violate normality", [each.to_dict() for each in found], False)
    else:
        apart = ", apart from anomalies" if test_set else ""
        print_text(f"{folder}: all {count:,} scenarios are within normality{apart}.")
    if not as_json:
        for file in files.values():
            _print_unknown(file)
    if found:
        raise typer.Exit(1)


def _row(scenario: Scenario) -> dict[str, Any]:
    """Return a row of the table; actors are vehicles and pedestrians."""
    from offnominal.worlds.road.weather import WEATHERS

    return {
        "id": scenario.id,
        "weather": WEATHERS[scenario.weather].name,
        "rig": scenario.rig,
        "actors": f"{scenario.vehicles} + {scenario.pedestrians}",
        "frames": scenario.timing.frames,
        "anomaly": _anomaly(scenario),
    }


def _anomaly(scenario: Scenario) -> str:
    from offnominal.worlds.road.scenarios import ContentAnomaly

    anomaly = scenario.anomaly
    if anomaly is None:
        return "none"
    if isinstance(anomaly, ContentAnomaly):
        return f"{anomaly.name} ({anomaly.size}) at {anomaly.distance:g} m"
    return anomaly.kind if anomaly.ticks is None else f"{anomaly.kind}, ticks {anomaly.ticks[0]} to {anomaly.ticks[1]}"


def _print_unknown(file: ScenarioFile) -> None:
    for entry in file.unknown_entries():
        print_text(f"{file.name}: unknown entry, kept: {entry}")
