"""Renews the measured evidence: ``python tools/renew_anomaly_gym_evidence.py``.

With a store, it compares the results of the study ``anomaly-gym`` at some scale with those that have one thing as
published; also ``anomaly-gym-images``. In place of study and scale it takes a measured table, for numbers whose results
are no longer stored. Rows without new results stay. Arguments, for example::

    runs/store anomaly-gym@laptop training=anomaly-gym@paper
    runs/store anomaly-gym@paper public-code=anomaly-gym-as-published@paper
    runs/store anomaly-gym@paper public-code-strengths=anomaly-gym-as-published@strengths
    runs/store anomaly-gym@paper neutral=anomaly-gym-as-published@neutral
    runs/store anomaly-gym@paper exceptions=anomaly-gym-as-published@exceptions
    runs/store anomaly-gym@paper policy=anomaly-gym-as-published@policies
    runs/store anomaly-gym@paper retrained=anomaly-gym-as-published@retrained
    runs/store docs/measured/published/anomaly-gym-3.csv exceptions=anomaly-gym-as-published@exceptions
    runs/store docs/measured/published/anomaly-gym-12.csv strengths=anomaly-gym-published-strengths@paper
    runs/store anomaly-gym-images@laptop image-training=anomaly-gym-images@training
    runs/store anomaly-gym-images@laptop public-code-strengths=anomaly-gym-images-as-published@strengths
    runs/store anomaly-gym-images@laptop image-public-code=anomaly-gym-images-as-published@training

Each policy is an experiment of its own, such as ``policy-sac``. Those of ``retrained`` were trained in the same way;
together they are one experiment, with the interval of one more.

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

import pyarrow as pa
import pyarrow.compute as pc

from anomaly_gym_policy_scores import published_parameter_scores, published_success, strong_fault_scores
from offnominal.core.files import write_text
from offnominal.papers.anomaly_gym.discrimination_tables import METRIC_OF, every_metric, table_3
from offnominal.papers.anomaly_gym.evidence import EXPERIMENTS, POLICY, Key
from offnominal.papers.anomaly_gym.policy_table import populations, worlds_of_table
from offnominal.papers.anomaly_gym.published_numbers import WORLDS
from offnominal.papers.anomaly_gym.timing_table import table_4
from offnominal.studies.catalogue import load_study
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.stored_runs import stored_run

FOLDER = Path(__file__).parents[1] / "src" / "offnominal" / "papers" / "anomaly_gym"
"""Folder of the evidence."""
POLICIES = {world: populations(world) for world in worlds_of_table()}
"""Policies that learned without demonstrations, by world."""
EPISODES, SUCCESS_EPISODES = 200, 1000
POLICIES_OF_RUN = POLICY.removesuffix("-")
"""All experiments on policies that a run has."""
NAMES = ("experiment", "scale", "world", "level", "detector", "metric", "kind")
COLUMNS = (*NAMES, *(f"{name}{end}" for name in ("before", "after") for end in ("", "_low", "_high")))
"""Columns of the evidence: what was changed, the scale of the number before, and both numbers with their intervals."""
GIVEN = (*(name for name in EXPERIMENTS if not name.startswith(POLICY)), POLICIES_OF_RUN)
"""Experiments that arguments can name."""
RETRAINED = "retrained"
Row = Mapping[str, object]
Before = tuple[str, float, float | None, float | None]
"""Scale, value and interval of our number before a change."""


def numbers(results: RunResults) -> dict[Key, PublishedComparison]:
    """Return every number of Tables 12 or 13, 3 and 4 by the key of its evidence."""
    found = {}
    for line in every_metric(results):
        labels = line.labels
        found[labels["world"], labels["level"], labels["detector"], METRIC_OF[labels["metric"]], ""] = line
    for line in table_3(results):
        labels = line.labels
        found[labels["worlds"], labels["level"], labels["detector"], "auroc", labels["faults"]] = line
    # Table 4 has means over all worlds.
    for line in table_4(results) if set(WORLDS) <= set(results.table["world"].to_pylist()) else ():
        labels = line.labels
        found[labels["alarm"], "", labels["detector"], labels["number"], ""] = line
    return found


def evidence_rows(plain: RunResults | Path, experiment: str, changed: RunResults) -> Iterator[Row]:
    """Yield our numbers before and after a change, where something is published.

    Args:
        plain: Run of the study ``anomaly-gym`` or ``anomaly-gym-images``, or the measured Table 3, 12 or 13.
        experiment: What was changed, one of :data:`~offnominal.papers.anomaly_gym.evidence.EXPERIMENTS`.
        changed: Run with the change.
    """
    known = _measured(plain) if isinstance(plain, Path) else _stored(plain, changed)
    for key, line in numbers(changed).items():
        if key in known and line.published is not None and line.ours.value is not None:
            scale, *before = known[key]
            ends = *before, line.ours.value, line.ours.low, line.ours.high
            texts = ["" if end is None else f"{end:.3f}" for end in ends]
            yield dict(zip(COLUMNS, (experiment, scale, *key, *texts), strict=True))


def _stored(plain: RunResults, changed: RunResults) -> dict[Key, Before]:
    """Return scale, value and interval of the numbers of a run, over the levels of another."""
    lines = {key: line.ours for key, line in numbers(_at_levels_of(plain, changed)).items()}
    return {
        key: (plain.scale, ours.value, ours.low, ours.high) for key, ours in lines.items() if ours.value is not None
    }


def _measured(file: Path) -> dict[Key, Before]:
    """Return scale, value and interval of the numbers of a measured table."""
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return {
        _measured_key(row): (row["scale"], float(row["ours"]), _number(row.get("low")), _number(row.get("high")))
        for row in rows
        if row["ours"]
    }


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _measured_key(row: Mapping[str, str]) -> Key:
    """Return the number that a row of Table 3, 12 or 13 is about."""
    if "worlds" in row:
        return row["worlds"], row["level"], row["detector"], "auroc", row["faults"]
    return row["world"], row["level"], row["detector"], METRIC_OF[row["metric"]], ""


def experiments(given: str, changed: RunResults) -> Iterator[tuple[str, RunResults]]:
    """Yield the experiments of a run: one, or one per policy.

    Args:
        given: One of :data:`GIVEN`.
        changed: The run.
    """
    if given != POLICIES_OF_RUN:
        yield given, policies_as_trainings(changed) if given == RETRAINED else changed
        return
    policies = changed.table["policy"]
    for policy in pc.unique(policies).to_pylist():
        yield f"{POLICY}{policy}", replace(changed, table=changed.table.filter(pc.equal(policies, policy)))


def policies_as_trainings(results: RunResults) -> RunResults:
    """Return a run with several policies in each world as one with several trainings: of policy and detector."""
    policies = results.table["policy"]
    codes = pc.index_in(policies, pc.unique(policies)).cast("int64")
    table = results.table.drop_columns(["policy", "seed"])
    same = pa.repeat(pa.scalar(RETRAINED), table.num_rows)
    return replace(results, table=table.append_column("policy", same).append_column("seed", codes))


def _at_levels_of(plain: RunResults, changed: RunResults) -> RunResults:
    """Return a run with only the levels of another: Table 4 has means over all of them."""
    return replace(plain, table=plain.table.filter(pc.is_in(plain.table["level"], pc.unique(changed.table["level"]))))


def write_rows(file: str, rows: Iterable[Row]) -> None:
    """Write a table of the folder."""
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
        case [store, plain, *runs] if runs and all(run.partition("=")[0] in GIVEN for run in runs):
            renew_evidence(Path(store), plain, dict(run.split("=", 1) for run in runs))
        case _:
            raise SystemExit(f"{__doc__}\nExperiments: {', '.join(GIVEN)}.")


def renew_evidence(store: Path, plain: str, runs: Mapping[str, str]) -> None:
    """Renew the evidence of some experiments; rows without new results are kept.

    Args:
        store: Store of the results.
        plain: Study and scale that they are compared with, or the file of a measured table.
        runs: Study and scale of each experiment.
    """
    before = Path(plain) if plain.endswith(".csv") else _results(store, plain)
    found = {_name(row): row for row in _known("evidence.csv")}
    for given, run in runs.items():
        for experiment, changed in experiments(given, _results(store, run)):
            found |= {_name(row): row for row in evidence_rows(before, experiment, changed)}
    order = list(EXPERIMENTS)
    write_rows("evidence.csv", sorted(found.values(), key=lambda row: order.index(str(row["experiment"]))))


def renew_policy_scores() -> None:
    """Simulate our policies under strong faults, with one process per processor, and write scores and successes.

    Scores of other policies are kept.
    """
    acting = [(world, policy) for world, policies in POLICIES.items() for policy in policies]
    with ProcessPoolExecutor() as pool:
        strong = [pool.submit(strong_fault_scores, *each, EPISODES) for each in acting]
        rows = [*_known("policy_scores.csv"), *(future.result() for future in strong)]
    write_rows("policy_scores.csv", list({(row["world"], row["policy"]): row for row in rows}.values()))
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


def _results(store: Path, run: str) -> RunResults:
    """Return the stored results of ``study@scale``."""
    study, _, scale = run.partition("@")
    return stored_run(load_study(study), scale, store=store).results


def _name(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in NAMES)


def _known(file: str) -> list[Row]:
    return list(csv.DictReader((FOLDER / file).read_text(encoding="utf-8").splitlines()))


if __name__ == "__main__":
    main(sys.argv[1:])
