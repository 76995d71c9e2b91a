"""`offnominal train`, `offnominal train-seeds` and `offnominal finetune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from offnominal.cli.app import RUN, App
from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option, seed_option
from offnominal.cli.output import out, print_text
from offnominal.core.rounding import fixed

if TYPE_CHECKING:
    from offnominal.agents.files import PolicyCard

training = App(RUN)


@training.command()
def train(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="tqc, sac or td3; dqn or ddpg for policies with uncertainty estimates. "
            "Default: dqn for discrete actions, else tqc."
        ),
    ] = None,
    uncertainty: Annotated[str, typer.Option(help="For dqn and ddpg: ensemble, dropout or dropconnect.")] = "ensemble",
    probability: Annotated[
        float | None, typer.Option(help="Dropout probability of a unit or weight. Default: preset of the world.")
    ] = None,
    learner: Annotated[
        str, typer.Option(help="offnominal, or sb3: Stable-Baselines3 with the published settings.")
    ] = "offnominal",
    settings: Annotated[
        str | None,
        typer.Option(help="preset, or published: settings of the agents of Anomaly-Gym. Default for sb3: published."),
    ] = None,
    from_sb3: Annotated[
        Path | None,
        typer.Option("--from-sb3", help="Import this file of Stable-Baselines3 instead of training."),
    ] = None,
    activation: Annotated[
        str | None, typer.Option(help="For --from-sb3: relu or tanh, if the file does not contain it.")
    ] = None,
    vecnormalize: Annotated[
        Path | None, typer.Option(help="For --from-sb3: .npz or .safetensors file with the statistics of VecNormalize.")
    ] = None,
    folder: Annotated[Path, folder_option("Folder for the policy and its card.")] = Path("runs/agents"),
    demonstrator: Annotated[
        str | None, typer.Option(help="Policy that records the demonstrations: scripted, expert or none.")
    ] = None,
    steps: Annotated[int | None, count_option("Transitions to collect. Default: preset of the world.")] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
    seed: Annotated[int, seed_option("Random seed.")] = 0,
    minutes: Annotated[
        float | None,
        typer.Option(help="Stop after this time; for dqn and ddpg, the time before an interruption counts."),
    ] = None,
) -> None:
    """Train a policy, or import one of Stable-Baselines3.

    Interrupted runs resume: run the same command again.

    Example: [bold]offnominal train SAP-Goal0-v0 --algorithm tqc --minutes 10[/]
    """
    from offnominal.agents.training.uncertainty_settings import UNCERTAINTY_ALGORITHMS
    from offnominal.cli.agents import default_algorithm, import_agent, train_with_uncertainty
    from offnominal.cli.agents import train as run

    changes: dict[str, Any] = {"seed": seed} | ({} if steps is None else {"steps": steps})
    if demonstrator is not None:
        changes["demonstrator"] = demonstrator
    common: dict[str, Any] = {"device": device, "minutes": minutes, "report": print_text}
    if from_sb3 is not None:
        path, card = import_agent(world, from_sb3, folder, algorithm, activation, vecnormalize)
    elif (algorithm := algorithm or default_algorithm(world)) in UNCERTAINTY_ALGORITHMS:
        if probability is not None:
            changes["probability"] = probability
        path, card = train_with_uncertainty(world, algorithm, folder, uncertainty=uncertainty, **common, **changes)
    else:
        path, card = run(world, algorithm, folder, learner=learner, settings=settings, **common, **changes)
    _print_policy(path, card)


@training.command()
def train_seeds(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", metavar="N", help="Random seed of a training; can be repeated. Default: 0 to 4."),
    ] = None,
    algorithm: Annotated[str, typer.Option(help="tqc, sac, td3 or ppo.")] = "tqc",
    folder: Annotated[Path, folder_option("Folder for the policies, their cards and learning curves.")] = Path(
        "runs/agents"
    ),
    steps: Annotated[int | None, count_option("Transitions of each training. Default: preset of the world.")] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
    minutes: Annotated[
        float | None, typer.Option(help="Stop after this time; the time before an interruption counts.")
    ] = None,
    evaluations: Annotated[int, count_option("Evaluations during the training.", most=MOST_AT_ONCE)] = 20,
    evaluators: Annotated[int, count_option("Processes that evaluate.", most=MOST_AT_ONCE)] = 2,
    simulators: Annotated[int, count_option("Processes of the simulations; 0 for none.", least=0, most=64)] = 0,
    threads: Annotated[int, count_option("Threads of the simulations, where a world has them.", most=64)] = 1,
    checkpoint_seconds: Annotated[float, typer.Option(help="Seconds between two checkpoints.")] = 120.0,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another setting, such as hindsight=0.5; can be repeated."),
    ] = None,
    cards: Annotated[
        str, typer.Option(help="with: evaluate in the end; without: not; only: of an earlier run.")
    ] = "with",
) -> None:
    """Train several seeds at once, without demonstrations.

    The settings are nearly the published ones; those of PPO are the defaults of Stable-Baselines3. All networks are
    stacked, so that a GPU trains five seeds in little more time than one. Interrupted runs resume: run the same command
    again.

    Example: [bold]offnominal train-seeds SAP-Goal0-v0 --algorithm sac --minutes 10[/]
    """
    from offnominal.cli.population import make_cards, parsed_settings, train_population
    from offnominal.core.checks import one_of

    one_of("--algorithm", algorithm, ("tqc", "sac", "td3", "ppo"))
    if one_of("--cards", cards, ("with", "without", "only")) == "only":
        for path, card in make_cards(world, folder, algorithm=algorithm, processes=evaluators):
            _print_policy(path, card)
        return
    trained = train_population(
        world,
        [0, 1, 2, 3, 4] if seeds is None else seeds,
        folder,
        algorithm=algorithm,
        device=device,
        minutes=minutes,
        evaluations=evaluations,
        evaluators=evaluators,
        simulators=simulators,
        threads=threads,
        checkpoint_seconds=checkpoint_seconds,
        cards=cards == "with",
        report=print_text,
        changes={**({} if steps is None else {"steps": steps}), **parsed_settings(assignments or [])},
    )
    for path, card in trained:
        _print_policy(path, card)


@training.command()
def finetune(
    world: Annotated[str, typer.Argument(help="Id of the world.")],
    algorithm: Annotated[str, typer.Option(help="Id of a shipped policy, such as tqc-0.")] = "expert",
    policy: Annotated[
        Path | None, typer.Option(help="Fine-tune this policy of `offnominal train` instead of the expert.")
    ] = None,
    folder: Annotated[Path, folder_option("Folder for the policy and its card.")] = Path("runs/finetuned"),
    gradient_steps: Annotated[int | None, count_option("Gradient steps. Default: preset of the world.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate. Default: preset of the world.")] = None,
    action_noise: Annotated[
        float | None, typer.Option(min=0.0, help="Largest noise on the actions, as a fraction of half their range.")
    ] = None,
    final_reward_weight: Annotated[float | None, typer.Option(help="Weight of the last reward.")] = None,
    seed: Annotated[int, seed_option("Random seed of the episodes.")] = 0,
    threads: Annotated[int | None, count_option("Threads of the simulation.", most=MOST_AT_ONCE)] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after this time.")] = None,
) -> None:
    """Fine-tune a policy by the gradient of its return.

    The gradient goes through the simulation.

    Example: [bold]offnominal finetune MJC-CartpoleSwingup-v0 --algorithm tqc-0[/]
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
        report=print_text,
        **{name: value for name, value in given.items() if value is not None},
    )
    _print_policy(path, card)


def _print_policy(path: Path, card: PolicyCard) -> None:
    name = escape(f"{card.world} by {card.algorithm}")
    out.print(
        f"{name}: return [bold]{fixed(card.mean_return, 2)}[/] ± {fixed(card.return_interval, 2)}, "
        f"success {fixed(card.success, 3)} on {card.episodes:,} new episodes",
        soft_wrap=True,
    )
    out.print(f"Policy: [bold]{escape(str(path.with_suffix('.safetensors')))}[/]", soft_wrap=True)
