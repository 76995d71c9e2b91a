# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.kinds import diagnosis as diagnosis
from offnominal.kinds import faults as faults
from offnominal.kinds import streams as streams
from offnominal.kinds import transfer as transfer
from offnominal.kinds import unseen_policy as unseen_policy
from offnominal.kinds.diagnosis.cell import DiagnosisCell as DiagnosisCell
from offnominal.kinds.diagnosis.study import DiagnosisStudy as DiagnosisStudy
from offnominal.kinds.faults.cell import AlarmEntry as AlarmEntry
from offnominal.kinds.faults.cell import Cell as Cell
from offnominal.kinds.faults.cell import DataEntry as DataEntry
from offnominal.kinds.faults.fault_entry import FaultEntry as FaultEntry
from offnominal.kinds.faults.study import Scale as Scale
from offnominal.kinds.faults.study import Study as Study
from offnominal.kinds.streams.cell import StreamAlarm as StreamAlarm
from offnominal.kinds.streams.cell import StreamCell as StreamCell
from offnominal.kinds.streams.condition import StreamCondition as StreamCondition
from offnominal.kinds.streams.plan import StreamPlan as StreamPlan
from offnominal.kinds.streams.study import StreamScale as StreamScale
from offnominal.kinds.streams.study import StreamStudy as StreamStudy
from offnominal.kinds.transfer.cell import TransferCell as TransferCell
from offnominal.kinds.transfer.cell import TransferFault as TransferFault
from offnominal.kinds.transfer.study import TransferStudy as TransferStudy
from offnominal.kinds.unseen_policy.cell import UnseenPolicyCell as UnseenPolicyCell
from offnominal.kinds.unseen_policy.study import UnseenPolicyStudy as UnseenPolicyStudy

__all__ = [
    "AlarmEntry",
    "Cell",
    "DataEntry",
    "DiagnosisCell",
    "DiagnosisStudy",
    "FaultEntry",
    "Scale",
    "StreamAlarm",
    "StreamCell",
    "StreamCondition",
    "StreamPlan",
    "StreamScale",
    "StreamStudy",
    "Study",
    "TransferCell",
    "TransferFault",
    "TransferStudy",
    "UnseenPolicyCell",
    "UnseenPolicyStudy",
]
