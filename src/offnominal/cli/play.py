"""`offnominal play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

out = Console()
playing = typer.Typer()


@playing.command()
def play(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    anomaly: Annotated[str | None, typer.Option(help="What goes wrong; nothing if left out.")] = None,
    strength: Annotated[str, typer.Option(help="tiny, medium, strong, extreme, or a number.")] = "strong",
    onset: Annotated[int | None, typer.Option(min=0, help="First step with the fault; at random if left out.")] = None,
    agent: Annotated[str, typer.Option(help="expert or scripted.")] = "expert",
    seed: Annotated[int, typer.Option(min=0, help="Of the episode.")] = 0,
    steps: Annotated[int | None, typer.Option(min=1, help="Stop after this many.")] = None,
    path: Annotated[Path, typer.Option("--out", help="The clip: .gif or .mp4.")] = Path("runs/clip.gif"),
) -> None:
    """Record a clip of an episode beside its nominal twin; its frame is red while the fault is on.

    Example: [bold]offnominal play MJC-HalfCheetah-v0 --anomaly action/noise --onset 50 --out clip.gif[/]
    """
    from offnominal.agents import expert, scripted
    from offnominal.anomalies import Fault, Schedule
    from offnominal.core.errors import InvalidParameter
    from offnominal.reports.clip import write_clip

    if agent not in ("expert", "scripted"):
        raise InvalidParameter(f"agent is {agent!r}; choose expert or scripted.")
    acting = expert(world) if agent == "expert" else scripted(world)
    fault = None
    if anomaly is not None:
        fault = Fault(anomaly, _number_or_name(strength), schedule=Schedule() if onset is None else onset)
    frames = write_clip(path, world, acting, fault, seed=seed, steps=steps)
    out.print(f"{frames} frames: [bold]{path}[/]", soft_wrap=True)


def _number_or_name(strength: str) -> float | str:
    try:
        return float(strength)
    except ValueError:
        return strength
