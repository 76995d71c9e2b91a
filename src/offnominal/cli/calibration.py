"""`offnominal calibrate` and `offnominal match`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from offnominal.cli.app import DATA, App
from offnominal.cli.options import MOST_AT_ONCE, count_option, file_option, number_option
from offnominal.cli.output import AsJson, out, print_json
from offnominal.cli.targets import POLICIES, WORLDS, chosen_worlds, policies_named, world_source
from offnominal.core.rounding import fixed, significant

if TYPE_CHECKING:
    from offnominal.anomalies.matched_strengths import MatchedStrength
    from offnominal.anomalies.strengths import Strength
    from offnominal.calibration.sampler import AnyPolicy

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
    half_width: Annotated[
        float, number_option("Half the width of an interval above which more new episodes are simulated.", least=0.0)
    ] = 0.02,
    most_fresh: Annotated[int | None, count_option("Most new episodes; four times --fresh by default.")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"Policy: {POLICIES}, or a shipped one such as tqc-0; can be repeated. Default: the expert."),
    ] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    threads: Annotated[int | None, count_option("Threads of a simulation that has any.", most=MOST_AT_ONCE)] = None,
    path: Annotated[Path, file_option("CSV file for the strengths; interrupted runs resume from it.")] = Path(
        "runs/strengths.csv"
    ),
    as_json: AsJson = False,
) -> None:
    """Find the fault parameters that cost a share of the return.

    The levels tiny, medium, strong and extreme leave 99, 90, 75 and 50 % of the expert's return. With several policies
    it is the mean of what is left to each. Parameters that no sensor, actuator or body could have are not searched.

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
    for world, policies in _ready(worlds, policy, anomaly).items():
        source = world_source(world)
        options: dict[str, Any] = {"threads": threads} if has_threads(source) else {}
        found += calibrate(
            source,
            policies,
            anomalies=anomaly,
            levels=level,
            onset=onset,
            budget=budget,
            fresh=fresh,
            half_width=half_width,
            most_fresh=most_fresh,
            workers=workers,
            done=list(table),
            report=keep,
            **options,
        )
    if as_json:
        print_json([_plain(line) for line in found])
    else:
        out.print(f"Table: [bold]{escape(str(path))}[/]", soft_wrap=True)


@calibration.command()
def match(
    worlds: Annotated[list[str], typer.Argument(help=WORLDS)],
    anomaly: Annotated[list[str] | None, typer.Option(help="Only this anomaly; can be repeated.")] = None,
    nominal: Annotated[int, count_option("Nominal episodes that the detector is fitted on.", least=2)] = 100,
    episodes: Annotated[int, count_option("Faulty episodes per parameter in the search.", least=2)] = 30,
    fresh: Annotated[int, count_option("New episodes to evaluate on, faulty and nominal.", least=2)] = 200,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"Policy: {POLICIES}, or a shipped one such as tqc-0; can be repeated. Default: the expert."),
    ] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    path: Annotated[Path, file_option("CSV file for the strengths; interrupted runs resume from it.")] = Path(
        "runs/matched_strengths.csv"
    ),
    as_json: AsJson = False,
) -> None:
    """Find the fault parameters of equal detectability.

    At auroc-60, auroc-75 and auroc-90 a Mahalanobis distance, fitted on nominal episodes of the policies, has that
    time-matched AUROC.

    Example: [bold]offnominal match SAP-Goal0-v0 --anomaly action/noise[/]
    """
    from offnominal.anomalies.matched_strengths import read_matched_strengths, write_matched_strengths
    from offnominal.evaluation.detectability import match_detectability

    table = read_matched_strengths(path) if path.exists() else []

    def keep(lines: list[MatchedStrength]) -> None:
        new = [(line.world, line.anomaly, line.name) for line in lines]
        table[:] = [line for line in table if (line.world, line.anomaly, line.name) not in new] + lines
        write_matched_strengths(path, table)
        for line in () if as_json else lines:
            name = escape(f"{line.anomaly} {line.name}")
            shown = f"  {name:40} {significant(line.parameter, 4):<10} AUROC {fixed(line.auroc, 3)} for {line.target:g}"
            why = "" if line.attainable else f"  [yellow]not attainable[/]: {escape(line.note)}"
            out.print(shown + why, soft_wrap=True)

    found = []
    for world, policies in _ready(worlds, policy, anomaly).items():
        found += match_detectability(
            world_source(world),
            policies,
            anomalies=anomaly,
            nominal=nominal,
            episodes=episodes,
            fresh=fresh,
            workers=workers,
            done=list(table),
            report=keep,
        )
    if as_json:
        print_json([_plain(line) for line in found])
    else:
        out.print(f"Table: [bold]{escape(str(path))}[/]", soft_wrap=True)


def _ready(
    worlds: Sequence[str], policy: Sequence[str] | None, anomaly: Sequence[str] | None
) -> dict[str, tuple[AnyPolicy, ...]]:
    """Return the policies of every world; the error of any world comes before results of another are written."""
    from offnominal.calibration.axis import axes_of
    from offnominal.calibration.calibration import chosen_policies
    from offnominal.worlds.world_source import open_world

    ready = {}
    for world in chosen_worlds(worlds):
        given = policies_named(policy, world)
        with open_world(world_source(world), 1) as sample:
            ready[world] = chosen_policies(sample.card.id, given)
            axes_of(sample, anomaly)
    return ready


def _key(line: Strength) -> tuple[str, ...]:
    return line.world, line.anomaly, line.name, line.onset


def _plain(line: Strength | MatchedStrength) -> dict[str, Any]:
    """Return plain data for JSON, which has no NaN."""
    return {name: None if value != value else value for name, value in line.to_dict().items()}  # noqa: PLR0124


def _described(line: Strength) -> str:
    name = escape(f"{line.anomaly} {line.name}")
    score = line.score if line.onset == "start" else line.dataset_score
    output = f"  {name:40} {significant(line.parameter, 4):<10} score {fixed(score, 3)} for {line.target:g}"
    return output if line.attainable else f"{output}  [yellow]not attainable[/]: {escape(line.note)}"
