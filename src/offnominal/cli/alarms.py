"""`offnominal audit`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offnominal.cli.app import CHECK, App
from offnominal.cli.options import count_option, file_option, seed_option
from offnominal.cli.output import AsJson, out, print_json, print_table
from offnominal.cli.targets import (
    NAMES,
    POLICIES,
    WORLDS,
    chosen_names,
    chosen_worlds,
    load_named,
    policy_named,
    world_source,
)
from offnominal.core.rounding import fixed

if TYPE_CHECKING:
    from offnominal.alarms import WorldAudit
    from offnominal.detectors import Detector

FAST = "IsolationForest,KNN,Mahalanobis"

auditing = App(CHECK)


@auditing.command()
def audit(
    worlds: Annotated[list[str] | None, typer.Argument(help=WORLDS)] = None,
    detectors: Annotated[str, typer.Option(help=NAMES)] = FAST,
    alarms: Annotated[str, typer.Option(help=NAMES)] = "all",
    levels: Annotated[str, typer.Option(help="Comma-separated levels of the guarantees.")] = "0.05",
    episodes: Annotated[int, count_option("New nominal episodes per world.")] = 2000,
    calibrations: Annotated[int, count_option("Calibrations of each alarm.", least=2)] = 20,
    calibration: Annotated[int, count_option("Nominal episodes per calibration.")] = 100,
    training: Annotated[int, count_option("Nominal episodes to fit the detectors.")] = 100,
    epochs: Annotated[int | None, count_option("Training epochs of network detectors. Default: their own.")] = None,
    policy: Annotated[str | None, typer.Option(help=f"Policy: {POLICIES}. Default: the expert.")] = None,
    seed: Annotated[int | None, seed_option("Seed of the first episode, for a repetition.")] = None,
    path: Annotated[Path | None, file_option("CSV file for the results, updated after every detector.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the guarantees of alarms on new nominal episodes.

    Exits with 1 if a guarantee is broken.

    Example: [bold]offnominal audit SAP-Goal0-v0 --detectors KNN,PE-DM --alarms EpisodeMaximum,ThreeSigma[/]
    """
    from offnominal.agents.experts import expert
    from offnominal.alarms import alarms as alarm_registry
    from offnominal.alarms import alarms_at, audit_world
    from offnominal.alarms.world_audit import SEED, require_suitable
    from offnominal.detectors import detectors as detector_registry
    from offnominal.detectors.weights_in_names import name_with_weights
    from offnominal.reports.tables import write_csv

    ids = chosen_worlds(worlds)
    names = chosen_names(detector_registry, detectors)
    chosen = {name_with_weights(name, name, {}): _detector(name, epochs) for name in names}
    alarm_names = chosen_names(alarm_registry, alarms)
    for name in alarm_names:
        load_named(alarm_registry, name)
    alarms_tried = alarms_at(alarm_names, _levels(levels))
    n_tests = len(ids) * len(chosen) * sum(alarm.guarantee.level is not None for _, alarm in alarms_tried)
    sizes: dict[str, Any] = {
        "episodes": episodes,
        "calibrations": calibrations,
        "calibration": calibration,
        "training": training,
    }
    first = SEED if seed is None else seed
    given = {world: policy_named(policy, world) for world in ids}
    policies = {world: expert(world) if found is None else found for world, found in given.items()}
    for world, acting in policies.items():
        require_suitable(world_source(world), chosen, acting, training=training, seed=first)
    results: list[WorldAudit] = []
    for world, acting in policies.items():
        options: dict[str, Any] = {"policy": acting, "n_tests": n_tests, "seed": first}
        found = audit_world(world_source(world), chosen, alarms_tried, name=world, **sizes, **options)
        while batch := list(itertools.islice(found, len(alarms_tried))):
            results += batch
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_csv(path, [result.row() for result in results])
            if not as_json:
                print_table(f"{batch[0].detector} in {world}", [_described(result) for result in batch])
    if as_json:
        print_json([result.row() for result in results])
    else:
        _conclude(results)
    if any(result.audit.outcome == "broken" for result in results):
        raise typer.Exit(1)


def _levels(given: str) -> list[float]:
    from offnominal.core.errors import InvalidParameter

    try:
        return [float(level) for level in given.split(",")]
    except ValueError:
        raise InvalidParameter(f"--levels is {given!r}; expected numbers such as 0.05,0.1.") from None


def _detector(name: str, epochs: int | None) -> Detector:
    """Return a detector by id or class name, with another number of epochs if it has epochs."""
    from offnominal.detectors import detectors as registry

    load_named(registry, name)
    made = registry.build(name)
    return registry.build(name, {"n_epochs": epochs}) if epochs and made.get_params().get("n_epochs") else made


def _described(result: WorldAudit) -> dict[str, str]:
    found, guarantee = result.audit, result.audit.guarantee
    confident = "" if guarantee.confidence is None else f" in {fixed(100.0 * guarantee.confidence, 0)}%"
    low, high = found.interval
    return {
        "alarm": result.alarm,
        "guarantee": "–" if guarantee.level is None else f"{guarantee.level:g}{confident}",
        "false alarms": f"{fixed(found.rate, 3)} ± {fixed(found.error, 3)}",
        "95 %": f"{fixed(low, 3)}–{fixed(high, 3)}",
        "verdict": found.outcome,
    }


def _conclude(results: list[WorldAudit]) -> None:
    outcomes = [result.audit.outcome for result in results if result.audit.guarantee.level is not None]
    out.print(
        f"{outcomes.count('kept')} of {len(outcomes)} guarantees are kept, {outcomes.count('undecided')} undecided, "
        f"{outcomes.count('broken')} broken.",
        soft_wrap=True,
    )
    deciding = [result.audit.deciding for result in results if result.audit.deciding is not None]
    if deciding:
        calibrations, episodes = (max(numbers) for numbers in zip(*deciding, strict=True))
        out.print(f"To decide: --calibrations {calibrations} --episodes {episodes}.", soft_wrap=True)
