"""When do we call it? Limits on scores, each with what it promises and what it does not."""

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.audit import Audit, audit_alarm
from offnominal.alarms.audit_world import Cell, alarms_at, audit_world
from offnominal.alarms.catalogue import alarms, make_alarm
from offnominal.alarms.charts import EpisodeCusum, EpisodeEwma
from offnominal.alarms.conformal import ConformalAlarm, ShapedAlarm, TooFewEpisodes
from offnominal.alarms.episode_maximum import EpisodeMaximum
from offnominal.alarms.files import alarm_from_dict, load_alarm, save_alarm
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.monitor import Monitor, VectorMonitor
from offnominal.alarms.promise import PromiseAudit, audit_promise
from offnominal.alarms.simulation import simulate_scores
from offnominal.alarms.thresholds import Maximum, Quantile, ThreeSigma
from offnominal.alarms.time_band import TimeBand
from offnominal.alarms.watch import Evidence, Verdict, Watch

__all__ = [
    "Alarm",
    "AlarmState",
    "Audit",
    "Cell",
    "ConformalAlarm",
    "EpisodeCusum",
    "EpisodeEwma",
    "EpisodeMaximum",
    "Evidence",
    "Guarantee",
    "Maximum",
    "Monitor",
    "PromiseAudit",
    "Quantile",
    "ShapedAlarm",
    "ThreeSigma",
    "TimeBand",
    "TooFewEpisodes",
    "VectorMonitor",
    "Verdict",
    "Watch",
    "alarm_from_dict",
    "alarms",
    "alarms_at",
    "audit_alarm",
    "audit_promise",
    "audit_world",
    "load_alarm",
    "make_alarm",
    "save_alarm",
    "simulate_scores",
]
