"""`offnominal play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.options import count_option, seed_option

USUAL = "strong"

out = Console()
playing = typer.Typer()


@playing.command()
def play(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    anomaly: Annotated[str | None, typer.Option(help="What goes wrong; nothing if left out.")] = None,
    strength: Annotated[
        str | None,
        typer.Option(
            help="tiny, medium, strong, extreme, or a number. If left out: strong where that is calibrated, "
            "else a number whose effect is easy to see."
        ),
    ] = None,
    onset: Annotated[int | None, count_option("First step with the fault; at random if left out.", least=0)] = None,
    agent: Annotated[str, typer.Option(help="expert or scripted.")] = "expert",
    seed: Annotated[int, seed_option("Of the episode.")] = 0,
    steps: Annotated[int | None, count_option("Stop after this many.")] = None,
    path: Annotated[Path, typer.Option("--out", help="The clip: .gif or .mp4.")] = Path("runs/clip.gif"),
) -> None:
    """Record a clip of an episode beside its nominal twin; its frame is red while the fault is on.

    Example: [bold]offnominal play MJC-HalfCheetah-v0 --anomaly action/noise --onset 50 --out clip.gif[/]
    """
    from offnominal.agents import expert, scripted_expert
    from offnominal.anomalies import Fault, Schedule
    from offnominal.core.errors import InvalidParameter
    from offnominal.reports.clip import write_clip
    from offnominal.worlds import worlds as registry

    id = registry.spec(world).id
    if agent not in ("expert", "scripted"):
        raise InvalidParameter(f"agent is {agent!r}; choose expert or scripted.")
    acting = expert(id) if agent == "expert" else scripted_expert(id)
    fault = None
    if anomaly is not None:
        schedule = Schedule() if onset is None else onset
        fault = Fault(anomaly, _strength(strength, anomaly, id), schedule=schedule)
    frames = write_clip(path, id, acting, fault, seed=seed, steps=steps)
    shown = "" if fault is None else f" of {fault.id} at {_described(fault.strength)}"
    out.print(f"{frames} frames{escape(shown)}: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _strength(given: str | None, anomaly: str, world: str) -> float | str:
    """Return a strength; if none is given, one whose effect is easy to see."""
    from offnominal.anomalies import make_anomaly
    from offnominal.anomalies.strengths import strength
    from offnominal.laws.anomaly import visible_parameter
    from offnominal.rollouts.collection import build_world

    if given is not None:
        return _number_or_name(given)
    known = strength(world, anomaly, USUAL)
    if known is not None and known.attainable:
        return USUAL
    return visible_parameter(make_anomaly(anomaly), build_world(world, 1))


def _number_or_name(strength: str) -> float | str:
    try:
        return float(strength)
    except ValueError:
        return strength


def _described(strength: float | str) -> str:
    return strength if isinstance(strength, str) else f"{strength:g}"
