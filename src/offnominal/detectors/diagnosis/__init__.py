"""Diagnosis: which channels, since when, and which known fault."""

from offnominal.detectors.diagnosis.explanation import ChannelContribution, Explanation

__all__ = ["ChannelContribution", "Explanation"]
