"""Calibrate the strengths of many worlds at once, on a machine with many cores.

Each world runs in a process of its own, with worker processes in proportion to its expected work, all of the same
priority: so all worlds end at about the same time, and a run that ends early has most lines of each. Lines are kept as
soon as an anomaly is done, so that a run that is interrupted, or that ends after `--seconds`, goes on when it is
repeated. `--merge` joins the files of all worlds to the shipped tables.

    python tools/calibrate_all.py runs/calibration --weights runs/agents --seconds 480
    python tools/calibrate_all.py runs/calibration --weights runs/agents --match
    python tools/calibrate_all.py runs/calibration --merge
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from offnominal.agents.experts import expert
from offnominal.agents.files import TrainedPolicy, load_policy
from offnominal.agents.weights import shipped_names
from offnominal.anomalies.matched_strengths import (
    DETECTABILITY,
    MatchedStrength,
    read_matched_strengths,
    write_matched_strengths,
)
from offnominal.anomalies.strengths import CALIBRATED, Strength, beyond_limits, read_strengths, write_strengths
from offnominal.calibration import calibrate
from offnominal.calibration.axis import axes_of
from offnominal.calibration.calibration import LARGEST_HALF_WIDTH
from offnominal.calibration.sampler import LEAST_LEARNED, RANDOM_SEED
from offnominal.core.policy import Policy, RandomPolicy
from offnominal.evaluation.detectability import match_detectability
from offnominal.rollouts.policy_evaluation import evaluate_policy
from offnominal.worlds.catalogue import make_world

Line = TypeVar("Line", Strength, MatchedStrength)
SHIPPED = Path(__file__).parents[1] / "src/offnominal/anomalies"
SEEDS = "tqc-[0-9]"
"""Names of the learned policies of a world, one per training seed."""
RANDOM_EPISODES = 200


@dataclass(frozen=True)
class Sizes:
    """Numbers of episodes per level; see :func:`calibrate`."""

    budget: int
    fresh: int
    most_fresh: int


@dataclass(frozen=True)
class Plan:
    """How a world is calibrated.

    Args:
        workers: Number of worker processes, in proportion to the seconds of simulation that `quick` takes.
        quick: Sizes for a few minutes of 16 cores.
        full: Sizes for precise intervals.
        matched: Number of new episodes for the AUROC.
    """

    workers: int
    quick: Sizes
    full: Sizes
    matched: int


PARTICLES = Plan(2, Sizes(4000, 4000, 16_000), Sizes(20_000, 20_000, 40_000), 400)
PLANS = {
    "URM-PnP-v0": Plan(8, Sizes(200, 100, 200), Sizes(800, 400, 3200), 100),
    "URR-Reach-v0": Plan(8, Sizes(200, 200, 400), Sizes(800, 800, 3200), 100),
    "MJC-HalfCheetah-v0": Plan(6, Sizes(400, 400, 1600), Sizes(1600, 2000, 8000), 200),
    "MJC-CartpoleSwingup-v0": Plan(4, Sizes(1000, 1000, 4000), Sizes(12_000, 20_000, 40_000), 400),
    "URM-Reach-v0": Plan(4, Sizes(400, 400, 1600), Sizes(1600, 2000, 8000), 200),
    "MJC-Reacher3D-v0": Plan(4, Sizes(400, 400, 1600), Sizes(1600, 2000, 8000), 200),
    "CAR-LaneKeep-v0": Plan(2, Sizes(1000, 1000, 4000), Sizes(6000, 6000, 12_000), 400),
    "SAP-Goal0-v0": PARTICLES,
    "SAP-Goal1-v0": PARTICLES,
    "SAP-Goal2-v0": PARTICLES,
}
"""Worlds by the time that they take, the slowest first."""


def learned_policies(world: str, weights: Path | None) -> dict[str, TrainedPolicy]:
    """Return the learned policies of a world by name: files of a folder, or shipped ones."""
    if weights is not None:
        return {path.stem: load_policy(path)[0] for path in sorted(weights.rglob(f"{world}--{SEEDS}.safetensors"))}
    names = [name for name in shipped_names() if Path(name).match(f"{world}--{SEEDS}")]
    return {name: expert(world, name.partition("--")[2]) for name in names}


def those_that_learned(world: str, policies: dict[str, TrainedPolicy]) -> dict[str, TrainedPolicy]:
    """Leave out what :func:`calibrate` refuses: policies that earn less than half of what the best one earns."""
    means = {name: _mean_return(world, each) for name, each in policies.items()}
    random = _mean_return(world, RandomPolicy(make_world(world, 1).action_space))
    best = max(means.values(), default=random)
    kept = {name for name, mean in means.items() if mean - random >= 1.1 * LEAST_LEARNED * (best - random) > 0.0}
    for name, mean in means.items():
        print(f"{name}: return {mean:.4g}, random {random:.4g}{'' if name in kept else ', LEFT OUT'}", flush=True)
    return {name: each for name, each in policies.items() if name in kept}


def _mean_return(world: str, policy: Policy) -> float:
    return evaluate_policy(world, policy, RANDOM_EPISODES, seed=RANDOM_SEED).mean_return


def calibrate_world(world: str, out: Path, weights: Path | None, *, profile: str, match: bool) -> None:
    """Calibrate one world, or match its detectability, and write the lines of each anomaly when they are there."""
    plan = PLANS[world]
    policies = list(those_that_learned(world, learned_policies(world, weights)).values())
    if not policies:
        print(f"{world}: NO POLICY LEARNED", flush=True)
        return
    start = time.perf_counter()

    def keep(lines: list[Strength]) -> None:
        table.extend(lines)
        write_strengths(path, table)
        print(f"{time.perf_counter() - start:.0f} s: {lines[0].anomaly} {lines[0].direction}", flush=True)

    def keep_matched(lines: list[MatchedStrength]) -> None:
        matched.extend(lines)
        write_matched_strengths(matched_path, matched)
        print(f"{time.perf_counter() - start:.0f} s: {lines[0].anomaly} {lines[0].direction}", flush=True)

    path, matched_path = out / f"{world}.csv", out / f"{world}.matched.csv"
    table = read_strengths(path) if path.exists() else []
    matched = read_matched_strengths(matched_path) if matched_path.exists() else []
    if match:
        match_detectability(
            world, policies, fresh=plan.matched, workers=plan.workers, done=list(matched), report=keep_matched
        )
    else:
        sizes: Sizes = getattr(plan, profile)
        calibrate(world, policies, workers=plan.workers, done=list(table), report=keep, **asdict(sizes))
    print(f"{world}: DONE after {time.perf_counter() - start:.0f} s", flush=True)


def calibrate_all(arguments: argparse.Namespace) -> None:
    """Start a process per world, wait for all of them, and end those that take longer than the given time."""
    logs = arguments.out / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    given = ["--profile", arguments.profile, *(["--match"] if arguments.match else [])]
    given += ["--weights", str(arguments.weights)] if arguments.weights else []
    running = {}
    for world in arguments.worlds or PLANS:
        with (logs / f"{world}{'.matched' if arguments.match else ''}.log").open("a") as log:
            command = [sys.executable, __file__, str(arguments.out), *given, "--one", world]
            running[world] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end and any(each.poll() is None for each in running.values()):
        time.sleep(1.0)
    for process in running.values():
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
    for world, process in running.items():
        print(f"{world}: ended with {process.wait()}", flush=True)


def merge(out: Path) -> None:
    """Write the shipped tables: worlds that were calibrated completely replace those of the old tables."""
    strengths = _joined(read_strengths(SHIPPED / "strengths.csv"), out, "", read_strengths, len(CALIBRATED))
    write_strengths(SHIPPED / "strengths.csv", strengths)
    matched = read_matched_strengths(SHIPPED / "matched_strengths.csv")
    matched = _joined(matched, out, ".matched", read_matched_strengths, len(DETECTABILITY))
    write_matched_strengths(SHIPPED / "matched_strengths.csv", matched)
    print("\n".join(beyond_limits(strengths)) or "no attainable level is beyond its limit")
    for world in PLANS:
        reached = [line for line in strengths if line.world == world and line.attainable]
        narrow = sum(line.high - line.low <= 2.0 * LARGEST_HALF_WIDTH for line in reached)
        print(f"{world}: {len(reached)} attainable, {narrow} within ± {LARGEST_HALF_WIDTH}")


def _joined(old: list[Line], out: Path, suffix: str, read: Callable[[Path], list[Line]], levels: int) -> list[Line]:
    """Return the lines of all worlds, in the order of their anomalies."""
    joined = {
        world: [line for line in old if line.world == world] for world in dict.fromkeys(line.world for line in old)
    }
    for world in PLANS:
        path = out / f"{world}{suffix}.csv"
        lines = read(path) if path.exists() else []
        axes = [(axis.anomaly, axis.named_direction) for axis in axes_of(make_world(world, 1))]
        complete = len(lines) == levels * len(axes)
        print(f"{world}{suffix}: {len(lines)} of {levels * len(axes)} lines{'' if complete else ', NOT USED'}")
        if complete:
            joined[world] = sorted(lines, key=lambda line: (line.anomaly, axes.index((line.anomaly, line.direction))))
    return [line for lines in joined.values() for line in lines]


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the tables and logs of the worlds")
    parser.add_argument("--weights", type=Path, help="folder with policies; the shipped ones by default")
    parser.add_argument("--profile", choices=("quick", "full"), default="quick", help="numbers of episodes")
    parser.add_argument("--seconds", type=float, default=1e6, help="end after this time")
    parser.add_argument("--match", action="store_true", help="match the detectability instead of the return")
    parser.add_argument("--merge", action="store_true", help="write the shipped tables from those of the worlds")
    parser.add_argument("--worlds", nargs="+", choices=list(PLANS), help="only these worlds")
    parser.add_argument("--one", choices=list(PLANS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.merge:
        merge(arguments.out)
    elif arguments.one:
        calibrate_world(
            arguments.one, arguments.out, arguments.weights, profile=arguments.profile, match=arguments.match
        )
    else:
        calibrate_all(arguments)


if __name__ == "__main__":
    main()
