"""Cells of a study of unseen policies: one detector, trained with one policy and tested with several."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.files import sha256_of
from offnominal.kinds.faults.cell import Cell

UNSEEN_POLICY = "unseen-policy"
TRAIN_POLICY = "train_policy_name"
"""Column of results with the policy of the training; the column ``policy`` has the tested one."""


@dataclass(frozen=True)
class UnseenPolicyCell(Cell):
    """One detector with one seed: fitted on episodes of one policy, then evaluated on the faults under every policy.

    The other fields are those of :class:`~offnominal.kinds.Cell`.

    Args:
        policy: Policy of the training episodes and of those that alarms are calibrated on.
        test_policies: Policies of the test episodes.
        kind: Id of the study kind.

    Example:
        >>> cell = UnseenPolicyCell("SAP-Goal0-v0", "KNN", "KNN", policy="tqc-0", test_policies=("tqc-0", "tqc-1"))
        >>> cell.label, cell == UnseenPolicyCell.from_dict(cell.to_dict())
        ('SAP-Goal0-v0/tqc-0/KNN/0', True)
    """

    test_policies: tuple[str, ...] = ()
    kind: Literal["unseen-policy"] = field(default="unseen-policy", kw_only=True)  # type: ignore[misc]

    @property
    def policies(self) -> tuple[str, ...]:
        """Every policy whose episodes are needed, sorted."""
        return tuple(sorted({self.policy, *self.test_policies}))

    @property
    def source(self) -> str:
        """Hash of the options of the datasets of all policies."""
        text = json.dumps([UNSEEN_POLICY, self.world, self.policies, self.data.to_dict()], sort_keys=True)
        return sha256_of(text)

    @property
    def data_label(self) -> str:
        """Name of its datasets in progress messages."""
        return f"episodes of {self.world} with {' and '.join(self.policies)}"

    def columns(self) -> dict[str, Any]:
        """Return world, policy, detector and seed; the rows of a tested policy replace ``policy``."""
        return {**super().columns(), TRAIN_POLICY: self.policy}
