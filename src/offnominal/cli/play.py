"""`offnominal play`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from offnominal.cli.app import EXPLORE, App
from offnominal.cli.options import count_option, file_option, seed_option
from offnominal.cli.output import out

DEFAULT_STRENGTH = "strong"
DEFAULT_PATH = Path("runs/clip.webp")

playing = App(EXPLORE)


@playing.command()
def play(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    anomaly: Annotated[str | None, typer.Option(help="Id of the anomaly. Default: none, a nominal episode.")] = None,
    strength: Annotated[
        str | None,
        typer.Option(
            help="tiny, medium, strong, extreme, or a raw parameter. Default: strong if it is calibrated, "
            "else a parameter with a visible effect."
        ),
    ] = None,
    onset: Annotated[int | None, count_option("First faulty step. Default: random.", least=0)] = None,
    agent: Annotated[str, typer.Option(help="Policy: expert or scripted.")] = "expert",
    seed: Annotated[int, seed_option("Seed of the episode.")] = 0,
    steps: Annotated[int | None, count_option("Largest number of steps.")] = None,
    size: Annotated[int, count_option("Pixels per side of each episode.", least=64)] = 320,
    path: Annotated[Path, file_option("Clip, .webp, .gif or .mp4; with --gallery, a folder.")] = DEFAULT_PATH,
    gallery: Annotated[bool, typer.Option("--gallery", help="One clip for every anomaly of the world.")] = False,
    commands: Annotated[
        Path | None,
        typer.Option(help="File with commands of a CRAFT world, one per line; - for standard input. No policy acts."),
    ] = None,
) -> None:
    """Record a clip of a faulty episode next to its nominal twin.

    A red border marks the steps while the fault is active.

    Example: [bold]offnominal play MJC-HalfCheetah-v0 --anomaly action/noise --onset 50 --out clip.webp[/]

    All anomalies: [bold]offnominal play SAP-Goal2-v0 --gallery --onset 8 --steps 40 --out clips[/]

    Commands: [bold]echo "MOVE w" | offnominal play CRAFT-Pogo-v2 --commands - --out clip.webp[/]
    """
    from offnominal.anomalies import Fault, Schedule
    from offnominal.core.errors import InvalidParameter
    from offnominal.laws import anomalies_of
    from offnominal.reports.clip import write_clip, write_gallery
    from offnominal.studies.named_policy import acting_policy
    from offnominal.worlds import worlds as registry

    id = registry.spec(world).id
    if commands is not None:
        _play_commands(id, _text(commands), anomaly, strength, onset, seed=seed, steps=steps, path=path)
        return
    if agent not in ("expert", "scripted"):
        raise InvalidParameter(f"--agent is {agent!r}; expected expert or scripted.")
    acting = acting_policy(agent, id)
    schedule = Schedule() if onset is None else Schedule(onset=onset)
    if gallery:
        if anomaly is not None or strength is not None:
            raise InvalidParameter("--gallery shows every anomaly; leave out --anomaly and --strength.")
        faults = [Fault(name, _strength(None, name, id), schedule=schedule) for name in anomalies_of(id, cameras=True)]
        folder = Path("runs/gallery") if path == DEFAULT_PATH else path
        paths = write_gallery(folder, id, acting, faults, seed=seed, steps=steps, size=size)
        out.print(f"{len(paths)} clips: [bold]{escape(str(folder))}[/]", soft_wrap=True)
        return
    fault = None if anomaly is None else Fault(anomaly, _strength(strength, anomaly, id), schedule=schedule)
    frames = write_clip(path, id, acting, fault, seed=seed, steps=steps, size=size)
    shown = "" if fault is None else f" of {fault.id} at {_described(fault.strength)}"
    out.print(f"{frames} frames{escape(shown)}: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _text(path: Path) -> str:
    """Return the text of a file, or of standard input for ``-``."""
    import sys

    from offnominal.core.errors import InvalidParameter

    if str(path) == "-":
        return sys.stdin.read()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"--commands is {path}, which cannot be read: {error}.") from None


def _play_commands(
    world: str,
    text: str,
    anomaly: str | None,
    strength: str | None,
    onset: int | None,
    *,
    seed: int,
    steps: int | None,
    path: Path,
) -> None:
    """Record a clip of commands and report those that were not carried out."""
    from offnominal.anomalies.strengths import parameter_for
    from offnominal.reports.command_clip import read_commands, write_command_clip

    novelty, level = "", 0.0
    if anomaly is not None:
        novelty = anomaly.removeprefix("dynamics/")
        given = _strength(strength, anomaly, world)
        level = parameter_for(world, anomaly, given) if isinstance(given, str) else given
    chosen = read_commands(text)[:steps]
    results = write_command_clip(
        path, world, chosen, novelty=novelty, level=round(level), onset=0 if onset is None else onset, seed=seed
    )
    for number, (command, result) in enumerate(zip(chosen, results, strict=False), 1):
        if not result.success:
            out.print(f"{number} {escape(command)}: {escape(result.message)}", soft_wrap=True)
    done = sum(result.success for result in results)
    shown = "" if anomaly is None else f" with {anomaly} at {round(level)}"
    summary = f"{len(results) + 1} frames, {done} of {len(chosen)} commands carried out{shown}"
    out.print(f"{escape(summary)}: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _strength(given: str | None, anomaly: str, world: str) -> float | str:
    """Return the given strength, or a default with a visible effect."""
    from offnominal.anomalies import make_anomaly
    from offnominal.anomalies.strengths import strength
    from offnominal.laws.anomaly import visible_parameter
    from offnominal.worlds.world_source import build_world

    if given is not None:
        return _number_or_name(given)
    calibrated = strength(world, anomaly, DEFAULT_STRENGTH)
    if calibrated is not None and calibrated.attainable:
        return DEFAULT_STRENGTH
    return visible_parameter(make_anomaly(anomaly), build_world(world, 1))


def _number_or_name(strength: str) -> float | str:
    try:
        return float(strength)
    except ValueError:
        return strength


def _described(strength: float | str) -> str:
    return strength if isinstance(strength, str) else f"{strength:g}"
