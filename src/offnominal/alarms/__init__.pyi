# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.alarms.aci import ACI as ACI
from offnominal.alarms.adaptive import AdaptiveAlarm as AdaptiveAlarm
from offnominal.alarms.adaptive import UnitHistory as UnitHistory
from offnominal.alarms.alarm import Alarm as Alarm
from offnominal.alarms.alarm import AlarmState as AlarmState
from offnominal.alarms.audit import Audit as Audit
from offnominal.alarms.audit import audit_alarm as audit_alarm
from offnominal.alarms.bocpd import Bocpd as Bocpd
from offnominal.alarms.catalogue import alarms as alarms
from offnominal.alarms.catalogue import make_alarm as make_alarm
from offnominal.alarms.charts import EpisodeCusum as EpisodeCusum
from offnominal.alarms.charts import EpisodeEwma as EpisodeEwma
from offnominal.alarms.conformal import ConformalAlarm as ConformalAlarm
from offnominal.alarms.conformal import SplitConformalAlarm as SplitConformalAlarm
from offnominal.alarms.conformal import TooFewEpisodes as TooFewEpisodes
from offnominal.alarms.conformal_pid import ConformalPID as ConformalPID
from offnominal.alarms.day_simulation import simulate_days as simulate_days
from offnominal.alarms.dtaci import DtACI as DtACI
from offnominal.alarms.e_detector import EDetector as EDetector
from offnominal.alarms.episode_maximum import EpisodeMaximum as EpisodeMaximum
from offnominal.alarms.exchangeability import ExchangeabilityCheck as ExchangeabilityCheck
from offnominal.alarms.exchangeability import check_exchangeability as check_exchangeability
from offnominal.alarms.files import alarm_from_dict as alarm_from_dict
from offnominal.alarms.files import load_alarm as load_alarm
from offnominal.alarms.files import save_alarm as save_alarm
from offnominal.alarms.fleet_tests import FleetTests as FleetTests
from offnominal.alarms.fleet_tests import WindowTest as WindowTest
from offnominal.alarms.glr import EpisodeGlr as EpisodeGlr
from offnominal.alarms.guarantee import Guarantee as Guarantee
from offnominal.alarms.guarantee_audit import GuaranteeAudit as GuaranteeAudit
from offnominal.alarms.guarantee_audit import audit_guarantee as audit_guarantee
from offnominal.alarms.guarantee_check import GuaranteeCheck as GuaranteeCheck
from offnominal.alarms.guarantee_check import check_guarantee as check_guarantee
from offnominal.alarms.martingale import conformal_p_values as conformal_p_values
from offnominal.alarms.martingale import jumper_martingale as jumper_martingale
from offnominal.alarms.mode_thresholds import ModeThresholds as ModeThresholds
from offnominal.alarms.mode_thresholds import UnseenMode as UnseenMode
from offnominal.alarms.monitor import Monitor as Monitor
from offnominal.alarms.monitor import VectorMonitor as VectorMonitor
from offnominal.alarms.online_fdr import ELond as ELond
from offnominal.alarms.online_fdr import LordPlusPlus as LordPlusPlus
from offnominal.alarms.online_fdr import OnlineTest as OnlineTest
from offnominal.alarms.online_fdr import Saffron as Saffron
from offnominal.alarms.online_fdr import e_value as e_value
from offnominal.alarms.online_fdr import online_test_from_dict as online_test_from_dict
from offnominal.alarms.online_monitor import AlarmEvidence as AlarmEvidence
from offnominal.alarms.online_monitor import MonitorOutput as MonitorOutput
from offnominal.alarms.online_monitor import OnlineMonitor as OnlineMonitor
from offnominal.alarms.pareto_tail import ParetoTail as ParetoTail
from offnominal.alarms.recalibration import Recalibration as Recalibration
from offnominal.alarms.recency_weighted import RecencyWeighted as RecencyWeighted
from offnominal.alarms.segmentation import Segmentation as Segmentation
from offnominal.alarms.simulation import simulate_scores as simulate_scores
from offnominal.alarms.thresholds import Maximum as Maximum
from offnominal.alarms.thresholds import Quantile as Quantile
from offnominal.alarms.thresholds import ThreeSigma as ThreeSigma
from offnominal.alarms.time_band import TimeBand as TimeBand
from offnominal.alarms.window_maximum import WindowMaximum as WindowMaximum
from offnominal.alarms.world_audit import WorldAudit as WorldAudit
from offnominal.alarms.world_audit import alarms_at as alarms_at
from offnominal.alarms.world_audit import audit_world as audit_world

__all__ = [
    "ACI",
    "AdaptiveAlarm",
    "Alarm",
    "AlarmEvidence",
    "AlarmState",
    "Audit",
    "Bocpd",
    "ConformalAlarm",
    "ConformalPID",
    "DtACI",
    "EDetector",
    "ELond",
    "EpisodeCusum",
    "EpisodeEwma",
    "EpisodeGlr",
    "EpisodeMaximum",
    "ExchangeabilityCheck",
    "FleetTests",
    "Guarantee",
    "GuaranteeAudit",
    "GuaranteeCheck",
    "LordPlusPlus",
    "Maximum",
    "ModeThresholds",
    "Monitor",
    "MonitorOutput",
    "OnlineMonitor",
    "OnlineTest",
    "ParetoTail",
    "Quantile",
    "Recalibration",
    "RecencyWeighted",
    "Saffron",
    "Segmentation",
    "SplitConformalAlarm",
    "ThreeSigma",
    "TimeBand",
    "TooFewEpisodes",
    "UnitHistory",
    "UnseenMode",
    "VectorMonitor",
    "WindowMaximum",
    "WindowTest",
    "WorldAudit",
    "alarm_from_dict",
    "alarms",
    "alarms_at",
    "audit_alarm",
    "audit_guarantee",
    "audit_world",
    "check_exchangeability",
    "check_guarantee",
    "conformal_p_values",
    "e_value",
    "jumper_martingale",
    "load_alarm",
    "make_alarm",
    "online_test_from_dict",
    "save_alarm",
    "simulate_days",
    "simulate_scores",
]
