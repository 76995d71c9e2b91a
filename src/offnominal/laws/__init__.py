"""Laws: checks that every object of a kind must pass, ours and yours."""

from offnominal.laws.anomaly import anomalies_of, check_anomaly
from offnominal.laws.report import Finding, LawReport
from offnominal.laws.world import check_world

__all__ = ["Finding", "LawReport", "anomalies_of", "check_anomaly", "check_world"]
