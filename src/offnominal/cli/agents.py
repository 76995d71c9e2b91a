"""`offnominal train` and `offnominal agents`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from offnominal.agents.files import PolicyCard, save_policy
from offnominal.core.errors import InvalidParameter, MissingDependency, did_you_mean
from offnominal.rollouts.judge import judge
from offnominal.worlds.catalogue import make_world, worlds

JUDGED_ON_THE_WAY = 256
VALIDATION_SEED = 40_000_000


def train(
    world: str,
    algorithm: str,
    folder: Path,
    *,
    device: str = "auto",
    minutes: float | None = None,
    report: Any = lambda line: None,
    **changes: Any,
) -> tuple[Path, PolicyCard]:
    """Train a policy, judge it on 1,000 fresh episodes and save it with its card.

    A run that was killed goes on from its last checkpoint when it is started again with the same folder.

    Args:
        world: Id of the world.
        algorithm: ``tqc``, ``sac`` or ``td3``.
        folder: Where the policy and the checkpoint go.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        minutes: Stop after this long.
        report: Called with a line of text after each evaluation.
        **changes: Settings that differ from the world's preset.
    """
    try:
        from offnominal.agents.learning.loop import learn
        from offnominal.agents.learning.settings import ALGORITHMS, preset
    except ImportError:
        raise MissingDependency("training needs torch; install it with `pip install offnominal[train]`.") from None
    id = worlds.spec(world).id
    if algorithm not in ALGORITHMS:
        raise InvalidParameter(
            f"no algorithm {algorithm!r}.{did_you_mean(algorithm, ALGORITHMS)} Choose from {', '.join(ALGORITHMS)}."
        )
    settings = preset(id, algorithm).replace(**changes)
    path = folder / f"{id}--{algorithm}"
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = path.with_suffix(".checkpoint")
    if checkpoint.exists():
        report(f"Going on from {checkpoint}; delete it to start anew.")

    def on_the_way(policy: Any) -> tuple[float, float]:
        seen = judge(id, policy, JUDGED_ON_THE_WAY, seed=VALIDATION_SEED)
        return seen.mean_return, seen.success

    policy, curve = learn(
        id,
        settings,
        on_the_way,
        device=device,
        minutes=minutes,
        checkpoint=checkpoint,
        report=lambda each: report(
            f"{each.steps:>10,} steps {each.seconds:7.0f} s  return {each.mean_return:9.2f}  success {each.success:.2f}"
        ),
    )
    final = judge(id, policy)
    space = make_world(id, 1).action_space
    card = PolicyCard(
        world=id,
        algorithm=algorithm,
        low=tuple(space.low.tolist()),
        high=tuple(space.high.tolist()),
        command=shlex.join(["offnominal", "train", id, "--algorithm", algorithm, "--seed", str(settings.seed)]),
        settings=settings.to_dict(),
        steps=curve[-1].steps,
        episodes=final.episodes,
        mean_return=final.mean_return,
        return_interval=final.return_interval,
        success=final.success,
        mean_length=final.mean_length,
    )
    return path, save_policy(path, policy, card)
