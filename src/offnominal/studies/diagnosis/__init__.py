"""Diagnosis studies: do explanations name the right channel, onset and fault?"""

from offnominal.studies.diagnosis.cell import DiagnosisCell
from offnominal.studies.diagnosis.study import DiagnosisStudy

__all__ = ["DiagnosisCell", "DiagnosisStudy"]
