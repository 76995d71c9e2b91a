"""Start many trainings of `offnominal train-seeds` at once: `python tools/train_policies.py FOLDER`.

The list is every world times every algorithm: by default the worlds of Table 5 of Anomaly-Gym and HalfCheetah with SAC,
TD3 and PPO, three seeds each. All files are in FOLDER: policies, cards, learning curves, checkpoints, and a log per
training. The same command again resumes what was interrupted and leaves out what has its cards. `--estimate 60` runs
all trainings for a minute, deletes what they made, and says how long the list takes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.agents.training.ppo_settings import POPULATION_ALGORITHMS, settings_of_population
from offnominal.cli.population import parsed_settings

WORLDS = ("MJC-CartpoleSwingup-v0", "SAP-Goal0-v0", "URM-Reach-v0", "MJC-HalfCheetah-v0")
ALGORITHMS = ("sac", "td3", "ppo")
SEEDS = (0, 1, 2)
POLL_SECONDS = 1.0
REPORT_SECONDS = 60.0
ESTIMATE_EVALUATIONS = 4


@dataclass(frozen=True)
class Job:
    """A training of several seeds.

    Args:
        world: Id of the world.
        algorithm: Name of the algorithm.
        seeds: Seeds.
        folder: Folder of its files.
        options: Options of `offnominal train-seeds`.
    """

    world: str
    algorithm: str
    seeds: tuple[int, ...]
    folder: Path
    options: tuple[str, ...]

    @property
    def name(self) -> str:
        """Beginning of the names of its files."""
        return f"{self.world}--{self.algorithm}"

    @property
    def steps(self) -> int:
        """Transitions of each seed."""
        given = [value for name, value in zip(self.options, self.options[1:], strict=False) if name == "--steps"]
        changed = [value for name, value in zip(self.options, self.options[1:], strict=False) if name == "--set"]
        changes: dict[str, Any] = parsed_settings(changed)
        if given or "steps" in changes:
            return int(given[0] if given else changes["steps"])
        return settings_of_population(self.world, self.algorithm).steps

    @property
    def finished(self) -> bool:
        """Whether every policy has its card and no checkpoint is left."""
        cards = [self.folder / f"{self.name}-{seed}.json" for seed in self.seeds]
        return all(card.exists() for card in cards) and not (self.folder / f"{self.name}.checkpoint").exists()

    def start(self) -> subprocess.Popen[bytes]:
        """Start or resume the training; what it prints is in its log."""
        seeds = [word for seed in self.seeds for word in ("--seed", str(seed))]
        words = ["train-seeds", self.world, "--algorithm", self.algorithm, *seeds, *self.options]
        command = [sys.executable, "-m", "offnominal", *words, "--out", str(self.folder)]
        with (self.folder / f"{self.name}.log").open("ab") as log:
            one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
            return subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=one_thread, start_new_session=True
            )

    def curve(self) -> list[dict[str, float]]:
        """Return the shortest learning curve of its seeds."""
        file = self.folder / f"{self.name}.curves.json"
        if not file.exists():
            return []
        curves = json.loads(file.read_text(encoding="utf-8"))["curves"]
        return min(curves.values(), key=len) if len(curves) == len(self.seeds) else []

    def rate(self) -> float | None:
        """Return the transitions per second and seed between first and latest evaluation; None before the second."""
        curve = self.curve()
        if len(curve) < 2:
            return None
        first, last = curve[0], curve[-1]
        return (last["steps"] - first["steps"]) / max(last["seconds"] - first["seconds"], 1e-9)


def progress(jobs: Sequence[Job]) -> list[str]:
    """Return a line per training: what is done, and how long the rest takes at the rate so far."""
    lines = []
    for job in jobs:
        rate, curve = job.rate(), job.curve()
        done = curve[-1] if curve else {"steps": 0, "seconds": 0.0, "mean_return": float("nan")}
        left = (job.steps - done["steps"]) / rate / 60.0 if rate else float("nan")
        lines.append(
            f"{job.name:32} {done['steps']:>9,.0f} of {job.steps:>9,} steps  {rate or float('nan'):8.0f} per second  "
            f"{left:6.1f} min left  return {done['mean_return']:9.2f}"
        )
    return lines


def run(jobs: Sequence[Job], stop_after: float | None) -> bool:
    """Run trainings at once; return whether all of them succeeded.

    Args:
        jobs: Trainings.
        stop_after: Seconds after which those that still run are ended; None for no limit.
    """
    start = reported = time.monotonic()
    running = {job: job.start() for job in jobs}
    succeeded = True
    try:
        while running:
            for job, process in [*running.items()]:
                if process.poll() is not None:
                    del running[job]
                    print(f"{job.name} {'is done' if process.returncode == 0 else 'failed'}.", flush=True)
                    if process.returncode:
                        succeeded = False
                        print((job.folder / f"{job.name}.log").read_text(encoding="utf-8")[-1500:], flush=True)
            if stop_after is not None and time.monotonic() - start > stop_after:
                print(f"{len(running)} trainings are stopped; the same command resumes them.", flush=True)
                return False
            if time.monotonic() - reported > REPORT_SECONDS:
                reported = time.monotonic()
                print("\n".join(progress([*running])), flush=True)
            time.sleep(POLL_SECONDS)
    finally:
        for process in running.values():
            end(process)
    return succeeded


def end(process: subprocess.Popen[bytes]) -> None:
    """End a training with the processes that evaluate for it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


def estimate(jobs: Sequence[Job], seconds: float) -> None:
    """Run the trainings for some time in another folder, and print how long each takes at that rate."""
    with tempfile.TemporaryDirectory() as folder:
        limits = ("--minutes", str(seconds / 60.0), "--evaluations", str(ESTIMATE_EVALUATIONS), "--cards", "without")
        trials = [Job(job.world, job.algorithm, job.seeds, Path(folder), (*job.options, *limits)) for job in jobs]
        run(trials, None)
        minutes = {job: job.steps / rate / 60.0 for job in trials if (rate := job.rate())}
        print("\n".join(progress(trials)))
        for job in trials:
            if job not in minutes:
                print(f"{job.name} was too slow for two evaluations; take a longer estimate.")
        if minutes:
            longest = max(minutes, key=lambda job: minutes[job])
            print(f"All at once: {minutes[longest]:.1f} minutes, as long as {longest.name}, and the evaluations.")


def pack(folder: Path, file: Path, *, checkpoints: bool) -> None:
    """Put the files of a folder into a tar file."""
    with tarfile.open(file, "w") as archive:
        for path in sorted(folder.iterdir()):
            if path.is_file() and (checkpoints or path.suffix != ".checkpoint"):
                archive.add(path, arcname=path.name)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="folder of all files")
    parser.add_argument("--world", action="append", help="world; can be repeated")
    parser.add_argument("--algorithm", action="append", choices=POPULATION_ALGORITHMS, help="can be repeated")
    parser.add_argument("--seed", action="append", type=int, help="seed; can be repeated")
    parser.add_argument("--minutes", type=float, help="time limit of each training")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--steps", type=int, help="transitions of each training")
    parser.add_argument("--evaluations", type=int, default=20, help="evaluations during each training")
    parser.add_argument("--checkpoint-seconds", type=float, default=60.0)
    parser.add_argument("--set", action="append", default=[], help="setting of all trainings, NAME=VALUE")
    parser.add_argument("--stop-after", type=float, help="seconds after which unfinished trainings are stopped")
    parser.add_argument(
        "--estimate", type=float, help="only run all trainings for so many seconds and estimate the time"
    )
    parser.add_argument("--pack", type=Path, help="tar file for the folder, in the end")
    parser.add_argument("--pack-checkpoints", action="store_true", help="also pack the checkpoints")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trainings of a list; return the exit status."""
    given = parsed(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options = ["--device", given.device, "--evaluators", "1", "--checkpoint-seconds", str(given.checkpoint_seconds)]
    for name in ("steps", "minutes", "evaluations"):
        if getattr(given, name) is not None and not (given.estimate and name != "steps"):
            options += [f"--{name}", str(getattr(given, name))]
    options += [word for each in given.set for word in ("--set", each)]
    given.folder.mkdir(parents=True, exist_ok=True)
    seeds = tuple(given.seed or SEEDS)
    jobs = [
        Job(world, algorithm, seeds, given.folder, tuple(options))
        for world in given.world or WORLDS
        for algorithm in given.algorithm or ALGORITHMS
    ]
    if given.estimate:
        estimate(jobs, given.estimate)
        return 0
    open_jobs = [job for job in jobs if not job.finished]
    print(f"{len(jobs)} trainings, {len(jobs) - len(open_jobs)} of them done.", flush=True)
    succeeded = run(open_jobs, given.stop_after)
    print("\n".join(progress(jobs)))
    if given.pack:
        pack(given.folder, given.pack, checkpoints=given.pack_checkpoints)
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
