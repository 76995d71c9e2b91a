"""Diagnosis studies as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.false_alarm_budget import DEFAULT
from offnominal.kinds.diagnosis.cell import DiagnosisCell
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.study import Study
from offnominal.worlds.named_world import is_shipped_id


@dataclass(frozen=True)
class DiagnosisStudy(Study):
    """Detectors whose explanations of faulty episodes are evaluated: channels, onset and kind of fault.

    A fault of sensors or actuators is in one channel, another one in each episode. The fields are those of
    :class:`~offnominal.kinds.Study`, without alarms.

    Example:
        >>> from offnominal.studies import DetectorEntry
        >>> study = DiagnosisStudy("mine", worlds=("SAP-Goal0-v0",), detectors=(DetectorEntry("KNN"),))
        >>> [cell.label for cell in study.cells()]
        ['SAP-Goal0-v0/expert/KNN/0']
    """

    kind: Literal["diagnosis"] = field(default="diagnosis", kw_only=True)  # type: ignore[misc]
    cell_class: ClassVar[type[Cell]] = DiagnosisCell

    def __post_init__(self) -> None:
        super().__post_init__()
        given = {"alarms": self.alarms, "frames": self.data.frames, "faults of its own": self.data.faults}
        given["a budget of false alarms"] = self.budget != DEFAULT
        for what, found in given.items():
            if found:
                raise InvalidParameter(
                    f"study {self.name!r} has {what}; a diagnosis explains channels of vectors under calibrated faults."
                )
        for world in self.worlds:
            if not is_shipped_id(world):
                raise InvalidParameter(
                    f"study {self.name!r} names {world}; a diagnosis needs a world whose channels are known. "
                    "`offnominal worlds` lists them."
                )
