"""The study kind of unseen policies."""

from __future__ import annotations

from pathlib import Path

from offnominal.datasets.dataset import Dataset
from offnominal.kinds.faults.data import datasets_hash, inputs_version, kept_open, world_data
from offnominal.kinds.faults.kind import CellKind, FaultStudyKind
from offnominal.kinds.transfer.cell_run import run_transfer
from offnominal.kinds.unseen_policy.cell import UNSEEN_POLICY, UnseenPolicyCell
from offnominal.kinds.unseen_policy.study import UnseenPolicyStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class UnseenPolicyKind(CellKind[UnseenPolicyStudy, UnseenPolicyCell]):
    """Each cell fits one detector on episodes of one policy and evaluates it on the faults under every policy."""

    id = UNSEEN_POLICY
    study_class = UnseenPolicyStudy
    cell_class = UnseenPolicyCell
    code_targets = (*FaultStudyKind.code_targets, "offnominal.kinds.transfer.cell_run:TransferEvaluation")

    def open_data(self, cell: UnseenPolicyCell, *, workers: int = 1) -> dict[str, Dataset]:
        """Return the dataset of each policy, generated on first use; they stay open for cells with the same data."""
        versions = (inputs_version(cell.world, policy, cell.data) for policy in cell.policies)
        identity = " ".join([cell.source, *versions])
        return kept_open(
            identity,
            lambda: {
                policy: world_data(cell.world, cell.replace(policy=policy), workers=workers) for policy in cell.policies
            },
        )

    def data_hash(self, cell: UnseenPolicyCell, data: dict[str, Dataset]) -> str:
        """Return the hash of the episodes of all policies."""
        return datasets_hash(data)

    def run(
        self, cell: UnseenPolicyCell, data: dict[str, Dataset], meter: ResourceMeter, *, sources: Sources
    ) -> CellRows:
        """Fit the detector of a cell with its policy, then score and evaluate it with every tested policy."""
        return run_transfer(cell, "policy", cell.test_policies, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.unseen_policy.report import write_unseen_policy_report

        return write_unseen_policy_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, the best with unseen policies first."""
        from offnominal.kinds.unseen_policy.report import overall_table
        from offnominal.kinds.unseen_policy.results import UnseenPolicyResults

        return overall_table(UnseenPolicyResults.of(results.table)).rows
