"""The study kind of unseen policies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from offnominal.core.files import sha256_of
from offnominal.datasets.dataset import Dataset
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.kinds.faults.cell_run import build_alarm, build_detector, options_in, used_objects
from offnominal.kinds.faults.data import content_hash, inputs_version, world_data
from offnominal.kinds.faults.kind import FaultStudyKind
from offnominal.kinds.transfer.cell_run import RECALIBRATED, TransferEvaluation
from offnominal.kinds.unseen_policy.cell import UNSEEN_POLICY, UnseenPolicyCell
from offnominal.kinds.unseen_policy.study import UnseenPolicyStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults

_OPEN: dict[str, dict[str, Dataset]] = {}


class UnseenPolicyKind(StudyKind[UnseenPolicyStudy, UnseenPolicyCell]):
    """Each cell fits one detector on episodes of one policy and evaluates it on the faults under every policy."""

    id = UNSEEN_POLICY
    study_class = UnseenPolicyStudy
    cell_class = UnseenPolicyCell
    code_targets = (*FaultStudyKind.code_targets, "offnominal.kinds.transfer.cell_run:TransferEvaluation")

    def open_data(self, cell: UnseenPolicyCell, *, workers: int = 1) -> dict[str, Dataset]:
        """Return the dataset of each policy, generated on first use; they stay open for cells with the same data."""
        versions = (inputs_version(cell.world, policy, cell.data) for policy in cell.policies)
        identity = " ".join([cell.source, *versions])
        if identity not in _OPEN:
            _OPEN.clear()
            _OPEN[identity] = {
                policy: world_data(cell.world, cell.replace(policy=policy), workers=workers) for policy in cell.policies
            }
        return _OPEN[identity]

    def data_hash(self, cell: UnseenPolicyCell, data: dict[str, Dataset]) -> str:
        """Return the hash of the episodes of all policies."""
        content = {policy: content_hash(dataset) for policy, dataset in data.items()}
        return sha256_of(json.dumps(content, sort_keys=True))

    def used(self, cell: UnseenPolicyCell) -> list[Used]:
        """Return the detector, the alarms, the world and the anomalies."""
        return used_objects(cell, [cell.world])

    def run(
        self, cell: UnseenPolicyCell, data: dict[str, Dataset], meter: ResourceMeter, *, sources: Sources
    ) -> CellRows:
        """Fit the detector of a cell with its policy, then score and evaluate it with every tested policy."""
        return run_unseen_policy(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.unseen_policy.report import write_unseen_policy_report

        return write_unseen_policy_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, the best with unseen policies first."""
        from offnominal.kinds.unseen_policy.report import overall_table
        from offnominal.kinds.unseen_policy.results import UnseenPolicyResults

        return overall_table(UnseenPolicyResults.of(results.table)).rows

    def uses_gpu(self, cell: UnseenPolicyCell) -> bool:
        """Whether the detector of a cell trains a network, as far as its source code tells."""
        return FaultStudyKind().uses_gpu(cell)


def run_unseen_policy(cell: UnseenPolicyCell, data: Mapping[str, Dataset], meter: ResourceMeter) -> CellRows:
    """Fit the detector of a cell with its policy, then score and evaluate it with every tested policy."""
    evaluation = TransferEvaluation(
        build_detector(cell),
        {entry.name: build_alarm(entry) for entry in cell.alarms},
        {entry.name + RECALIBRATED: build_alarm(entry) for entry in cell.alarms},
        meter=meter,
    )
    evaluation.fit(data[cell.policy], seed=cell.seed)
    options = options_in(cell.world, cell)
    found = {
        policy: evaluation.evaluate(data[policy], recalibrate=policy != cell.policy, options=options)
        for policy in cell.test_policies
    }
    meter.steps = evaluation.steps
    # The tested policy replaces that of the training, which has a column of its own.
    return CellRows(
        [{"policy": policy} | row for policy, each in found.items() for row in evaluation_rows(each.reports)]
    )
