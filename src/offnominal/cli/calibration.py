"""`offnominal calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from offnominal.cli.app import DATA, App
from offnominal.cli.options import MOST_AT_ONCE, count_option, file_option
from offnominal.cli.output import AsJson, out, print_json
from offnominal.cli.targets import POLICIES, WORLDS, chosen_worlds, policy_named, world_source

if TYPE_CHECKING:
    from offnominal.anomalies.strengths import Strength

calibration = App(DATA)


@calibration.command()
def calibrate(
    worlds: Annotated[list[str], typer.Argument(help=WORLDS)],
    anomaly: Annotated[list[str] | None, typer.Option(help="Only this anomaly; can be repeated.")] = None,
    level: Annotated[
        list[float] | None, typer.Option("--level", help="Fraction of the return that is left; can be repeated.")
    ] = None,
    onset: Annotated[str, typer.Option(help="start: active in the whole episode; dataset: random onset.")] = "start",
    budget: Annotated[int, count_option("Largest number of faulty episodes per level.", least=200)] = 1600,
    fresh: Annotated[int, count_option("New episodes to evaluate each parameter on.", least=2)] = 2000,
    policy: Annotated[str | None, typer.Option(help=f"Policy: {POLICIES}. Default: the expert.")] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    threads: Annotated[int | None, count_option("Threads of a simulation that has any.", most=MOST_AT_ONCE)] = None,
    path: Annotated[Path, file_option("CSV file for the strengths; interrupted runs resume from it.")] = Path(
        "runs/strengths.csv"
    ),
    as_json: AsJson = False,
) -> None:
    """Find the fault parameters that cost a share of the return.

    The levels tiny, medium, strong and extreme leave 99, 90, 75 and 50 % of the expert's return.

    Example: [bold]offnominal calibrate SAP-Goal0-v0 --anomaly action/noise --level 0.9[/]
    """
    from offnominal.anomalies.strengths import read_strengths, write_strengths
    from offnominal.calibration import calibrate
    from offnominal.worlds.catalogue import has_threads

    table = read_strengths(path) if path.exists() else []

    def keep(lines: list[Strength]) -> None:
        table[:] = [line for line in table if _key(line) not in map(_key, lines)] + lines
        write_strengths(path, table)
        if not as_json:
            for line in lines:
                out.print(_described(line), soft_wrap=True)

    found = []
    for world in chosen_worlds(worlds):
        source = world_source(world)
        options: dict[str, Any] = {"threads": threads} if has_threads(source) else {}
        found += calibrate(
            source,
            policy_named(policy, world),
            anomalies=anomaly,
            levels=level,
            onset=onset,
            budget=budget,
            fresh=fresh,
            workers=workers,
            done=list(table),
            report=keep,
            **options,
        )
    if as_json:
        print_json([line.to_dict() for line in found])
    else:
        out.print(f"Table: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _key(line: Strength) -> tuple[str, ...]:
    return line.world, line.anomaly, line.name, line.onset


def _described(line: Strength) -> str:
    name = escape(f"{line.anomaly} {line.name}")
    score = line.score if line.onset == "start" else line.dataset_score
    output = f"  {name:40} {line.parameter:<10.4g} score {score:.3f} for {line.target:g}"
    return output if line.attainable else f"{output}  [yellow]not attainable[/]: {escape(line.note)}"
