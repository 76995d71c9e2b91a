"""Training of several seeds at once, each evaluated and saved with its card."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from safetensors.numpy import load as load_tensors

from offnominal.agents.files import PolicyCard, save_policy, serialised
from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.ppo_settings import settings_of_population
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.files import file_errors, made_folder, read_bytes, read_json, write_bytes, write_json
from offnominal.core.printable import shown
from offnominal.core.rounding import fixed
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
    algorithm: str = "tqc",
    device: str = "auto",
    minutes: float | None = None,
    evaluations: int = 20,
    evaluators: int = 2,
    simulators: int = 0,
    threads: int = 1,
    checkpoint_seconds: float = 120.0,
    cards: bool = True,
    report: Any = lambda line: None,
    changes: Mapping[str, Any] | None = None,
) -> list[tuple[Path, PolicyCard]]:
    """Train a policy per seed without demonstrations, all at once; evaluate and save them with cards.

    The policy of a seed is the best of all evaluations on validation episodes. Its card states the result of 1,000
    others. The learning curves are in ``<world>--<algorithm>.curves.json``, renewed after every evaluation. An
    interrupted training resumes from ``<world>--<algorithm>.checkpoint``, which is deleted when the cards are written.

    Args:
        world: Id of the world.
        seeds: Seeds of the trainings.
        folder: Folder for the policies.
        algorithm: ``"tqc"``, ``"sac"``, ``"td3"`` or ``"ppo"``.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        minutes: Stop after this time, in which earlier runs of the same checkpoint count.
        evaluations: Number of evaluations.
        evaluators: Number of processes that evaluate.
        simulators: Number of processes of the simulations; 0 for this one.
        threads: Threads of the simulations, in worlds that have them.
        checkpoint_seconds: Seconds between two checkpoints.
        cards: Whether the policies are evaluated in the end; :func:`make_cards` does it later.
        report: Called with a line of text after each evaluation.
        changes: Settings that differ.
    """
    try:
        from offnominal.agents.training.populations.loop import learn_population
    except ModuleNotFoundError:
        raise MissingDependency("training needs torch; install it with `pip install offnominal[train]`.") from None
    id = worlds.spec(world).id
    if not seeds or len({*seeds}) < len(seeds):
        raise InvalidParameter(f"the seeds are {list(seeds)}; give at least one, and each only once.")
    plain = settings_of_population(id, algorithm)
    changes = changes or {}
    settings = type(plain).from_dict({**plain.to_dict(), **changes})
    if settings.algorithm != algorithm:
        raise InvalidParameter(
            f"the setting algorithm is {settings.algorithm!r}; choose it by --algorithm, which is {algorithm!r}."
        )
    given = {"minutes": minutes, "evaluations": evaluations}
    command = _command(id, algorithm, seeds, changes, given)
    curves = _Curves(id, algorithm, folder, {"command": command, "settings": settings.to_dict()}, report)
    options: dict[str, Any] = {"threads": threads} if has_threads(id) else {}
    single = dict.fromkeys(options, 1)
    checkpoint = folder / f"{id}--{algorithm}.checkpoint"
    if checkpoint.exists():
        report(f"Resuming from {checkpoint}.")
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
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
            report=curves.record,
            **options,
        )
    return make_cards(id, folder, algorithm=algorithm, processes=evaluators) if cards else []


class _Curves:
    """Writes learning curves and best policies after every evaluation.

    Args:
        world: Id of the world.
        algorithm: Name of the algorithm.
        folder: Folder of the files.
        about: Command and settings of the training.
        report: Called with a line of text after each evaluation.
    """

    def __init__(self, world: str, algorithm: str, folder: Path, about: dict[str, Any], report: Any) -> None:
        self.world, self.algorithm, self.folder, self.report = world, algorithm, folder, report
        self.about = {"world": world, **about}
        self.curves: dict[str, list[dict[str, float]]] = {}

    def record(self, seed: int, curve: Sequence[Any], best: NetworkPolicy) -> None:
        """Write the curve of a seed and its best policy."""
        self.curves[str(seed)] = [asdict(each) for each in curve]
        name = f"{self.world}--{self.algorithm}"
        write_bytes(self.folder / f"{name}-{seed}.safetensors", serialised(best))
        write_json(self.folder / f"{name}.curves.json", {**self.about, "curves": self.curves})
        last = curve[-1]
        self.report(
            f"{self.world} {self.algorithm} seed {seed} {last.steps:>9,} steps {last.seconds:6.0f} s  "
            f"return {fixed(last.mean_return, 2):>9}  success {fixed(last.success, 2)}"
        )


def make_cards(
    world: str, folder: Path, *, algorithm: str = "tqc", processes: int = 2
) -> list[tuple[Path, PolicyCard]]:
    """Evaluate the policies of a training on 1,000 episodes and write their cards.

    Args:
        world: Id of the world.
        folder: Folder with the weights and the learning curves, also of a training that was interrupted.
        algorithm: Name of the algorithm.
        processes: Number of processes that evaluate.
    """
    id = worlds.spec(world).id
    about = read_json(folder / f"{id}--{algorithm}.curves.json")
    made = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for seed, curve in about["curves"].items():
            path = folder / f"{id}--{algorithm}-{seed}"
            policy = _policy_of(id, path.with_suffix(".safetensors"), algorithm)
            make = partial(
                evaluated_card,
                id,
                f"{algorithm}-{seed}",
                policy,
                episodes=EVALUATION_EPISODES,
                command=about["command"],
                settings={"learner": "offnominal", "demonstrator": "none", **about["settings"], "seed": int(seed)},
                steps=max(curve, key=lambda evaluation: evaluation["mean_return"])["steps"],
            )
            made.append((path, policy, pool.submit(make)))
        saved = [(path, save_policy(path, policy, card.result())) for path, policy, card in made]
    with file_errors(folder):
        (folder / f"{id}--{algorithm}.checkpoint").unlink(missing_ok=True)
    return saved


def _policy_of(world: str, file: Path, algorithm: str) -> NetworkPolicy:
    """Return the policy with the weights of a file."""
    tensors = load_tensors(read_bytes(file))
    layers = [(tensors[f"{index}.weight"], tensors[f"{index}.bias"]) for index in range(len(tensors) // 2)]
    space = continuous_action_space(make_world(world, 1))
    if algorithm == "ppo":
        return NetworkPolicy(layers, space, activation="tanh", squash=False)
    return NetworkPolicy(layers, space)


def _command(
    world: str, algorithm: str, seeds: Sequence[int], changes: Mapping[str, Any], given: Mapping[str, Any]
) -> str:
    """Return the command of a training."""
    words = ["offnominal", "train-seeds", world, "--algorithm", algorithm]
    words += [word for seed in seeds for word in ("--seed", str(seed))]
    steps = {"steps": changes["steps"]} if "steps" in changes else {}
    words += [
        word for key, value in {**steps, **given}.items() if value is not None for word in (f"--{key}", str(value))
    ]
    for name, value in changes.items():
        if name != "steps":
            words += ["--set", f"{name}={json.dumps(value, separators=(',', ':'))}"]
    return shlex.join(words)


def parsed_settings(assignments: Sequence[str]) -> dict[str, Any]:
    """Return the settings of assignments such as ``hindsight=0.5``; values are JSON, or text.

    Example:
        >>> parsed_settings(["hindsight=0.5", "hidden=[64,64]", "demonstrator=none"])
        {'hindsight': 0.5, 'hidden': [64, 64], 'demonstrator': 'none'}
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
