"""Alarms: thresholds on anomaly scores with a stated guarantee, their audits, and the online monitor."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "alarm": ("Alarm", "AlarmState"),
        "audit": ("Audit", "audit_alarm"),
        "bocpd": ("Bocpd",),
        "catalogue": ("alarms", "make_alarm"),
        "conformal": ("ConformalAlarm", "SplitConformalAlarm", "TooFewEpisodes"),
        "e_detector": ("EDetector",),
        "exchangeability": ("ExchangeabilityCheck", "check_exchangeability"),
        "files": ("alarm_from_dict", "load_alarm", "save_alarm"),
        "fleet_tests": ("FleetTests", "WindowTest"),
        "glr": ("EpisodeGlr",),
        "guarantee": ("Guarantee",),
        "guarantee_audit": ("GuaranteeAudit", "audit_guarantee"),
        "guarantee_check": ("GuaranteeCheck", "check_guarantee"),
        "martingale": ("conformal_p_values", "jumper_martingale"),
        "monitor": ("Monitor", "VectorMonitor"),
        "online_fdr": ("ELond", "LordPlusPlus", "OnlineTest", "Saffron", "e_value", "online_test_from_dict"),
        "online_monitor": ("AlarmEvidence", "MonitorOutput", "OnlineMonitor"),
        "pareto_tail": ("ParetoTail",),
        "simulation": ("simulate_scores",),
        "window_maximum": ("WindowMaximum",),
        "world_audit": ("WorldAudit", "alarms_at", "audit_world"),
    },
    catalogue="offnominal.alarms.catalogue:alarms",
)
