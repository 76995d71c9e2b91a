"""Alarms: thresholds on anomaly scores with a stated guarantee, their audits, and the online monitor."""

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.audit import Audit, audit_alarm
from offnominal.alarms.catalogue import alarms, make_alarm
from offnominal.alarms.charts import EpisodeCusum, EpisodeEwma
from offnominal.alarms.conformal import ConformalAlarm, SplitConformalAlarm, TooFewEpisodes
from offnominal.alarms.episode_maximum import EpisodeMaximum
from offnominal.alarms.files import alarm_from_dict, load_alarm, save_alarm
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.guarantee_audit import GuaranteeAudit, audit_guarantee
from offnominal.alarms.monitor import Monitor, VectorMonitor
from offnominal.alarms.online_monitor import AlarmEvidence, MonitorOutput, OnlineMonitor
from offnominal.alarms.simulation import simulate_scores
from offnominal.alarms.thresholds import Maximum, Quantile, ThreeSigma
from offnominal.alarms.time_band import TimeBand
from offnominal.alarms.window_maximum import WindowMaximum
from offnominal.alarms.world_audit import WorldAudit, alarms_at, audit_world
from offnominal.core.public_calls import name_wrong_arguments

__all__ = [
    "Alarm",
    "AlarmEvidence",
    "AlarmState",
    "Audit",
    "ConformalAlarm",
    "EpisodeCusum",
    "EpisodeEwma",
    "EpisodeMaximum",
    "Guarantee",
    "GuaranteeAudit",
    "Maximum",
    "Monitor",
    "MonitorOutput",
    "OnlineMonitor",
    "Quantile",
    "SplitConformalAlarm",
    "ThreeSigma",
    "TimeBand",
    "TooFewEpisodes",
    "VectorMonitor",
    "WindowMaximum",
    "WorldAudit",
    "alarm_from_dict",
    "alarms",
    "alarms_at",
    "audit_alarm",
    "audit_guarantee",
    "audit_world",
    "load_alarm",
    "make_alarm",
    "save_alarm",
    "simulate_scores",
]

name_wrong_arguments(__name__)
