"""`offnominal calibrate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.options import MOST_AT_ONCE, count_option

if TYPE_CHECKING:
    from offnominal.anomalies.strengths import Strength

out = Console()
calibration = typer.Typer()


@calibration.command()
def calibrate(
    worlds: Annotated[list[str], typer.Argument(help="Ids of worlds, or 'all'.")],
    anomaly: Annotated[list[str] | None, typer.Option(help="Only this one; may be given again.")] = None,
    level: Annotated[
        list[float] | None, typer.Option("--level", help="Share of the return to be left; may be given again.")
    ] = None,
    onset: Annotated[str, typer.Option(help="start: on for the whole episode; dataset: strikes at random.")] = "start",
    budget: Annotated[int, count_option("Faulty episodes per level at most.", least=200)] = 1600,
    fresh: Annotated[int, count_option("Fresh episodes on which each parameter is judged.", least=2)] = 2000,
    policy: Annotated[Path | None, typer.Option(help="A policy that `offnominal train` made, not our expert.")] = None,
    threads: Annotated[int | None, count_option("Threads of the simulation.", most=MOST_AT_ONCE)] = None,
    path: Annotated[Path, typer.Option("--out", help="The table; a killed run goes on with it.")] = Path(
        "runs/strengths.csv"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Find the parameters at which faults leave 99, 90, 75 and 50 % of an expert's return.

    Example: [bold]offnominal calibrate SAP-Goal0-v0 --anomaly action/noise --level 0.9[/]
    """
    from offnominal.agents.files import load_policy
    from offnominal.anomalies.strengths import read_strengths, write_strengths
    from offnominal.calibration import calibrate
    from offnominal.worlds import worlds as registry

    table = read_strengths(path) if path.exists() else []

    def keep(lines: list[Strength]) -> None:
        table[:] = [line for line in table if _place(line) not in map(_place, lines)] + lines
        write_strengths(path, table)
        if not as_json:
            for line in lines:
                out.print(_described(line), soft_wrap=True)

    found = []
    for world in registry.ids() if worlds == ["all"] else [registry.spec(world).id for world in worlds]:
        found += calibrate(
            world,
            load_policy(policy)[0] if policy else None,
            anomalies=anomaly,
            levels=level,
            onset=onset,
            budget=budget,
            fresh=fresh,
            done=list(table),
            report=keep,
            threads=threads,
        )
    if as_json:
        print(json.dumps([line.to_dict() for line in found], indent=2))
    else:
        out.print(f"Table: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _place(line: Strength) -> tuple[str, ...]:
    return line.world, line.anomaly, line.name, line.onset


def _described(line: Strength) -> str:
    what = escape(f"{line.anomaly} {line.name}")
    score = line.score if line.onset == "start" else line.dataset_score
    output = f"  {what:40} {line.parameter:<10.4g} score {score:.3f} for {line.target:g}"
    return output if line.attainable else f"{output}  [yellow]not attainable[/]: {escape(line.note)}"
