"""`offnominal check`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from offnominal.cli.app import App
from offnominal.cli.options import MOST_AT_ONCE, count_option, number_option
from offnominal.cli.output import AsJson, out, print_json
from offnominal.cli.targets import NAMES, chosen_names, load_named

if TYPE_CHECKING:
    from offnominal.laws import LawReport

check = App(
    no_args_is_help=True,
    help="Check the contracts of worlds, detectors and others.\n\n"
    "Every law is a contract that objects of one kind must keep, also your own. Exits with 1 if one is broken.",
)


@check.command("world")
def check_world_command(id: Annotated[str, typer.Argument(help="Id of the world.")], as_json: AsJson = False) -> None:
    """Check the laws of worlds.

    Example: [bold]offnominal check world SAP-Goal0-v0[/]
    """
    from offnominal.laws import check_world
    from offnominal.worlds import worlds as registry

    registry.spec(id)
    print_reports([check_world(id)], as_json)


@check.command("environment")
def check_environment_command(
    id: Annotated[
        str,
        typer.Argument(help="Id in Gymnasium's registry, such as ROAD-Town-v0, or package.module:function."),
    ],
    as_json: AsJson = False,
) -> None:
    """Check the laws of Gymnasium environments.

    Example: [bold]offnominal check environment ROAD-Town-v0[/]
    """
    from offnominal.core.imported_modules import attribute_of
    from offnominal.laws import check_environment

    print_reports([check_environment(attribute_of(id) if ":" in id else id)], as_json)


@check.command("anomaly")
def check_anomaly_command(
    id: Annotated[str, typer.Argument(help="Id of the anomaly, or 'all'.")],
    world: Annotated[
        str | None, typer.Option(help="Only in this world; if omitted, in every world that has the anomaly.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the laws of anomalies in the worlds that have them.

    Example: [bold]offnominal check anomaly observation/noise --world SAP-Goal0-v0[/]
    """
    from offnominal.anomalies import make_anomaly
    from offnominal.core.errors import UnknownName
    from offnominal.laws import anomalies_of, check_anomaly
    from offnominal.worlds import worlds as registry

    if id != "all":
        make_anomaly(id)
    chosen = [registry.spec(world).id] if world else registry.ids()
    cases = [
        (anomaly, each) for each in chosen for anomaly in anomalies_of(each, cameras=True) if id in ("all", anomaly)
    ]
    if not cases:
        raise UnknownName(f"{id} exists in none of: {', '.join(chosen)}. `offnominal anomalies --world ID` lists them.")
    print_reports([check_anomaly(anomaly, each) for anomaly, each in cases], as_json)


@check.command("detector")
def check_detector_command(id: Annotated[str, typer.Argument(help=NAMES)], as_json: AsJson = False) -> None:
    """Check the laws of detectors.

    Example: [bold]offnominal check detector KNN[/]
    """
    from offnominal.detectors import detectors as registry
    from offnominal.laws import check_detector

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    print_reports([check_detector(name if name in registry else made) for name, made in chosen], as_json)


@check.command("learning")
def check_learning_command(id: Annotated[str, typer.Argument(help=NAMES)], as_json: AsJson = False) -> None:
    """Check that detectors learn more than a Gaussian.

    Takes minutes per network.

    Example: [bold]offnominal check learning VAE[/]
    """
    from offnominal.detectors import detectors as registry
    from offnominal.laws import check_learning

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    print_reports([check_learning(name if name in registry else made) for name, made in chosen], as_json)


@check.command("scene-detector")
def check_scene_detector_command(id: Annotated[str, typer.Argument(help=NAMES)], as_json: AsJson = False) -> None:
    """Check the laws of detectors of driving scenes.

    Example: [bold]offnominal check scene-detector HeightAboveRoad[/]
    """
    from offnominal.detectors.scenes import scene_detectors as registry
    from offnominal.laws import check_scene_detector

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    print_reports([check_scene_detector(name if name in registry else made) for name, made in chosen], as_json)


@check.command("scenes")
def check_scenes_command(
    preset: Annotated[str, typer.Argument(help="Preset of scenarios; `offnominal scenarios presets` lists them.")],
    setting: Annotated[str, typer.Option(help="'content' for objects, 'temporal' for road users.")] = "content",
    scenes: Annotated[
        int | None,
        count_option("Simulated scenes of each class; without it the law of the ego vehicle is skipped.", least=4),
    ] = None,
    recorded: Annotated[
        int | None,
        count_option("Recorded scenes of each class; without it the law of file sizes is skipped.", least=4),
    ] = None,
    workers: Annotated[int, count_option("Processes that simulate.", most=MOST_AT_ONCE)] = 1,
    as_json: AsJson = False,
) -> None:
    """Check that only its anomaly tells a scene apart.

    Example: [bold]offnominal check scenes smoke[/]
    """
    from offnominal.laws import check_scene_files, check_scene_leaks

    reports = [
        check_scene_leaks(preset, setting=setting, scenes=scenes, workers=workers),
        check_scene_files(preset, setting=setting, scenes=recorded, workers=workers),
    ]
    print_reports(reports, as_json)


@check.command("novelcraft")
def check_novelcraft_command(
    agents: Annotated[str, typer.Argument(help="Mixture of agents: published, diverse, planner or former.")],
    episodes: Annotated[
        int | None,
        count_option("Episodes of each class; without it the laws of the channels are skipped.", least=8),
    ] = None,
    workers: Annotated[int, count_option("Processes that play.", most=MOST_AT_ONCE)] = 1,
    as_json: AsJson = False,
) -> None:
    """Check that nothing tells of a novelty before it is met.

    Example: [bold]offnominal check novelcraft published[/]
    """
    from offnominal.laws import check_craft_leaks

    print_reports([check_craft_leaks(agents, episodes=episodes, workers=workers)], as_json)


@check.command("class-detector")
def check_class_detector_command(id: Annotated[str, typer.Argument(help=NAMES)], as_json: AsJson = False) -> None:
    """Check the laws of detectors of images with known classes.

    Example: [bold]offnominal check class-detector MaxLogit[/]
    """
    from offnominal.detectors.classifiers import class_detectors as registry
    from offnominal.laws import check_class_detector

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    print_reports([check_class_detector(name if name in registry else made) for name, made in chosen], as_json)


@check.command("alarm")
def check_alarm_command(id: Annotated[str, typer.Argument(help=NAMES)], as_json: AsJson = False) -> None:
    """Check the laws of alarms.

    Example: [bold]offnominal check alarm EpisodeMaximum[/]
    """
    from offnominal.alarms import alarms as registry
    from offnominal.laws import check_alarm

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    print_reports([check_alarm(name if name in registry else made()) for name, made in chosen], as_json)


@check.command("order")
def check_order_command(
    folder: Annotated[Path, typer.Argument(help="Folder of a dataset.", file_okay=False)],
    detector: Annotated[str, typer.Option(help="Id of the detector whose scores are tested.")] = "Mahalanobis",
    alpha: Annotated[float, number_option("False-alarm rate that would be promised.", least=0.0, most=1.0)] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Check that nominal episodes do not change with time.

    Guarantees of alarms assume it. The nominal splits are taken in the order of their episodes in time.

    Example: [bold]offnominal check order data/pump[/]
    """
    from offnominal.datasets import Dataset
    from offnominal.evaluation import check_time_order
    from offnominal.evaluation.time_order import nominal_in_order

    found = check_time_order(nominal_in_order(Dataset(folder)), detector, alpha=alpha)
    if as_json:
        names = ("alpha", "level", "p", "rejected", "drift", "blocks", "martingale", "rate", "shuffled_rate")
        print_json({name: getattr(found, name) for name in names} | {"episodes": len(found.maxima)})
    else:
        out.print(escape(str(found)), highlight=False)
    if found.rejected:
        raise typer.Exit(1)


def print_reports(reports: Sequence[LawReport], as_json: bool) -> None:
    """Print the outcome of every law; exit with 1 if one is broken."""
    if as_json:
        print_json(
            [
                {"subject": report.subject, "law": each.law, "problem": each.problem, "skipped": each.skipped}
                for report in reports
                for each in report
            ]
        )
    else:
        for report in reports:
            out.print(f"[bold]{escape(report.subject)}[/]")
            for finding in report:
                mark = (
                    "[red]broken [/]"
                    if finding.problem
                    else "[yellow]skipped[/]"
                    if finding.skipped
                    else "[green]holds  [/]"
                )
                line = escape(f"{finding.law}  {finding.problem or finding.skipped}")
                out.print(f"  {mark} {line}", highlight=False)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)
