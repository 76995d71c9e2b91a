"""What goes wrong, when and how hard: anomalies, schedules, faults and their injection."""

from offnominal.anomalies.anomaly import Anomaly, CameraAnomaly, DynamicsAnomaly, Moment, SignalAnomaly
from offnominal.anomalies.camera import (
    Blur,
    CameraDelay,
    CameraNoise,
    DeadPixels,
    Drop,
    Exposure,
    Frozen,
    Occlusion,
)
from offnominal.anomalies.catalogue import anomalies, camera_anomalies, make_anomaly
from offnominal.anomalies.corruptions import Corruption, Gaussian, Impulse, MotionBlur, Pixelate
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.inject import inject
from offnominal.anomalies.injected import InjectedEnv, InjectedVectorEnv
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.setting import Setting
from offnominal.anomalies.signals import Delay, Drift, Noise, Offset, Quantisation, Scaling, TemporalNoise

__all__ = [
    "Anomaly",
    "Blur",
    "CameraAnomaly",
    "CameraDelay",
    "CameraNoise",
    "Corruption",
    "DeadPixels",
    "Delay",
    "Drift",
    "Drop",
    "DynamicsAnomaly",
    "Exposure",
    "Fault",
    "Frozen",
    "Gaussian",
    "Impulse",
    "InjectedEnv",
    "InjectedVectorEnv",
    "Injection",
    "Moment",
    "MotionBlur",
    "Noise",
    "Occlusion",
    "Offset",
    "Pixelate",
    "Quantisation",
    "Scaling",
    "Schedule",
    "Setting",
    "SignalAnomaly",
    "TemporalNoise",
    "anomalies",
    "camera_anomalies",
    "inject",
    "make_anomaly",
]
