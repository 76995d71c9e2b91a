"""Training of several seeds at once, each evaluated and saved with its card."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from safetensors.numpy import load as load_tensors

from offnominal.agents.files import PolicyCard, save_policy, serialised
from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.settings import TrainingSettings, population_settings
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.files import made_folder, read_bytes, read_json, write_bytes
from offnominal.core.printable import shown
from offnominal.rollouts.policy_card import evaluated_card
from offnominal.rollouts.policy_evaluation import evaluate_policy, evaluation_options
from offnominal.worlds.catalogue import has_threads, make_world, worlds
from offnominal.worlds.checks import continuous_action_space

VALIDATION_EPISODES, FEWER = 256, 100
"""Validation episodes of each evaluation; fewer in the worlds of MuJoCo bodies, which are slow."""
EVALUATION_EPISODES = 1000
VALIDATION_SEED = 40_000_000


def train_population(
    world: str,
    seeds: Sequence[int],
    folder: Path,
    *,
    device: str = "auto",
    minutes: float | None = None,
    evaluations: int = 20,
    evaluators: int = 2,
    simulators: int = 0,
    threads: int = 1,
    cards: bool = True,
    report: Any = lambda line: None,
    **changes: Any,
) -> list[tuple[Path, PolicyCard]]:
    """Train a policy per seed with TQC and without demonstrations, all at once; evaluate and save them with cards.

    The policy of a seed is the best of all evaluations on validation episodes. Its card states the result of 1,000
    others. The learning curves are in ``<world>--tqc.curves.json``, renewed after every evaluation.

    Args:
        world: Id of the world.
        seeds: Seeds of the trainings.
        folder: Folder for the policies.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        minutes: Stop after this time.
        evaluations: Number of evaluations.
        evaluators: Number of processes that evaluate.
        simulators: Number of processes of the simulations; 0 for this one.
        threads: Threads of the simulations, in worlds that have them.
        cards: Whether the policies are evaluated in the end; :func:`make_cards` does it later.
        report: Called with a line of text after each evaluation.
        **changes: Settings that differ.
    """
    try:
        from offnominal.agents.training.population_loop import learn_population
    except ModuleNotFoundError:
        raise MissingDependency("training needs torch; install it with `pip install offnominal[train]`.") from None
    id = worlds.spec(world).id
    if not seeds or len({*seeds}) < len(seeds):
        raise InvalidParameter(f"the seeds are {list(seeds)}; give at least one, and each only once.")
    plain = population_settings(id)
    settings = TrainingSettings.from_dict({**plain.to_dict(), **changes})
    curves: dict[str, list[dict[str, float]]] = {str(seed): [] for seed in seeds}
    given = {"minutes": minutes, "evaluations": evaluations}
    about = {"world": id, "command": _command(id, seeds, changes, given), "settings": settings.to_dict()}

    def record(seed: int, evaluation: Any, policy: NetworkPolicy) -> None:
        curve = curves[str(seed)]
        curve.append(asdict(evaluation))
        write_bytes(folder / f"{id}--tqc.curves.json", json.dumps({**about, "curves": curves}, indent=1).encode())
        if curve[-1]["mean_return"] == max(each["mean_return"] for each in curve):
            write_bytes(folder / f"{id}--tqc-{seed}.safetensors", serialised(policy))
        report(
            f"{id} seed {seed} {evaluation.steps:>9,} steps {evaluation.seconds:6.0f} s  "
            f"return {evaluation.mean_return:9.2f}  success {evaluation.success:.2f}"
        )

    options: dict[str, Any] = {"threads": threads} if has_threads(id) else {}
    single = dict.fromkeys(options, 1)
    with made_folder(folder), ProcessPoolExecutor(evaluators, mp_context=get_context("spawn")) as pool:

        def evaluator(policy: NetworkPolicy) -> Future[tuple[float, float]]:
            return pool.submit(_validated, id, policy, single)

        learn_population(
            id,
            settings,
            seeds,
            evaluator,
            device=device,
            evaluations=evaluations,
            minutes=minutes,
            workers=simulators,
            report=record,
            **options,
        )
    return make_cards(id, folder, processes=evaluators) if cards else []


def make_cards(world: str, folder: Path, *, processes: int = 2) -> list[tuple[Path, PolicyCard]]:
    """Evaluate the policies of a training on 1,000 episodes and write their cards.

    Args:
        world: Id of the world.
        folder: Folder with the weights and the learning curves, also of a training that was interrupted.
        processes: Number of processes that evaluate.
    """
    id = worlds.spec(world).id
    about = read_json(folder / f"{id}--tqc.curves.json")
    made = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for seed, curve in about["curves"].items():
            path = folder / f"{id}--tqc-{seed}"
            policy = _policy_of(id, path.with_suffix(".safetensors"))
            make = partial(
                evaluated_card,
                id,
                f"tqc-{seed}",
                policy,
                episodes=EVALUATION_EPISODES,
                command=about["command"],
                settings={"learner": "offnominal", **about["settings"], "seed": int(seed)},
                steps=max(curve, key=lambda evaluation: evaluation["mean_return"])["steps"],
            )
            made.append((path, policy, pool.submit(make)))
        return [(path, save_policy(path, policy, card.result())) for path, policy, card in made]


def _policy_of(world: str, file: Path) -> NetworkPolicy:
    """Return the policy with the weights of a file."""
    tensors = load_tensors(read_bytes(file))
    layers = [(tensors[f"{index}.weight"], tensors[f"{index}.bias"]) for index in range(len(tensors) // 2)]
    return NetworkPolicy(layers, continuous_action_space(make_world(world, 1)))


def _command(world: str, seeds: Sequence[int], changes: dict[str, Any], given: dict[str, Any]) -> str:
    """Return the command of a training."""
    words = ["offnominal", "train-seeds", world, *(word for seed in seeds for word in ("--seed", str(seed)))]
    steps = {"steps": changes["steps"]} if "steps" in changes else {}
    words += [word for key, value in (steps | given).items() if value is not None for word in (f"--{key}", str(value))]
    for name, value in changes.items():
        if name != "steps":
            words += ["--set", f"{name}={json.dumps(value, separators=(',', ':'))}"]
    return shlex.join(words)


def parsed_settings(assignments: Sequence[str]) -> dict[str, Any]:
    """Return the settings of assignments such as ``hindsight=0.5``; values are JSON, or text.

    Example:
        >>> parsed_settings(["hindsight=0.5", "hidden=[64,64]", "algorithm=tqc"])
        {'hindsight': 0.5, 'hidden': [64, 64], 'algorithm': 'tqc'}
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise InvalidParameter(f"--set {shown(assignment)} has no value; write it as --set name=value.")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def _validated(world: str, policy: NetworkPolicy, options: dict[str, Any]) -> tuple[float, float]:
    """Return the mean return and success rate on validation episodes, which the final evaluation does not use."""
    episodes = FEWER if has_threads(world) else VALIDATION_EPISODES
    terms = evaluation_options(world, episodes, during_training=True)
    evaluation = evaluate_policy(world, policy, seed=VALIDATION_SEED, **terms, **options)
    return evaluation.mean_return, evaluation.success
