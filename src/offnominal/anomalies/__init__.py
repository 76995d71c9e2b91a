"""What goes wrong, when and how hard: anomalies, schedules, faults and their injection."""

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly, Moment, SignalAnomaly
from offnominal.anomalies.catalogue import anomalies, make_anomaly
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.inject import InjectedEnv, InjectedVectorEnv, inject
from offnominal.anomalies.injection import Injection, Setting
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.signals import Delay, Drift, Noise, Offset, Quantisation, Scaling, TemporalNoise

__all__ = [
    "Anomaly",
    "Delay",
    "Drift",
    "DynamicsAnomaly",
    "Fault",
    "InjectedEnv",
    "InjectedVectorEnv",
    "Injection",
    "Moment",
    "Noise",
    "Offset",
    "Quantisation",
    "Scaling",
    "Schedule",
    "Setting",
    "SignalAnomaly",
    "TemporalNoise",
    "anomalies",
    "inject",
    "make_anomaly",
]
