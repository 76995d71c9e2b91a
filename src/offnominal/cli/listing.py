"""`offnominal worlds`, `anomalies`, `detectors`, `scene-detectors`, `class-detectors`, `alarms` and `agents`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from offnominal.cli.output import AsJson, print_rows
from offnominal.core.registry import Registry

listing = typer.Typer()


@listing.command()
def worlds(as_json: AsJson = False) -> None:
    """List the worlds.

    Example: [bold]offnominal worlds[/]
    """
    from offnominal.worlds import worlds as registry

    _list(registry, as_json)


@listing.command()
def anomalies(
    world: Annotated[
        str | None, typer.Option(help="Only the anomalies of this world, with its physics parameters.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the anomalies.

    Example: [bold]offnominal anomalies --world SAP-Goal0-v0[/]
    """
    from offnominal.anomalies import anomalies as registry
    from offnominal.anomalies import make_anomaly
    from offnominal.laws import anomalies_of

    if world is None:
        _list(registry, as_json)
        return
    rows = []
    for id in anomalies_of(world, cameras=True):
        anomaly = make_anomaly(id)
        summary = registry.spec(id).summary if id in registry else "physics parameter of this world"
        rows.append({"id": id, "neutral": _neutral(anomaly, world), "summary": summary})
    print_rows(f"Anomalies of {world}", rows, as_json)


@listing.command()
def detectors(as_json: AsJson = False) -> None:
    """List the detectors.

    Example: [bold]offnominal detectors[/]
    """
    from offnominal.detectors import detectors as registry

    _list(registry, as_json)


@listing.command()
def scene_detectors(as_json: AsJson = False) -> None:
    """List the detectors of driving scenes.

    Example: [bold]offnominal scene-detectors[/]
    """
    from offnominal.detectors.scenes import scene_detectors as registry

    _list(registry, as_json)


@listing.command()
def class_detectors(as_json: AsJson = False) -> None:
    """List the detectors of images with known classes.

    Example: [bold]offnominal class-detectors[/]
    """
    from offnominal.detectors.classifiers import class_detectors as registry

    _list(registry, as_json)


@listing.command()
def alarms(as_json: AsJson = False) -> None:
    """List the alarms.

    Example: [bold]offnominal alarms[/]
    """
    from offnominal.alarms import alarms as registry

    _list(registry, as_json)


@listing.command()
def agents(as_json: AsJson = False) -> None:
    """List the trained policies of the package with their returns.

    Example: [bold]offnominal agents[/]
    """
    from offnominal.agents import expert_cards
    from offnominal.worlds import worlds as registry

    rows = [
        {
            "world": card.world,
            "algorithm": card.algorithm,
            "return": round(card.mean_return, 3),
            "±95%": round(card.return_interval, 3),
            "published": registry.card(card.world).expert_return,
            "success": card.success,
        }
        for card in expert_cards()
    ]
    print_rows("Trained policies, evaluated on new nominal episodes", rows, as_json)


def _neutral(anomaly: Any, world: str) -> float:
    """Return the parameter at which an anomaly has no effect in a world."""
    from offnominal.worlds.world_source import build_world

    name = getattr(anomaly, "physics_parameter", None)
    return float(build_world(world, 1).physics_parameter(name).neutral if name else anomaly.neutral)


def _list(registry: Registry[Any], as_json: bool) -> None:
    rows = [{"id": spec.id, "summary": spec.summary} for spec in registry]
    print_rows(registry.plural.capitalize().replace("_", " "), rows, as_json)
