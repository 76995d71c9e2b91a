"""The program `offnominal`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from offnominal._version import __version__
from offnominal.cli.alarms import auditing
from offnominal.cli.app import CHECK, DATA, SERVE, App
from offnominal.cli.backbones import backbones
from offnominal.cli.calibration import calibration
from offnominal.cli.dataset_exchange import exchange
from offnominal.cli.datasets import datasets
from offnominal.cli.doctor import health
from offnominal.cli.failures import exit_code_of
from offnominal.cli.laws import check
from offnominal.cli.listing import listing
from offnominal.cli.novelcraft import novelcraft
from offnominal.cli.onnx_export import exporting
from offnominal.cli.output import out
from offnominal.cli.play import playing
from offnominal.cli.reproduction import reproduction
from offnominal.cli.results import outcomes
from offnominal.cli.review import reviewing
from offnominal.cli.robot import robot
from offnominal.cli.scenarios import scenarios
from offnominal.cli.scenes import scenes
from offnominal.cli.serve import serving
from offnominal.cli.studies import experiments
from offnominal.cli.tables import tables
from offnominal.cli.targets import import_first
from offnominal.cli.training import training
from offnominal.cli.tune import tuning
from offnominal.cli.verification import verification
from offnominal.cli.watch import watching

program = App(
    name="offnominal",
    no_args_is_help=True,
    help="Benchmarks and tools for anomaly detection around acting agents.",
    epilog="Start with [bold]offnominal quickstart[/]. [bold]offnominal COMMAND --help[/] shows examples.",
)
for _app in (listing, playing, datasets, exchange):
    program.add_typer(_app)
program.add_typer(tables, name="tables", rich_help_panel=DATA)
program.add_typer(backbones, name="backbones", rich_help_panel=DATA)
program.add_typer(scenarios, name="scenarios", rich_help_panel=DATA)
program.add_typer(scenes, name="scenes", rich_help_panel=DATA)
program.add_typer(novelcraft, name="novelcraft", rich_help_panel=DATA)
for _app in (calibration, experiments, outcomes, reproduction, training):
    program.add_typer(_app)
program.add_typer(check, name="check", rich_help_panel=CHECK)
for _app in (auditing, verification, health, serving, exporting, reviewing, tuning, watching):
    program.add_typer(_app)
program.add_typer(robot, name="robot", rich_help_panel=SERVE)


def main() -> None:
    """Run the program and exit; :func:`exit_code_of` lists the exit codes."""
    sys.exit(exit_code_of(program))


@program.callback(invoke_without_command=True)
def _first(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import this module first, so that what it registers can be named; can be repeated.",
        ),
    ] = None,
) -> None:
    if version:
        out.print(__version__)
        raise typer.Exit
    import_first(modules or ())
