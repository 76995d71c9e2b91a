"""`offnominal audit`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from offnominal.cli.options import count_option, seed_option
from offnominal.cli.targets import NAMES, chosen_names, load_named

if TYPE_CHECKING:
    from offnominal.alarms import WorldAudit
    from offnominal.detectors import Detector

FAST = "IsolationForest,KNN,Mahalanobis"

out = Console()
auditing = typer.Typer()


@auditing.command()
def audit(
    worlds: Annotated[list[str] | None, typer.Argument(help="Ids of worlds, or 'all', as if left out.")] = None,
    detectors: Annotated[str, typer.Option(help=NAMES)] = FAST,
    alarms: Annotated[str, typer.Option(help=NAMES)] = "all",
    levels: Annotated[str, typer.Option(help="Rates to promise, with commas between them.")] = "0.05",
    episodes: Annotated[int, count_option("Fresh nominal episodes per world.")] = 2000,
    calibrations: Annotated[int, count_option("How many times each alarm is calibrated.", least=2)] = 20,
    calibration: Annotated[int, count_option("Nominal episodes per calibration.")] = 100,
    training: Annotated[int, count_option("Nominal episodes that detectors learn from.")] = 100,
    epochs: Annotated[int | None, count_option("Of network detectors; their own if left out.")] = None,
    seed: Annotated[int | None, seed_option("Seed of the first episode; to try again.")] = None,
    path: Annotated[Path | None, typer.Option("--out", help="Also write a table here, as results come in.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Count false alarms in fresh nominal episodes, beside what is promised; exit with 1 if a promise is broken.

    Example: [bold]offnominal audit SAP-Goal0-v0 --detectors KNN,PE-DM --alarms EpisodeMaximum,ThreeSigma[/]
    """
    from offnominal.alarms import alarms as alarm_registry
    from offnominal.alarms import alarms_at, audit_world
    from offnominal.alarms.world_audit import SEED
    from offnominal.detectors import detectors as detector_registry
    from offnominal.reports.tables import terminal_table, write_csv
    from offnominal.worlds import worlds as world_registry

    everywhere = worlds in (None, [], ["all"])
    places = world_registry.ids() if everywhere else [world_registry.spec(world).id for world in worlds or ()]
    chosen = {name: _detector(name, epochs) for name in chosen_names(detector_registry, detectors)}
    named = chosen_names(alarm_registry, alarms)
    for name in named:
        load_named(alarm_registry, name)
    alarms_tried = alarms_at(named, _levels(levels))
    n_tests = len(places) * len(chosen) * sum(alarm.guarantee.level is not None for _, alarm in alarms_tried)
    sizes = {"episodes": episodes, "calibrations": calibrations, "calibration": calibration, "training": training}
    results: list[WorldAudit] = []
    for world in places:
        found = audit_world(world, chosen, alarms_tried, n_tests=n_tests, seed=SEED if seed is None else seed, **sizes)
        while fresh := list(itertools.islice(found, len(alarms_tried))):
            results += fresh
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_csv(path, [result.row() for result in results])
            if not as_json:
                out.print(terminal_table(f"{fresh[0].detector} in {world}", [_described(result) for result in fresh]))
    if as_json:
        print(json.dumps([result.row() for result in results], indent=2))
    else:
        _conclude(results)
    if any(result.audit.verdict == "broken" for result in results):
        raise typer.Exit(1)


def _levels(given: str) -> list[float]:
    from offnominal.core.errors import InvalidParameter

    try:
        return [float(level) for level in given.split(",")]
    except ValueError:
        raise InvalidParameter(f"--levels is {given!r}; expected numbers such as 0.05,0.1.") from None


def _detector(name: str, epochs: int | None) -> Detector:
    """Return a detector by name or class; one that trains for some epochs trains for as many as are given."""
    from offnominal.detectors import detectors as registry

    load_named(registry, name)
    made = registry.build(name)
    return registry.build(name, {"n_epochs": epochs}) if epochs and made.get_params().get("n_epochs") else made


def _described(result: WorldAudit) -> dict[str, str]:
    found, guarantee = result.audit, result.audit.guarantee
    confident = "" if guarantee.confidence is None else f" in {guarantee.confidence:.0%}"
    low, high = found.interval
    return {
        "alarm": result.alarm,
        "guarantee": "–" if guarantee.level is None else f"{guarantee.level:g}{confident}",
        "false alarms": f"{found.rate:.3f} ± {found.error:.3f}",
        "95 %": f"{low:.3f}–{high:.3f}",
        "verdict": found.verdict,
    }


def _conclude(results: list[WorldAudit]) -> None:
    promised = [result for result in results if result.audit.verdict != "no guarantee"]
    kept, doubted, broken = (
        sum(result.audit.verdict == name for result in promised) for name in ("holds", "in doubt", "broken")
    )
    output = (
        f"{kept} of {len(promised)} guarantees hold within two standard errors, {doubted} in doubt, {broken} broken."
    )
    out.print(output, soft_wrap=True)
