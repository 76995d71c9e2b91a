"""Kinds of studies, a folder each: their cells, how a cell is computed, and the report of a run."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "diagnosis.cell": ("DiagnosisCell",),
        "diagnosis.study": ("DiagnosisStudy",),
        "faults.cell": ("AlarmEntry", "Cell", "DataEntry"),
        "faults.fault_entry": ("FaultEntry",),
        "faults.study": ("Scale", "Study"),
        "streams.cell": ("StreamAlarm", "StreamCell"),
        "streams.condition": ("StreamCondition",),
        "streams.plan": ("StreamPlan",),
        "streams.study": ("StreamScale", "StreamStudy"),
        "transfer.cell": ("TransferCell", "TransferFault"),
        "transfer.study": ("TransferStudy",),
        "unseen_policy.cell": ("UnseenPolicyCell",),
        "unseen_policy.study": ("UnseenPolicyStudy",),
    },
)
