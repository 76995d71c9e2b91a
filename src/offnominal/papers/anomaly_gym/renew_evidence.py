"""Renews the measured evidence: ``python -m offnominal.papers.anomaly_gym.renew_evidence``.

With folders of runs, it compares the run of the study ``anomaly-gym`` with runs that have one thing as published::

    renew_evidence runs/anomaly-gym-laptop training=runs/anomaly-gym-paper
    renew_evidence runs/anomaly-gym-paper public-code=runs/anomaly-gym-as-published-paper
    renew_evidence runs/anomaly-gym-paper public-code-strengths=runs/anomaly-gym-as-published-strengths

and the same with the study ``anomaly-gym-images``; rows of the other study stay::

    renew_evidence runs/anomaly-gym-images-laptop public-code=runs/anomaly-gym-images-as-published-laptop
    renew_evidence runs/anomaly-gym-images-laptop image-training=runs/anomaly-gym-images-training

With ``scores``, it simulates our policies under published fault parameters and under strong faults; with worlds after
it, only under the published parameters of these worlds.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc

from offnominal.core.files import write_text
from offnominal.papers.anomaly_gym.discrimination_tables import IMAGES, METRICS, every_metric, table_3
from offnominal.papers.anomaly_gym.evidence import EXPERIMENTS, Key
from offnominal.papers.anomaly_gym.measured_scores import (
    published_parameter_scores,
    published_success,
    strong_fault_scores,
)
from offnominal.papers.anomaly_gym.published_numbers import IMAGE_DETECTORS, WORLDS
from offnominal.papers.anomaly_gym.timing_table import table_4
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.runs import open_run

FOLDER = Path(__file__).parent
POLICIES = ("tqc", "sac", "td3")
POLICY_WORLDS = ("MJC-CartpoleSwingup-v0", "SAP-Goal0-v0")
EPISODES, SUCCESS_EPISODES = 200, 1000
Row = Mapping[str, object]


def numbers(results: RunResults) -> dict[Key, PublishedComparison]:
    """Return every number of Tables 12 or 13, 3 and 4 by the key of its evidence."""
    columns = {title: metric for metric, title in METRICS.items()}
    found = {}
    for line in every_metric(results):
        labels = line.labels
        found[labels["world"], labels["level"], labels["detector"], columns[labels["metric"]], ""] = line
    for line in table_3(results):
        labels = line.labels
        found[labels["worlds"], labels["level"], labels["detector"], "auroc", labels["faults"]] = line
    # Table 4 has means over all worlds.
    for line in table_4(results) if set(WORLDS) <= set(results.table["world"].to_pylist()) else ():
        labels = line.labels
        found[labels["alarm"], "", labels["detector"], labels["number"], ""] = line
    return found


def evidence_rows(plain: RunResults, experiment: str, changed: RunResults) -> Iterator[Row]:
    """Yield our numbers before and after a change, where something is published.

    Args:
        plain: Run of the study ``anomaly-gym`` or ``anomaly-gym-images``.
        experiment: What was changed, one of :data:`~offnominal.papers.anomaly_gym.evidence.EXPERIMENTS`.
        changed: Run with the change.
    """
    before = numbers(_at_levels_of(plain, changed))
    for key, line in numbers(changed).items():
        if key in before and line.published is not None and line.ours.value is not None:
            names = ("world", "level", "detector", "metric", "kind")
            ends = before[key].ours.value, line.ours.value
            if ends[0] is not None:
                yield {"experiment": experiment, **dict(zip(names, key, strict=True))} | {
                    name: f"{value:.3f}" for name, value in zip(("before", "after"), ends, strict=True)
                }


def _at_levels_of(plain: RunResults, changed: RunResults) -> RunResults:
    """Return a run with only the levels of another: Table 4 has means over all of them."""
    return replace(plain, table=plain.table.filter(pc.is_in(plain.table["level"], pc.unique(changed.table["level"]))))


def write_rows(file: str, rows: Iterable[Row]) -> None:
    """Write a table of this folder."""
    table = [{name: str(value) for name, value in row.items()} for row in rows]
    lines = [",".join(table[0]), *(",".join(row.values()) for row in table)]
    write_text(FOLDER / file, "\n".join(lines) + "\n")


def main(arguments: list[str]) -> None:
    """Renew what the arguments name."""
    match arguments:
        case ["scores"]:
            renew_policy_scores()
            renew_strength_scores(WORLDS)
        case ["scores", *worlds]:
            renew_strength_scores(worlds)
        case [plain, *runs]:
            renew_evidence(plain, dict(argument.split("=", 1) for argument in runs))


def renew_evidence(plain: str, runs: Mapping[str, str]) -> None:
    """Replace the evidence of some experiments.

    Args:
        plain: Folder of the run that they are compared with.
        runs: Folder of the run of each experiment.
    """
    before = _opened(plain)
    images = before.name.startswith(IMAGES)
    kept = [
        row
        for row in _known("evidence.csv")
        if row["experiment"] not in runs or (row["detector"] in IMAGE_DETECTORS) != images
    ]
    named = [name for name in EXPERIMENTS if name in runs]
    new = (row for name in named for row in evidence_rows(before, name, _opened(runs[name])))
    write_rows("evidence.csv", [*kept, *new])


def renew_policy_scores() -> None:
    """Simulate our policies under strong faults, with one process per processor, and write scores and successes."""
    acting = [(world, policy) for world in POLICY_WORLDS for policy in POLICIES]
    with ProcessPoolExecutor() as pool:
        strong = [pool.submit(strong_fault_scores, *each, EPISODES) for each in acting]
        write_rows("policy_scores.csv", [future.result() for future in strong])
    write_rows("published_success_rates.csv", [published_success(SUCCESS_EPISODES)])


def renew_strength_scores(worlds: Sequence[str]) -> None:
    """Simulate our experts of some worlds under the published parameters; scores of other worlds are kept."""
    found: dict[str, list[Row]] = {world: [] for world in WORLDS}
    for row in _known("published_strength_scores.csv"):
        found[str(row["world"])].append(row)
    with ProcessPoolExecutor() as pool:
        for world, future in {
            world: pool.submit(published_parameter_scores, world, EPISODES) for world in worlds
        }.items():
            found[world] = list(future.result())
            write_rows("published_strength_scores.csv", [row for rows in found.values() for row in rows])


def _opened(folder: str) -> RunResults:
    return open_run(folder, store=Path(folder).parent / "store")


def _known(file: str) -> list[Row]:
    return list(csv.DictReader((FOLDER / file).read_text(encoding="utf-8").splitlines()))


if __name__ == "__main__":
    main(sys.argv[1:])
