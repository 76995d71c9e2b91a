"""Diagnosis studies: do explanations name the right channel, onset and fault?"""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.studies.diagnosis.cell import DiagnosisCell
from offnominal.studies.diagnosis.study import DiagnosisStudy

__all__ = ["DiagnosisCell", "DiagnosisStudy"]

name_wrong_arguments(__name__)
