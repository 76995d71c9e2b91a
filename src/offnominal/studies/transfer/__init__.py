"""Transfer studies: detectors that are trained in one world and tested in another one."""

from offnominal.studies.transfer.cell import TransferCell, TransferFault
from offnominal.studies.transfer.study import TransferStudy

__all__ = ["TransferCell", "TransferFault", "TransferStudy"]
