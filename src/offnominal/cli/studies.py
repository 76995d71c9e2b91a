"""`offnominal quickstart` and `run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offnominal.cli.app import RUN, App
from offnominal.cli.options import STORE, AllowModule, Ray, ShowAll, StoreFolder, Workers, Worlds, folder_option
from offnominal.cli.output import AsJson
from offnominal.cli.run_summary import finish_run, print_failures
from offnominal.cli.targets import allowed_modules, with_imported

if TYPE_CHECKING:
    from offnominal.studies.base import BaseStudy

experiments = App(RUN)


@experiments.command()
def quickstart(
    folder: Annotated[Path, folder_option("Folder of the run and its report.")] = Path("runs/quickstart"),
    workers: Workers = None,
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Benchmark six detectors on two worlds and write a report.

    Takes about a minute. The terminal shows the leaderboard with delays and false alarms; the page has everything.

    Example: [bold]offnominal quickstart[/]
    """
    run("quickstart", folder=folder, workers=workers, store=store, as_json=as_json)


@experiments.command()
def run(
    study: Annotated[str, typer.Argument(help="Name of a study, or a .toml or .py file.")],
    scale: Annotated[str | None, typer.Option(help="Scale of the study, such as smoke, laptop or paper.")] = None,
    worlds: Worlds = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Only cells world/policy/detector/seed that match, with * and ?; can be repeated."
        ),
    ] = None,
    sampler: Annotated[str | None, typer.Option(help="Sampler of a search on tables: random or optuna.")] = None,
    detector: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CLASS", help="Row detector of your own that a search on tables has instead of its methods."
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="N/TIME",
            help="Budget of false alarms at which detectors are compared, such as 12/hour or '0.5/1000 steps'.",
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry failed cells; cells that were killed are always retried.")
    ] = False,
    log: Annotated[
        list[str] | None, typer.Option(help="Also log to tensorboard, mlflow or wandb; can be repeated.")
    ] = None,
    folder: Annotated[Path | None, folder_option("Folder of the run. Default: runs/<study>-<scale>.")] = None,
    store: StoreFolder = STORE,
    allow_module: AllowModule = None,
    untrained: ShowAll = False,
    as_json: AsJson = False,
) -> None:
    """Run a study and write its report.

    Interrupted runs resume: run the same command again. Exits with 1 if a cell has no result.

    Example: [bold]offnominal run anomaly-gym --scale laptop --worlds "SAP*"[/]

    Example: [bold]offnominal run comparison-mine --detector my_module:MyDetector[/]
    """
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.runs import open_run
    from offnominal.studies.runs import run as go
    from offnominal.studies.sinks import sink_named

    options = {"workers": workers, "ray": ray, "retry": retry, "sinks": [sink_named(name) for name in log or ()]}
    loaded = with_imported(load_study(study, allow_modules=allowed_modules(allow_module)))
    chosen = _at_budget(_sampled(_with_detector(loaded, detector), sampler), budget)
    place, outcome = go(chosen, scale, folder=folder, store=store, worlds=worlds or None, only=only, **options)
    complete = outcome.complete
    if outcome.reused + outcome.computed:
        found = open_run(place)
        finish_run(place, found, outcome, as_json=as_json, untrained=untrained)
        complete = complete and not found.missing
    else:
        print_failures(outcome.failures)
    if not complete:
        raise typer.Exit(1)


def _with_detector(study: BaseStudy, detector: str | None) -> BaseStudy:
    """Return a study that searches a class of the user instead of its methods, under a name of its own."""
    from offnominal.core.errors import InvalidParameter

    if detector is None:
        return study
    if study.kind != "search":
        raise InvalidParameter(f"--detector is for searches on tables, and {study.name!r} is none; leave it out.")
    if ":" not in detector:
        raise InvalidParameter(f"--detector is {detector!r}; expected a class, such as my_module:MyDetector.")
    name = f"{study.name}-{detector.rpartition(':')[2].lower()}"
    scales = {scale: each | {"methods": None} for scale, each in study.to_dict()["scales"].items()}
    return type(study).from_dict(study.to_dict() | {"methods": [detector], "name": name, "scales": scales})


def _sampled(study: BaseStudy, sampler: str | None) -> BaseStudy:
    """Return a study that searches with another sampler, under a name of its own."""
    from offnominal.core.errors import InvalidParameter

    if sampler is None:
        return study
    if not hasattr(study, "sampler"):
        raise InvalidParameter(f"--sampler is {sampler!r}, but study {study.name!r} has no sampler; leave it out.")
    return type(study).from_dict(study.to_dict() | {"sampler": sampler, "name": f"{study.name}-{sampler}"})


def _at_budget(study: BaseStudy, given: str | None) -> BaseStudy:
    """Return a study that compares detectors at another budget of false alarms, under a name of its own."""
    from offnominal.core.errors import InvalidParameter
    from offnominal.evaluation.false_alarm_budget import FalseAlarmBudget

    if given is None:
        return study
    if not hasattr(study, "budget"):
        raise InvalidParameter(f"--budget is {given!r}, but study {study.name!r} has no budget; leave it out.")
    budget = FalseAlarmBudget.parse(given)
    if budget == study.budget:
        return study
    return type(study).from_dict(study.to_dict() | {"budget": budget.to_dict(), "name": f"{study.name}-{budget.slug}"})
