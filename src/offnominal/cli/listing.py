"""`offnominal worlds`, `anomalies`, `detectors`, `alarms`, `agents` and `studies`: lists, and details of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offnominal.cli.app import EXPLORE, App
from offnominal.cli.options import ShowAll
from offnominal.cli.output import AsJson, out, print_json, print_rows, print_sentence, print_text
from offnominal.core.registry import Registry

if TYPE_CHECKING:
    from offnominal.reports.descriptions import Description

listing = App(EXPLORE)


def _one(noun: str) -> Any:
    """Return the argument for the name of one object."""
    return typer.Argument(metavar="NAME", help=f"Show the details of this {noun}. Default: list all.")


@listing.command()
def worlds(name: Annotated[str | None, _one("world")] = None, as_json: AsJson = False) -> None:
    """List the worlds, or show one: spaces, channels, faults.

    Example: [bold]offnominal worlds SAP-Goal0-v0[/]
    """
    from offnominal.worlds import worlds as registry

    if name is None:
        _list(registry, as_json)
        return
    from offnominal.reports.descriptions import describe_world

    print_description(describe_world(name), as_json)


@listing.command()
def anomalies(
    name: Annotated[str | None, _one("anomaly")] = None,
    world: Annotated[str | None, typer.Option(metavar="ID", help="Only the anomalies or strengths of a world.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the anomalies, or show one: formula, strengths.

    Example: [bold]offnominal anomalies action/noise --world SAP-Goal0-v0[/]
    """
    from offnominal.anomalies import anomalies as registry

    if name is not None:
        from offnominal.reports.descriptions import describe_anomaly

        print_description(describe_anomaly(name, world), as_json)
    elif world is not None:
        from offnominal.reports.descriptions.anomaly import anomaly_rows

        print_rows(f"Anomalies of {world}", anomaly_rows(world), as_json)
    else:
        _list(registry, as_json)


@listing.command()
def detectors(
    name: Annotated[str | None, _one("detector")] = None, untrained: ShowAll = False, as_json: AsJson = False
) -> None:
    """List the detectors, or show one: parameters, paper.

    Networks without training, such as PE-DM-untrained, are baselines; --all and --json list them, too.

    Example: [bold]offnominal detectors KNN[/]
    """
    from offnominal.detectors import detectors as registry
    from offnominal.detectors.catalogue import UNTRAINED

    if name is not None:
        _detail(name, registry, as_json)
        return
    _list(registry, as_json, without="" if untrained or as_json else UNTRAINED)


@listing.command()
def scene_detectors(name: Annotated[str | None, _one("detector")] = None, as_json: AsJson = False) -> None:
    """List the detectors of driving scenes, or show one.

    Example: [bold]offnominal scene-detectors PatchKNN[/]
    """
    from offnominal.detectors.scenes import scene_detectors as registry

    if name is not None:
        _detail(name, registry, as_json)
        return
    _list(registry, as_json)


@listing.command()
def class_detectors(name: Annotated[str | None, _one("detector")] = None, as_json: AsJson = False) -> None:
    """List the detectors of images with classes, or show one.

    Example: [bold]offnominal class-detectors ODIN[/]
    """
    from offnominal.detectors.classifiers import class_detectors as registry

    if name is not None:
        _detail(name, registry, as_json)
        return
    _list(registry, as_json)


@listing.command()
def alarms(name: Annotated[str | None, _one("alarm")] = None, as_json: AsJson = False) -> None:
    """List the alarms, or show one: guarantee, parameters.

    Example: [bold]offnominal alarms EpisodeMaximum[/]
    """
    from offnominal.alarms.catalogue import UNLISTED
    from offnominal.alarms.catalogue import alarms as registry

    if name is None:
        rows = [{"id": spec.id, "summary": spec.summary} for spec in (*registry, *UNLISTED.values())]
        print_rows("Alarms", rows, as_json)
        return
    from offnominal.reports.descriptions import describe_alarm

    print_description(describe_alarm(name), as_json)


@listing.command()
def agents(
    world: Annotated[
        str | None, typer.Argument(help="Show how the policies of this world were trained. Default: list all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the trained policies, or show those of a world.

    Example: [bold]offnominal agents SAP-Goal0-v0[/]
    """
    from offnominal.reports.descriptions import describe_policies
    from offnominal.reports.descriptions.policies import policy_rows

    if world is None:
        print_rows("Trained policies, evaluated on new nominal episodes", policy_rows(), as_json)
    else:
        print_description(describe_policies(world), as_json)


@listing.command()
def studies(
    name: Annotated[str | None, typer.Argument(help="Show this study, or a file. Default: list all.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the studies and their scales, or show one.

    Example: [bold]offnominal studies anomaly-gym[/]
    """
    from offnominal.reports.descriptions import describe_study
    from offnominal.reports.descriptions.study import study_rows

    if name is None:
        print_rows("Studies", study_rows(), as_json)
    else:
        print_description(describe_study(name), as_json)


def _list(registry: Registry[Any], as_json: bool, *, without: str = "") -> None:
    """Print all entries, without those whose ids have an ending."""
    shown = [spec for spec in registry if not without or not spec.id.endswith(without)]
    rows = [{"id": spec.id, "summary": spec.summary} for spec in shown]
    print_rows(registry.plural.capitalize().replace("_", " "), rows, as_json)
    if as_json:
        return
    if len(shown) < len(registry):
        print_text(f"{len(registry) - len(shown)} untrained baselines are not shown; --all shows them.")
    print_text(f"`offnominal {registry.plural.replace('_', '-')} NAME` shows the details of one.")


def _detail(name: str, registry: Registry[Any], as_json: bool) -> None:
    from offnominal.reports.descriptions import describe_detector

    print_description(describe_detector(name, registry), as_json)


def print_description(found: Description, as_json: bool) -> None:
    """Print a description: name and summary, text, facts, tables and the address of the documentation."""
    from rich.table import Table
    from rich.text import Text

    from offnominal.core.printable import printable
    from offnominal.reports.tables import text

    if as_json:
        print_json(found.to_dict())
        return
    out.print(Text.assemble((printable(found.name), "bold"), f": {printable(found.summary)}" if found.summary else ""))
    if found.text:
        out.print()
        print_sentence(found.text)
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in found.facts.items():
        if value is not None:
            facts.add_row(name, Text(printable(text(value))))
    if facts.row_count:
        out.print()
        out.print(facts)
    for title, rows in found.tables.items():
        if rows:
            out.print()
            print_rows(title.capitalize(), rows, False)
    if found.documentation:
        print_text(f"Documentation: {found.documentation}")
