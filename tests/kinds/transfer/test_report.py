"""Tables and figure of a transfer study show every pair of worlds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from offnominal.kinds.transfer.results import TransferResults
from offnominal.kinds.transfer.tables import (
    auroc_table,
    difference_table,
    false_alarm_table,
    fault_table,
)
from offnominal.kinds.transfer.tables import transfer_guarantees as guarantees
from offnominal.reports.report import leading_rows, write_report

from .made_transfer import ALARM, ROBOT, SIMULATION, rows, transfer_results

pytestmark = pytest.mark.long

THERE, BACK = f"{SIMULATION} → {ROBOT}", f"{ROBOT} → {SIMULATION}"
STAY = [f"{world} → {world}" for world in (SIMULATION, ROBOT)]


@pytest.fixture(scope="module")
def found():
    return TransferResults.of(transfer_results().table)


def test_the_first_table_has_all_pairs_and_the_best_transfer_first(found):
    table = auroc_table(found)
    assert "the 1 fault that" in table.title
    assert list(table.rows[0]) == ["detector", STAY[0], BACK, STAY[1], THERE]
    first, second = table.rows
    assert (first["detector"], first[THERE]) == ("Mahalanobis", "0.900 [0.880, 0.920]")
    assert (second[THERE], second[STAY[1]]) == ("0.600 [0.580, 0.620]", "0.900 [0.880, 0.920]")


def test_the_change_by_transfer_is_paired_and_marked(found):
    knn = next(row for row in difference_table(found).rows if row["detector"] == "KNN")
    assert set(knn) == {"detector", THERE, BACK}
    assert knn[THERE] == "-0.300 [-0.300, -0.300] *"
    other = next(row for row in difference_table(found).rows if row["detector"] == "Mahalanobis")
    assert other[BACK] == "+0.000 [+0.000, +0.000]"


def test_guarantees_are_shown_for_every_pair_of_worlds(found):
    shown = {(row["detector"], row["alarm"], row["trained in → tested in"]): row for row in guarantees(found).rows}
    assert shown["KNN", ALARM, THERE]["verdict"] == "broken"
    assert shown["KNN", ALARM, STAY[0]]["measured"].startswith("5% [")
    assert shown["KNN", f"{ALARM} (recalibrated)", THERE]["nominal"] == "20 episodes"


def test_false_alarms_are_means_over_seeds_with_exact_intervals(found):
    table = false_alarm_table(found)
    by_alarm = {(row["detector"], row["alarm"]): row for row in table.rows}
    assert by_alarm["KNN", ALARM][THERE] == "1.00 [0.83, 1.00]"
    assert by_alarm["KNN", ALARM][STAY[0]] == "0.05 [0.00, 0.25]"
    recalibrated = by_alarm["KNN", f"{ALARM} (recalibrated)"]
    assert recalibrated[THERE].startswith("0.05")
    assert recalibrated[STAY[0]] is None


def test_a_fault_of_one_world_is_only_in_the_table_of_faults(found):
    latency = [row for row in fault_table(found).rows if row["fault"].startswith("dynamics/control_latency")]
    assert len(latency) == 2
    assert {(row[STAY[0]], row[BACK]) for row in latency} == {(None, None)}
    assert latency[0][THERE].startswith("0.700")


def test_without_common_faults_all_faults_of_the_tested_world_count():
    apart = [row for row in rows() if (row["world"] == ROBOT) == row["split"].startswith("dynamics")]
    table = auroc_table(TransferResults.of(pa.Table.from_pylist(apart)))
    assert "all faults of the tested world" in table.title
    assert table.rows[0][THERE].startswith("0.700")


def test_the_report_has_a_page_tables_and_a_figure(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run = transfer_results()
    page = write_report(run, tmp_path).read_text(encoding="utf-8")
    assert THERE in page
    assert "data:image/png" in page
    assert (tmp_path / "figures" / "transfer.png").read_bytes().startswith(b"\x89PNG")
    written = {path.name for path in (tmp_path / "tables").glob("*.csv")}
    assert written == {"transfer.csv", "transfer_change.csv", "false_alarms.csv", "guarantees.csv", "faults.csv"}
    assert r"$\to$" in (tmp_path / "tables" / "transfer.tex").read_text(encoding="utf-8")
    assert leading_rows(run)[0]["detector"] == "Mahalanobis"


def test_several_policies_are_reported_apart():
    both = [row | {"policy": policy} for row in rows() for policy in ("scripted", "tqc")]
    found = TransferResults.of(pa.Table.from_pylist(both))
    assert len(found.pairs) == 8
    assert (f"{SIMULATION} (tqc)", f"{ROBOT} (tqc)") in found.pairs
