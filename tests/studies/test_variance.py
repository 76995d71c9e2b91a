"""The parts of the variance of a run are those of its rows."""

import numpy as np
import pyarrow as pa
import pytest

from offnominal.studies import variance_of

SPLITS = ("action/noise@tiny", "action/noise@strong", "dynamics/mass@strong", "observation/offset@tiny")


def rows(shift, *, name="KNN", worlds=("A", "B"), policies=("tqc-0", "tqc-1", "tqc-2"), seeds=(0, 1), draws=20):
    """Return results whose policies differ by `shift`, and by nothing else."""
    rng = np.random.default_rng(0)
    found = []
    for world in worlds:
        for number, policy in enumerate(policies):
            for seed in seeds:
                for place, split in enumerate(SPLITS):
                    value = 0.5 + 0.05 * place + shift * number
                    row = {"world": world, "policy": policy, "name": name, "seed": seed, "split": split, "alarm": None}
                    row |= {"kind": split.partition("/")[0], "level": split.partition("@")[2], "matched_auroc": value}
                    found.append(
                        row | ({"draws_matched_auroc": list(value + 0.01 * rng.normal(size=draws))} if draws else {})
                    )
    return found


def test_policies_that_differ_have_their_variance():
    (found,) = variance_of(pa.Table.from_pylist(rows(0.1, draws=0)), "matched_auroc", draws=200)
    assert found.split.parts["policy"].variance == pytest.approx(0.01)
    assert found.split.parts["policy by fault"].variance == pytest.approx(0.0)
    assert found.split.parts["fault"].variance == pytest.approx(np.var([0.0, 0.05, 0.1, 0.15], ddof=1))
    assert (found.worlds, found.faults, found.policies, found.trainings, found.left_out) == (2, 8, 6, 12, 0)
    assert found.mean == pytest.approx(0.5 + 0.075 + 0.1)


def test_the_replicates_are_the_part_of_the_episodes():
    (found,) = variance_of(pa.Table.from_pylist(rows(0.1, draws=400)), "matched_auroc", draws=200)
    assert found.split.parts["episodes"].variance == pytest.approx(1e-4, rel=0.1)


def test_a_fault_without_a_number_in_one_training_is_left_out_in_its_world():
    given = rows(0.1, draws=0)
    given[0]["matched_auroc"] = None
    (found,) = variance_of(pa.Table.from_pylist(given), "matched_auroc", draws=100)
    assert (found.left_out, found.faults) == (1, 7)
    assert found.split.parts["policy"].variance == pytest.approx(0.01)


def test_a_cell_that_failed_leaves_its_policy_with_fewer_trainings():
    given = [row for row in rows(0.1, draws=0) if (row["world"], row["policy"], row["seed"]) != ("A", "tqc-0", 1)]
    (found,) = variance_of(pa.Table.from_pylist(given), "matched_auroc", draws=100)
    assert (found.trainings, found.left_out) == (11, 0)
    assert found.split.parts["policy"].variance == pytest.approx(0.01)


def test_undefined_replicates_count_as_their_mean():
    given = rows(0.1)
    given[0]["draws_matched_auroc"][3] = float("nan")
    (found,) = variance_of(pa.Table.from_pylist(given), "matched_auroc", draws=100)
    assert "episodes" in found.split.parts


def test_without_replicates_of_every_row_the_episodes_are_no_part():
    given = rows(0.1)
    given[0]["draws_matched_auroc"] = None
    (found,) = variance_of(pa.Table.from_pylist(given), "matched_auroc", draws=100)
    assert "episodes" not in found.split.parts


def test_one_policy_has_no_variance():
    assert variance_of(pa.Table.from_pylist(rows(0.0, policies=("tqc-0",))), "matched_auroc") == []
