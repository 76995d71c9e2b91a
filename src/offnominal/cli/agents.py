"""Training, import and fine-tuning of policies, each evaluated and saved with its card."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gymnasium.spaces import Discrete

from offnominal.agents.experts import EXPERT, expert, expert_card, policy_by, scripted_expert
from offnominal.agents.files import PolicyCard, TrainedPolicy, load_policy, save_policy
from offnominal.agents.network import NetworkPolicy
from offnominal.agents.noisy_policy import NoisyPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser
from offnominal.agents.policy_ids import honest_id
from offnominal.agents.sb3_files import read_sb3
from offnominal.agents.training.settings import (
    ALGORITHMS,
    TrainingSettings,
    check_effort,
    preset,
    published,
    published_with_more_simulations,
)
from offnominal.agents.training.uncertainty_settings import UNCERTAINTY_ALGORITHMS, uncertainty_preset
from offnominal.core.errors import InvalidParameter, MissingDependency, did_you_mean
from offnominal.core.files import made_folder, sha256_of
from offnominal.core.policy import Policy
from offnominal.core.rounding import fixed
from offnominal.rollouts.collection import collect
from offnominal.rollouts.policy_card import evaluated_card
from offnominal.rollouts.policy_evaluation import evaluate_policy, evaluation_options
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.checks import continuous_action_space
from offnominal.worlds.world_source import build_world

LEARNERS = ("offnominal", "sb3")
PRESET, PUBLISHED = "preset", "published"
"""Settings of a training: those of the world, or those that Anomaly-Gym published."""
EVALUATIONS = 20
VALIDATION_EPISODES = 256
EVALUATION_EPISODES = 1000
NEEDS_TORCH = "training needs torch; install it with `pip install offnominal[train]`."
VALIDATION_SEED = 40_000_000
DEMONSTRATION_SEED = 500_000_000


def train(
    world: str,
    algorithm: str,
    folder: Path,
    *,
    learner: str = "offnominal",
    settings: str | None = None,
    device: str = "auto",
    minutes: float | None = None,
    report: Any = lambda line: None,
    **changes: Any,
) -> tuple[Path, PolicyCard]:
    """Train a policy, evaluate it on 1,000 new episodes and save it with its card.

    An interrupted run resumes from its last checkpoint when it is started again with the same folder.

    Args:
        world: Id of the world.
        algorithm: ``tqc``, ``sac`` or ``td3``; for :func:`train_with_uncertainty` see there.
        folder: Folder for the policy and the checkpoint.
        learner: ``"offnominal"``, or ``"sb3"`` for Stable-Baselines3 with the published settings.
        settings: ``"preset"`` or ``"published"``; None is the preset, for Stable-Baselines3 the published
            settings. If they are given as published, the name of the policy ends in ``-published`` and the seed.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        minutes: Stop after this time.
        report: Called with a line of text after each evaluation.
        **changes: Settings that differ.
    """
    id = worlds.spec(world).id
    if algorithm not in ALGORITHMS:
        every = (*ALGORITHMS, *UNCERTAINTY_ALGORITHMS)
        raise InvalidParameter(
            f"no algorithm {algorithm!r}.{did_you_mean(algorithm, every)} Choose from {', '.join(every)}."
        )
    learn = _learner(learner)
    terms = _settings(learner, settings)(id, algorithm).replace(**changes)
    check_effort(minutes, EVALUATIONS)
    policy_id = f"{algorithm}-{PUBLISHED}-{terms.seed}" if settings == PUBLISHED else algorithm
    path = folder / (f"{id}--{policy_id}" + f"-{learner}" * (learner != "offnominal"))
    with made_folder(folder):
        policy, curve = learn(
            id,
            terms,
            lambda policy: _validate(id, policy),
            **_demonstrations(id, terms, learner),
            device=device,
            evaluations=EVALUATIONS,
            minutes=minutes,
            checkpoint=_checkpoint(path, report),
            report=lambda each: report(_format_evaluation(each)),
        )
    given = {
        "learner": learner,
        "settings": settings,
        "demonstrator": changes.get("demonstrator"),
        "steps": changes.get("steps"),
        "minutes": minutes,
        "seed": terms.seed,
    }
    command = ["train", id, "--algorithm", algorithm]
    command += [
        word
        for name, value in given.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    card_settings = {"learner": learner, **terms.to_dict()}
    steps = _best(curve).steps
    trained = honest_id(policy_id, card_settings, steps)
    card = _card(id, trained, policy, command, settings=card_settings, steps=steps)
    return path, save_policy(path, policy, card)


def default_algorithm(world: str) -> str:
    """Return the default algorithm of a world: ``dqn`` for discrete actions, else ``tqc``."""
    return "dqn" if isinstance(build_world(worlds.spec(world).id, 1).action_space, Discrete) else "tqc"


def train_with_uncertainty(
    world: str,
    algorithm: str,
    folder: Path,
    *,
    uncertainty: str = "ensemble",
    device: str = "auto",
    minutes: float | None = None,
    report: Any = lambda line: None,
    **changes: Any,
) -> tuple[Path, PolicyCard]:
    """Train a policy with uncertainty estimates, evaluate it on 1,000 new episodes and save it with its card.

    An interrupted run resumes from its last checkpoint when it is started again with the same folder. Pong is evaluated
    on 30 games of at most 10,000 transitions.

    Args:
        world: Id of the world.
        algorithm: ``dqn`` for discrete actions, ``ddpg`` for continuous actions.
        folder: Folder for the policy and the checkpoint.
        uncertainty: ``ensemble``, ``dropout`` or ``dropconnect``.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        minutes: Stop after this time; the time before an interruption counts.
        report: Called with a line of text after each evaluation.
        **changes: Settings that differ from the world's preset.
    """
    id = worlds.spec(world).id
    try:
        from offnominal.agents.training.uncertainty_loop import learn_with_uncertainty
    except ModuleNotFoundError:
        raise MissingDependency(NEEDS_TORCH) from None
    settings = uncertainty_preset(id, algorithm, uncertainty).replace(**changes)
    terms = worlds.evaluation_terms(id)
    name = f"{algorithm}-{uncertainty}"
    path = folder / f"{id}--{name}"
    check_effort(minutes, EVALUATIONS)
    with made_folder(folder):
        policy, curve = learn_with_uncertainty(
            id,
            settings,
            lambda policy: _validate(id, policy),
            device=device,
            evaluations=terms.training_evaluations or EVALUATIONS,
            minutes=minutes,
            checkpoint=_checkpoint(path, report),
            options=dict(terms.options),
            demonstrator=_demonstrator(id, settings.demonstrator, name),
            report=lambda each: report(_format_evaluation(each)),
        )
    command = ["train", id, "--algorithm", algorithm, "--uncertainty", uncertainty]
    given = {name: changes.get(name) for name in ("probability", "demonstrator", "steps")} | {"minutes": minutes}
    command += [
        word
        for name, value in given.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    command += ["--seed", str(settings.seed)]
    steps = _best(curve).steps
    trained = honest_id(name, settings.to_dict(), steps)
    card = _card(id, trained, policy, command, settings=settings.to_dict(), steps=steps)
    return path, save_policy(path, policy, card)


def import_agent(
    world: str,
    file: Path,
    folder: Path,
    algorithm: str | None = None,
    activation: Any = None,
    vecnormalize: Path | None = None,
) -> tuple[Path, PolicyCard]:
    """Import an agent of Stable-Baselines3, evaluate it on 1,000 new episodes and save it with its card.

    Args:
        world: Id of the world that it was trained in.
        file: File written by ``model.save``.
        folder: Folder for the policy.
        algorithm: Expected algorithm of the file; None accepts any.
        activation: ``"relu"`` or ``"tanh"``; needed only if the file does not contain it.
        vecnormalize: File with the statistics of the ``VecNormalize`` of the training.
    """
    id = worlds.spec(world).id
    agent = read_sb3(file, activation=activation)
    if algorithm not in (None, agent.algorithm):
        raise InvalidParameter(
            f"{file} contains a {agent.algorithm} agent, not {algorithm}; omit --algorithm or give the right one."
        )
    policy = agent.policy(id, normaliser=None if vecnormalize is None else ObservationNormaliser.of(vecnormalize))
    origin = {"file": file.name, "file_sha256": sha256_of(file), **agent.settings}
    command = ["train", id, "--from-sb3", file.name, *(["--activation", activation] if activation else [])]
    command += ["--vecnormalize", vecnormalize.name] if vecnormalize is not None else []
    card = _card(id, agent.algorithm, policy, command, settings=origin, steps=agent.steps)
    path = folder / f"{id}--{agent.algorithm}-imported"
    return path, save_policy(path, policy, card)


def finetune(
    world: str,
    folder: Path,
    *,
    algorithm: str = EXPERT,
    policy: Path | None = None,
    minutes: float | None = None,
    threads: int | None = None,
    report: Any = lambda line: None,
    **changes: Any,
) -> tuple[Path, PolicyCard]:
    """Fine-tune a trained policy, evaluate it on 1,000 new episodes and save it with its card.

    Args:
        world: Id of the world.
        folder: Folder for the fine-tuned policy.
        algorithm: Id of a shipped policy.
        policy: File of a policy by :func:`train`, instead of the expert.
        minutes: Stop after this time.
        threads: Threads of the simulation.
        report: Called with a line of text after each evaluation.
        **changes: Settings that differ from the world's preset.
    """
    try:
        from offnominal.agents.training.fine_tuning import fine_tune, fine_tuning_preset
    except ModuleNotFoundError:
        raise MissingDependency("fine-tuning needs torch; install it with `pip install offnominal[train]`.") from None
    id = worlds.spec(world).id
    initial, card = load_policy(policy) if policy else (expert(id, algorithm), expert_card(id, algorithm))
    if card.world != id:
        raise InvalidParameter(f"{policy} is a policy for {card.world}, not for {id}; give the right world.")
    if not isinstance(initial, NetworkPolicy):
        raise InvalidParameter(
            f"{card.algorithm} is a policy with uncertainty estimates; only single networks can be fine-tuned."
        )
    settings = fine_tuning_preset(id).replace(**changes)
    check_effort(minutes, EVALUATIONS)
    with made_folder(folder):
        fine_tuned, curve = fine_tune(
            id,
            initial,
            settings,
            lambda policy: _validate(id, policy),
            minutes=minutes,
            threads=threads,
            report=lambda each: report(_format_evaluation(each)),
        )
    command = ["finetune", id, *(["--policy", policy.name] if policy else ["--algorithm", algorithm])]
    command += ["--minutes", str(minutes)] if minutes is not None else []
    command += [word for name, value in changes.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    about = {**card.settings, "fine_tuning": [*card.settings.get("fine_tuning", []), settings.to_dict()]}
    steps = card.steps + _best(curve).steps
    made = _card(id, honest_id(card.algorithm, about, steps), fine_tuned, command, settings=about, steps=steps)
    path = folder / f"{id}--{made.algorithm}"
    return path, save_policy(path, fine_tuned, made.replace(command=f"{card.command} && {made.command}"))


def _validate(id: str, policy: TrainedPolicy) -> tuple[float, float]:
    """Return the mean return and success rate on validation episodes, which the final evaluation does not use."""
    evaluation = evaluate_policy(
        id, policy, seed=VALIDATION_SEED, **evaluation_options(id, VALIDATION_EPISODES, during_training=True)
    )
    return evaluation.mean_return, evaluation.success


def _checkpoint(path: Path, report: Any) -> Path:
    """Return the path of the checkpoint, and report if the training resumes from it."""
    checkpoint = path.with_suffix(".checkpoint")
    if checkpoint.exists():
        report(f"Resuming from {checkpoint}; delete it to start from the beginning.")
    return checkpoint


def _best(curve: Sequence[Any]) -> Any:
    """Return the evaluation of the policy that is saved."""
    return max(curve, key=lambda evaluation: evaluation.mean_return)


def _format_evaluation(each: Any) -> str:
    earned, success = fixed(each.mean_return, 2), fixed(each.success, 2)
    return f"{each.steps:>10,} steps {each.seconds:7.0f} s  return {earned:>9}  success {success}"


def _demonstrator(id: str, name: str, algorithm: str) -> Policy | None:
    """Return the policy that records the demonstrations."""
    return None if name == "none" else policy_by(id, algorithm) if name == EXPERT else scripted_expert(id)


def _demonstrations(id: str, settings: TrainingSettings, learner: str) -> dict[str, Any]:
    """Return the demonstrations of a training and their policy."""
    demonstrator = _demonstrator(id, settings.demonstrator, settings.algorithm)
    if demonstrator is None:
        return {}
    if learner != "offnominal":
        raise InvalidParameter(
            f"learner {learner!r} takes no demonstrations; omit --demonstrator or choose --learner offnominal."
        )
    noisy = NoisyPolicy(demonstrator, continuous_action_space(build_world(id, 1)), settings.action_noise)
    return {
        "demonstrations": collect(id, noisy, settings.n_demonstrations, seed=DEMONSTRATION_SEED),
        "demonstrator": demonstrator,
    }


def _learner(name: str) -> Any:
    """Return the training function of a learner."""
    if name not in LEARNERS:
        raise InvalidParameter(f"no learner {name!r}.{did_you_mean(name, LEARNERS)} Choose {' or '.join(LEARNERS)}.")
    try:
        if name == "sb3":
            from offnominal.agents.training.sb3 import learn as through_sb3

            return through_sb3
        from offnominal.agents.training.loop import learn

        return learn
    except ModuleNotFoundError:
        raise MissingDependency(NEEDS_TORCH) from None


def _settings(learner: str, given: str | None) -> Callable[[str, Any], TrainingSettings]:
    """Return the function that returns the settings of a world for an algorithm."""
    known = (PRESET, PUBLISHED) if learner == "offnominal" else (PUBLISHED,)
    if given is not None and given not in known:
        raise InvalidParameter(
            f"no settings {given!r} of learner {learner!r}.{did_you_mean(given, known)} Choose {' or '.join(known)}."
        )
    if learner == "sb3":
        return published
    return published_with_more_simulations if given == PUBLISHED else preset


def _card(id: str, algorithm: str, policy: TrainedPolicy, command: list[str], **about: Any) -> PolicyCard:
    """Evaluate a policy and return its card, which contains the command."""
    return evaluated_card(
        id, algorithm, policy, episodes=EVALUATION_EPISODES, command=shlex.join(["offnominal", *command]), **about
    )
