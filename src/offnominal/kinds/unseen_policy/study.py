"""Studies of unseen policies as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from offnominal.core.errors import InvalidParameter
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.study import Study
from offnominal.kinds.unseen_policy.cell import UnseenPolicyCell


@dataclass(frozen=True)
class UnseenPolicyStudy(Study):
    """Detectors that are trained with one policy and tested with every policy of their world, for all pairs.

    The fields are those of :class:`~offnominal.kinds.Study`; every world has several policies.

    Example:
        >>> from offnominal.studies import DetectorEntry
        >>> study = UnseenPolicyStudy(
        ...     "mine", worlds=("SAP-Goal0-v0",), detectors=(DetectorEntry("KNN"),), policies=("tqc-0", "tqc-1")
        ... )
        >>> [(cell.label, cell.test_policies) for cell in study.cells()]
        [('SAP-Goal0-v0/tqc-0/KNN/0', ('tqc-0', 'tqc-1')), ('SAP-Goal0-v0/tqc-1/KNN/0', ('tqc-0', 'tqc-1'))]
    """

    cell_class: ClassVar[type[Cell]] = UnseenPolicyCell
    kind: Literal["unseen-policy"] = field(default="unseen-policy", kw_only=True)  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        for world in self.worlds:
            if len(set(self.policies_in(world))) < 2:
                raise InvalidParameter(
                    f"{world} has the policies {', '.join(self.policies_in(world))} in study {self.name!r}; name two "
                    f"or more, so that one of them is unseen."
                )

    def cells(self) -> list[Cell]:
        """Return every cell, world by world: all cells of a world share its datasets."""
        return [cell.replace(test_policies=self.policies_in(cell.world)) for cell in super().cells()]
