"""The program `offnominal`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from offnominal._version import __version__
from offnominal.cli.alarms import auditing
from offnominal.cli.calibration import calibration
from offnominal.cli.datasets import datasets
from offnominal.cli.doctor import health
from offnominal.cli.failures import exit_code_of
from offnominal.cli.options import MOST_AT_ONCE, count_option, seed_option
from offnominal.cli.play import playing
from offnominal.cli.studies import experiments
from offnominal.cli.tables import tables
from offnominal.cli.targets import NAMES, chosen_names, load_named
from offnominal.core.registry import Registry

if TYPE_CHECKING:
    from offnominal.agents.files import PolicyCard

out = Console()

program = typer.Typer(
    name="offnominal",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Does a detector notice when an agent's world stops being normal, how soon, at what cost in false alarms?",
    epilog="Start with: offnominal quickstart",
)
check = typer.Typer(
    no_args_is_help=True, help="Try the laws on worlds, anomalies, detectors and alarms, yours included."
)
program.add_typer(check, name="check")
program.add_typer(auditing)
program.add_typer(calibration)
program.add_typer(datasets)
program.add_typer(experiments)
program.add_typer(tables, name="tables")
program.add_typer(playing)
program.add_typer(health)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def main() -> None:
    """Run the program; see :func:`exit_code_of` for what happens when a command cannot be completed."""
    sys.exit(exit_code_of(program))


@program.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        out.print(__version__)
        raise typer.Exit


@program.command()
def worlds(as_json: AsJson = False) -> None:
    """List the worlds.

    Example: [bold]offnominal worlds[/]
    """
    from offnominal.worlds import worlds as registry

    _list(registry, as_json)


@program.command()
def anomalies(
    world: Annotated[str | None, typer.Option(help="Only those this world has, with its physics parameters.")] = None,
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
    for id in anomalies_of(world, pictures=True):
        anomaly = make_anomaly(id)
        summary = registry.spec(id).summary if id in registry else "physics parameter of this world"
        rows.append({"id": id, "neutral": _neutral(anomaly, world), "summary": summary})
    _print(f"Anomalies of {world}", rows, as_json)


def _neutral(anomaly: Any, world: str) -> float:
    from offnominal.rollouts.collection import build_world

    physics_parameter = getattr(anomaly, "physics_parameter", None)
    return float(
        build_world(world, 1).physics_parameter(physics_parameter).neutral if physics_parameter else anomaly.neutral
    )


@program.command()
def detectors(as_json: AsJson = False) -> None:
    """List the detectors.

    Example: [bold]offnominal detectors[/]
    """
    from offnominal.detectors import detectors as registry

    _list(registry, as_json)


@program.command()
def alarms(as_json: AsJson = False) -> None:
    """List the alarms.

    Example: [bold]offnominal alarms[/]
    """
    from offnominal.alarms import alarms as registry

    _list(registry, as_json)


@check.command("detector")
def check_detector_command(
    id: Annotated[str, typer.Argument(help=NAMES)],
    as_json: AsJson = False,
) -> None:
    """Try the laws of detectors.

    Example: [bold]offnominal check detector KNN[/]
    """
    from offnominal.detectors import detectors as registry
    from offnominal.laws import check_detector

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    _report([check_detector(name if name in registry else made) for name, made in chosen], as_json)


@check.command("alarm")
def check_alarm_command(
    id: Annotated[str, typer.Argument(help=NAMES)],
    as_json: AsJson = False,
) -> None:
    """Try the laws of alarms.

    Example: [bold]offnominal check alarm EpisodeMaximum[/]
    """
    from offnominal.alarms import alarms as registry
    from offnominal.laws import check_alarm

    chosen = [(name, load_named(registry, name)) for name in chosen_names(registry, id)]
    _report([check_alarm(name if name in registry else made()) for name, made in chosen], as_json)


@check.command("world")
def check_world_command(id: Annotated[str, typer.Argument(help="Id of the world.")], as_json: AsJson = False) -> None:
    """Try the laws of worlds.

    Example: [bold]offnominal check world SAP-Goal0-v0[/]
    """
    from offnominal.laws import check_world
    from offnominal.worlds import worlds as registry

    registry.spec(id)
    _report([check_world(id)], as_json)


@check.command("anomaly")
def check_anomaly_command(
    id: Annotated[str, typer.Argument(help="Id of the anomaly, or 'all'.")],
    world: Annotated[str | None, typer.Option(help="In this world only; otherwise in all that have it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try the laws of anomalies, in every world that has them.

    Example: [bold]offnominal check anomaly observation/noise --world SAP-Goal0-v0[/]
    """
    from offnominal.anomalies import make_anomaly
    from offnominal.core.errors import UnknownName
    from offnominal.laws import anomalies_of, check_anomaly
    from offnominal.worlds import worlds as registry

    if id != "all":
        make_anomaly(id)
    chosen = [registry.spec(world).id] if world else registry.ids()
    cases = [(each, place) for place in chosen for each in anomalies_of(place, pictures=True) if id in ("all", each)]
    if not cases:
        raise UnknownName(f"{id} exists in none of: {', '.join(chosen)}. `offnominal anomalies --world ID` lists them.")
    _report([check_anomaly(each, place) for each, place in cases], as_json)


@program.command()
def agents(as_json: AsJson = False) -> None:
    """List the trained policies that come with the package, and how well they do.

    Example: [bold]offnominal agents[/]
    """
    from offnominal.agents import expert_cards
    from offnominal.worlds import worlds

    rows = [
        {
            "world": card.world,
            "algorithm": card.algorithm,
            "return": round(card.mean_return, 3),
            "±95%": round(card.return_interval, 3),
            "published": worlds.card(card.world).expert_return,
            "success": card.success,
        }
        for card in expert_cards()
    ]
    _print("Trained policies, on fresh nominal episodes", rows, as_json)


@program.command()
def train(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="tqc, sac or td3; dqn or ddpg, which know how sure they are. If left out: dqn for choices, else tqc."
        ),
    ] = None,
    uncertainty: Annotated[str, typer.Option(help="With dqn or ddpg: ensemble, dropout or dropconnect.")] = "ensemble",
    probability: Annotated[
        float | None, typer.Option(help="Of a unit or weight being dropped; the world's preset if left out.")
    ] = None,
    learner: Annotated[
        str, typer.Option(help="offnominal, or sb3: Stable-Baselines3's loop with the published settings.")
    ] = "offnominal",
    from_sb3: Annotated[
        Path | None, typer.Option("--from-sb3", help="Import this agent of Stable-Baselines3 instead of training.")
    ] = None,
    activation: Annotated[
        str | None, typer.Option(help="With --from-sb3: relu or tanh, if the file does not say.")
    ] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where the policy and its card go.")] = Path("runs/agents"),
    demonstrator: Annotated[
        str | None, typer.Option(help="scripted, expert or none: whose episodes it begins with.")
    ] = None,
    steps: Annotated[int | None, count_option("Transitions to collect; the world's preset if left out.")] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
    seed: Annotated[int, seed_option("Seed of everything.")] = 0,
    minutes: Annotated[
        float | None,
        typer.Option(help="Stop after this long; with dqn or ddpg, what a killed run took before counts."),
    ] = None,
) -> None:
    """Train a policy on many simulations at once; a killed run goes on from its last evaluation.

    Example: [bold]offnominal train SAP-Goal0-v0 --algorithm tqc --minutes 10[/]
    """
    from offnominal.agents.training.uncertainty_settings import UNCERTAINTY_ALGORITHMS
    from offnominal.cli.agents import default_algorithm, import_agent, train_with_uncertainty
    from offnominal.cli.agents import train as run

    changes: dict[str, Any] = {"seed": seed} | ({} if steps is None else {"steps": steps})
    if demonstrator is not None:
        changes["demonstrator"] = demonstrator
    if from_sb3 is not None:
        path, card = import_agent(world, from_sb3, folder, algorithm, activation)
    elif (algorithm := algorithm or default_algorithm(world)) in UNCERTAINTY_ALGORITHMS:
        if probability is not None:
            changes["probability"] = probability
        path, card = train_with_uncertainty(
            world,
            algorithm,
            folder,
            uncertainty=uncertainty,
            device=device,
            minutes=minutes,
            report=_say,
            **changes,
        )
    else:
        path, card = run(
            world,
            algorithm,
            folder,
            learner=learner,
            device=device,
            minutes=minutes,
            report=_say,
            **changes,
        )
    _print_policy(path, card)


@program.command()
def finetune(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    algorithm: Annotated[str, typer.Option(help="Polish our expert by tqc, sac or td3.")] = "tqc",
    policy: Annotated[Path | None, typer.Option(help="Polish this policy that `offnominal train` made.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where the policy and its card go.")] = Path("runs/finetuned"),
    gradient_steps: Annotated[int | None, count_option("Gradient steps; the world's preset if left out.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate; the world's preset if left out.")] = None,
    action_noise: Annotated[
        float | None, typer.Option(min=0.0, help="Largest noise on the actions, as a share of half their range.")
    ] = None,
    final_reward_weight: Annotated[
        float | None, typer.Option(help="How many times more the last reward counts.")
    ] = None,
    seed: Annotated[int, seed_option("Chooses the episodes.")] = 0,
    threads: Annotated[int | None, count_option("Threads of the simulation.", most=MOST_AT_ONCE)] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after this long.")] = None,
) -> None:
    """Improve a trained policy by the gradient of its return, computed through the simulation.

    Example: [bold]offnominal finetune MJC-CartpoleSwingup-v0 --algorithm sac[/]
    """
    from offnominal.cli.agents import finetune as run

    given = {
        "gradient_steps": gradient_steps,
        "learning_rate": learning_rate,
        "action_noise": action_noise,
        "final_reward_weight": final_reward_weight,
        "seed": seed,
    }
    path, card = run(
        world,
        folder,
        algorithm=algorithm,
        policy=policy,
        minutes=minutes,
        threads=threads,
        report=_say,
        **{name: value for name, value in given.items() if value is not None},
    )
    _print_policy(path, card)


def _say(line: str) -> None:
    """Print a line that may hold names and paths of the user."""
    out.print(line, markup=False)


def _print_policy(path: Path, card: PolicyCard) -> None:
    what = escape(f"{card.world} by {card.algorithm}")
    out.print(
        f"{what}: return [bold]{card.mean_return:.2f}[/] ± {card.return_interval:.2f}, "
        f"success {card.success:.3f} on {card.episodes:,} fresh episodes",
        soft_wrap=True,
    )
    out.print(f"Policy: [bold]{escape(str(path.with_suffix('.safetensors')))}[/]", soft_wrap=True)


def _list(registry: Registry[Any], as_json: bool) -> None:
    _print(registry.plural.capitalize(), [{"id": spec.id, "summary": spec.summary} for spec in registry], as_json)


def _print(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    from offnominal.reports.tables import terminal_table

    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        out.print(terminal_table(title, rows))


def _report(reports: list[Any], as_json: bool) -> None:
    """Print what was found and exit with 1 if a law is broken."""
    if as_json:
        rows = [
            {"subject": report.subject, "law": each.law, "problem": each.problem, "skipped": each.skipped}
            for report in reports
            for each in report
        ]
        print(json.dumps(rows, indent=2))
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
                told = escape(f"{finding.law}  {finding.problem or finding.skipped}")
                out.print(f"  {mark} {told}", highlight=False)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)
