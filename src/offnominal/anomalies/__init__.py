"""Anomalies, schedules, faults and their injection."""

from offnominal.anomalies.anomaly import Anomaly, CameraAnomaly, DynamicsAnomaly, FaultContext, SignalAnomaly
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
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.fault_injection import inject
from offnominal.anomalies.injected_envs import InjectedEnv, InjectedVectorEnv
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.signals import Delay, Drift, Noise, Offset, Quantisation, Scaling, TemporalNoise
from offnominal.core.public_calls import name_wrong_arguments

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
    "EnvironmentInfo",
    "Exposure",
    "Fault",
    "FaultContext",
    "Frozen",
    "Gaussian",
    "Impulse",
    "InjectedEnv",
    "InjectedVectorEnv",
    "Injection",
    "MotionBlur",
    "Noise",
    "Occlusion",
    "Offset",
    "Pixelate",
    "Quantisation",
    "Scaling",
    "Schedule",
    "SignalAnomaly",
    "TemporalNoise",
    "anomalies",
    "camera_anomalies",
    "inject",
    "make_anomaly",
]

name_wrong_arguments(__name__)
