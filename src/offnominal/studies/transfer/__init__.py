"""Transfer studies: detectors that are trained in one world and tested in another one."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.studies.transfer.cell import TransferCell, TransferFault
from offnominal.studies.transfer.study import TransferStudy

__all__ = ["TransferCell", "TransferFault", "TransferStudy"]

name_wrong_arguments(__name__)
